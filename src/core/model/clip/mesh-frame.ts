// SPDX-License-Identifier: MIT
import type { Mesh } from '../mesh/mesh.ts';

/** One frame of a sequence whose frames may differ in vertices and triangles, as scanners give it. */
export interface MeshFrame {
  /** Name of the file without its extension, or of the node. */
  name: string;
  /** vertexCount x 3, model space, file units */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3, from 0 to 1, if the file has colours */
  colors?: Float32Array;
}

/** Frames of a motion that may differ in vertices and triangles, so they are no clip. */
export interface MeshSequence {
  /** At least two, in order. */
  frames: MeshFrame[];
  /** frameCount, seconds, ascending */
  times: Float64Array;
}

/** A mesh as a frame. */
export function makeMeshFrame({ positions, triangles, attributes }: Mesh, name: string): MeshFrame {
  const colors = attributes.find((attribute) => attribute.name === 'COLOR_0');
  if (!colors) return { name, positions, triangles };
  const { size, values } = colors;
  const rgb = size === 3 ? values : Float32Array.from(positions, (_, c) => values[size * Math.floor(c / 3) + (c % 3)]);
  return { name, positions, triangles, colors: rgb };
}
