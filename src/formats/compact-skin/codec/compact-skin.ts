// SPDX-License-Identifier: MIT
// What a stream of the extension OSSIFY_compact_skin holds. Numbers of meshes are on grids; nodes, skins and animations are those of glTF.
import type { SteppedWeights } from '../mesh/code-weights.ts';

/** Numbers of vertices on a grid. */
export interface CompactAttribute {
  /** glTF name, such as TEXCOORD_0. */
  semantic: string;
  /** normal: unit vectors on an octahedron, two numbers each, predicted from the surface. tangent: the same and a sign, from neighbours. grid: multiples of steps. */
  kind: 'normal' | 'tangent' | 'grid';
  /** Numbers per vertex in the file, as type and component type of the accessor that is made. */
  size: number;
  componentType: number;
  normalized: boolean;
  /** Steps per unit of an octahedron, or the step of a grid and its origin. */
  step: number;
  origin: number[];
  /** vertexCount x (2 for normal, 3 for tangent, size for grid) */
  values: Int32Array;
}

/** Displacements of points along their normals at rest, before the skin moves them: a set for each frame, which is shown at its time and blends into the next. */
export interface CompactDisplacements {
  /** Length of a step, in the space of the meshes. */
  step: number;
  /** Index of the animation that shows them. */
  animation: number;
  /** frameCount seconds */
  times: Float32Array;
  /** frameCount x pointCount, in steps */
  values: Int32Array;
}

/** A primitive. Vertices at one point with equal weights share the point. */
export interface CompactPrimitive {
  vertexCount: number;
  pointCount: number;
  /** triangleCount x 3 vertices */
  triangles: Uint32Array;
  /** vertexCount */
  pointOfVertex: Uint32Array;
  /** pointCount x 3 multiples of the step of the stream */
  positions: Int32Array;
  weights?: SteppedWeights;
  attributes: CompactAttribute[];
  /** Streams from version 2 on. */
  displacements?: CompactDisplacements;
}

/** A node that the stream makes. */
export interface CompactNode {
  name: string;
  /** Index of a node: those of the JSON are first, then those of the stream; -1: a root of the scene */
  parent: number;
  translation: number[];
  rotation: number[];
  scale: number[];
}

export interface CompactJoints {
  name: string;
  joints: number[];
  /** Node at the root of the joints; -1: not given */
  skeleton: number;
  /** jointCount x 16. Absent if they are the inverses of the nodes at rest. */
  inverseBindMatrices?: Float32Array;
}

/** Tracks of one node with common key times. */
export interface CompactTracks {
  node: number;
  translation?: Float32Array;
  rotation?: Float32Array;
  /** Scales. */
  numbers?: Float32Array;
  /** Steps of the tracks as powers of the fourth root of two. */
  steps: { translation: number; rotation: number; numbers: number };
}

export interface CompactMotion {
  /** Index of the animation that the tracks belong to; several motions of one animation have their own times. */
  animation: number;
  isStepped: boolean;
  /** keyCount seconds */
  times: Float32Array;
  tracks: CompactTracks[];
}

export interface CompactSkin {
  /** Grid of positions, in the space of the meshes. */
  positionStep: number;
  primitives: CompactPrimitive[];
  /** Step of translations at rest, and nodes. */
  nodeStep: number;
  nodes: CompactNode[];
  skins: CompactJoints[];
  animationNames: string[];
  motions: CompactMotion[];
}
