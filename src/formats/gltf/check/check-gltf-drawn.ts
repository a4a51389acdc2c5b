// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { checkDecodedBytes, fail } from '../../../deformers/layout/index.ts';
import { DRACO } from '../codecs/unpack-gltf-draco.ts';
import { TYPE_SIZE } from './check-gltf-data.ts';

/** Bytes of a primitive or a morph target besides its numbers: 200,000 targets of a triangle take 1.4 s, most of it for their objects. */
const PIECE_BYTES = 200;

/**
 * Throws if the joined mesh of all drawn nodes needs too much memory: a small file can draw one mesh with very many nodes, or have vertices and triangles without
 * data, which are zeros.
 */
export function checkGltfDrawn(json: GLTF.IGLTF, fileBytes: number): void {
  const { nodes = [], scenes = [], meshes = [], accessors = [] } = json;
  for (const [m, { primitives }] of meshes.entries())
    for (const { attributes, indices, extensions } of primitives)
      for (const index of extensions?.[DRACO] ? [] : [attributes.POSITION, indices])
        if (index !== undefined) checkZeros(accessors[index], index, m, fileBytes);
  const floats = (index: number): number => accessors[index].count * TYPE_SIZE[accessors[index].type];
  const bytesOf = meshes.map(({ primitives }) => {
    let count = 0;
    let pieces = 0;
    for (const { attributes, indices, targets = [] } of primitives) {
      pieces += 1 + targets.length;
      for (const list of [attributes, ...targets]) for (const index of Object.values(list)) count += floats(index);
      const positions = attributes.POSITION;
      if (indices !== undefined) count += floats(indices);
      else if (positions !== undefined) count += accessors[positions].count;
    }
    return 4 * count + PIECE_BYTES * pieces;
  });
  const isDrawn = new Uint8Array(nodes.length).fill(scenes.length === 0 ? 1 : 0);
  const stack = scenes.flatMap((scene, n) => (json.scene === undefined || json.scene === n ? (scene.nodes ?? []) : []));
  for (let n = stack.pop(); n !== undefined; n = stack.pop()) {
    if (isDrawn[n]) continue;
    isDrawn[n] = 1;
    for (const child of nodes[n].children ?? []) stack.push(child);
  }
  let bytes = 0;
  for (const [n, { mesh }] of nodes.entries()) if (mesh !== undefined && isDrawn[n]) bytes += bytesOf[mesh];
  checkDecodedBytes(bytes, fileBytes);
}

/** Throws if vertices or triangles have no data, and are more than the file has bytes. */
function checkZeros({ bufferView, count }: GLTF.IAccessor, index: number, mesh: number, fileBytes: number): void {
  if (bufferView !== undefined || count <= fileBytes) return;
  fail(
    'limit',
    `accessors[${index}] of meshes[${mesh}] has ${count} elements without data, in a file of ${fileBytes} bytes`,
  );
}
