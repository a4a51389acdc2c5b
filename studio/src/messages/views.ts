// SPDX-License-Identifier: MIT
// What the page knows of a version: plain data made by the worker.
import type { TimedMotion } from '../../../src/entry/deform.ts';
import type { AssetFacts, Json, Report, ShapeDrivers, Skin, SurfaceMaterial } from '../../../src/entry/index.ts';

export interface MeshView {
  /** vertexCount x 3, the rest shape */
  positions: Float32Array;
  /** triangleCount x 3 */
  triangles: Uint32Array;
  /** vertexCount: vertices with the same number share a normal */
  normalGroups: Uint32Array;
  groupCount: number;
  look?: LookView;
}

/** A run of triangles with one material. */
export interface PartView {
  name: string;
  triangleStart: number;
  triangleCount: number;
  /** Index into the materials; -1 for none. */
  material: number;
}

/** How the file draws its surface. */
export interface LookView {
  materials: SurfaceMaterial[];
  /** By image of the file: its number in the worker. Versions with the same image share it. */
  images: number[];
  parts: PartView[];
  /** By set of UVs, vertexCount x 2. */
  uvs: Float32Array[];
  /** vertexCount x 3, linear light */
  colors?: Float32Array;
}

export interface RigView {
  names: string[];
  parents: Int32Array;
  /** boneCount x 16, column-major: bone space to model space, at rest */
  binds: Float64Array;
  skin: Skin;
  /** boneCount, 1 for joints of a skin */
  isJoint: Uint8Array;
  /** boneCount x 6: low and high end about x, y and z, radians */
  ranges: Float64Array;
}

/** The nodes of a file. */
export interface NodeView {
  names: string[];
  parents: Int32Array;
  /** What each node holds: joint, mesh, camera or light; several are separated by commas. */
  kinds: string[];
}

export interface VirtualView {
  /** virtualBoneCount x 3 */
  centers: Float64Array;
  skin: Skin;
}

/** An animated shape: an opened file, or the result of a job. */
export interface VersionInfo {
  id: number;
  /** Versions of one project have the same vertices and are played in sync. */
  project: number;
  /** The version it was made from; -1 for files. */
  parent: number;
  title: string;
  /** Name of its file, or of the file to write. */
  fileName: string;
  job?: string;
  /** Options of the job that differ from their defaults. */
  options?: Record<string, Json>;
  /** Whether the job was stopped before its end. */
  isStopped?: boolean;
  facts: AssetFacts;
  mesh: MeshView;
  /** Empty for formats without nodes. */
  nodes: NodeView;
  motions: TimedMotion[];
  /** The outermost points of each motion, from some of its frames: pointCount x 3 each, file units */
  reach: Float32Array[];
  rig?: RigView;
  virtual?: VirtualView;
  /** Whether it has light for each frame. */
  hasLight: boolean;
  /** Names of morph targets; parts may repeat them. */
  morphs?: string[];
  /** Drivers of the bones by the weights of shapes. */
  drivers?: ShapeDrivers;
  /** Size of its files in bytes. */
  bytes: number;
  /** Seconds that the job took. */
  seconds?: number;
  report?: Report;
  /** Whether Direct Delta Mush can be previewed on it. */
  isTunable: boolean;
  /** Remarks of readers and solvers, a sentence each. */
  notes: string[];
}
