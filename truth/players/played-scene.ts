// SPDX-License-Identifier: MIT
// What a player shows of a file. Nothing in truth/ imports src/: a defect there must not hide itself here.

/** Which weights of a vertex are played: those of three.js, or, for a source, all. */
export type Role = 'source' | 'result';

/** A mesh with one material, as the player has it. */
export interface PlayedPart {
  name: string;
  vertexCount: number;
  /** Vertices of the corners of its triangles. */
  corners: Uint32Array;
}

export interface PlayedClip {
  name: string;
  start: number;
  end: number;
  /** Times of all keys, without repetition, in order. */
  keys: readonly number[];
}

/** What is in a file, as the player counts it. */
export interface Inventory {
  /** Meshes of one material each. */
  parts: number;
  triangles: number;
  materials: number;
  textures: number;
  uvSets: number;
  colourSets: number;
  tangents: number;
  morphTargets: number;
  joints: number;
  animations: number;
  cameras: number;
  lights: number;
  /** Names of meshes and materials. */
  names: readonly string[];
  /** Names of other nodes. */
  nodeNames: readonly string[];
  morphNames: readonly string[];
  /** Names of custom properties. */
  extras: readonly string[];
}

/** Numbers that the player counts; those that it changes while it loads are undefined. */
export interface PlayedCounts {
  vertices?: number;
  triangles?: number;
  joints?: number;
  /** Maximum weights per vertex that are not zero. */
  influences?: number;
  animations?: number;
}

export interface PlayedScene {
  counts: PlayedCounts;
  parts: readonly PlayedPart[];
  clips: readonly PlayedClip[];
  inventory: Inventory;
  jointNames: readonly string[];
  /** Metres per unit of the positions, if the file states one. */
  metresPerUnit?: number;
  /** Positions of the player per unit of the file: 0.01 where the player turns centimetres into metres. */
  scale: number;
  /** Positions of all parts, part after part, in world space, at a time of a clip; without a clip as the file shows them. */
  play(clip: number | undefined, time: number): Float64Array;
  /** The same with joints turned about their own axes, by name, from where the file shows them. */
  turn(turns: ReadonlyMap<string, readonly number[]>): Float64Array;
}
