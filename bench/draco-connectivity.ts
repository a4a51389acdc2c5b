// SPDX-License-Identifier: MIT
// The triangles of a mesh as a Draco stream (edgebreaker). Draco needs positions; they are stored with one bit per coordinate, so that nearly all bytes are those of the
// triangles. The bytes are an upper bound of what a codec needs for its triangles.
import { encodeDraco } from '../src/gltf/encode-draco.ts';
import { decodeDraco } from './decode-draco.ts';

export interface Connectivity {
  bytes: Uint8Array;
  /** triangleCount x 3, in decoded vertices */
  triangles: Uint32Array;
  /** Number of decoded vertices. A vertex where the surface is not manifold is stored several times. */
  vertexCount: number;
  /** By decoded vertex: the vertex of the source. */
  order: Uint32Array;
}

/**
 * Encodes triangles.
 * @param positions vertexCount x 3, all different: Draco merges vertices that are equal
 */
export async function encodeConnectivity(triangles: Uint32Array, positions: Float32Array): Promise<Connectivity> {
  // Draco has another order of vertices for meshes with positions alone, which encodeDraco does not find
  const zeros = new Uint8Array(positions.length / 3);
  const { bytes, order } = await encodeDraco(triangles, [
    { semantic: 'POSITION', size: 3, values: positions, bits: 1 },
    { semantic: '_ZERO', size: 1, values: zeros },
  ]);
  const { triangles: decoded, vertexCount } = await decodeDraco(bytes);
  return { bytes, order, triangles: decoded, vertexCount };
}
