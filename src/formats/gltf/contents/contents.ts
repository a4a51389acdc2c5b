// SPDX-License-Identifier: MIT

/** An animation, as a file holds it. */
export interface AnimationContents {
  name: string;
  /** Number of animated values: the translation of one node is one. */
  channels: number;
  /** LINEAR, STEP, CUBICSPLINE, without repetition, in order. */
  interpolations: string[];
}

/** What a file holds besides numbers: everything that a conversion can lose. Only what the scene uses is listed. */
export interface Contents {
  /** Names of the meshes that are drawn, one per node. */
  meshes: string[];
  /** Pieces of one material each. */
  parts: number;
  vertices: number;
  triangles: number;
  /** Maximum number of sets of a part. */
  uvSets: number;
  colorSets: number;
  /** Parts with tangents. */
  tangents: number;
  materials: string[];
  /** By image: a hash of its bytes as stored. */
  images: string[];
  /** Names without repetition: a target of several meshes is one. */
  morphTargets: string[];
  skins: number;
  /** Names of the joints of all skins. */
  joints: string[];
  /** Maximum weights per vertex that the file has room for. */
  influences: number;
  /** Names of all nodes. */
  nodes: string[];
  /** Names of custom properties. */
  extras: string[];
  animations: AnimationContents[];
  cameras: string[];
  lights: string[];
  extensions: string[];
}
