// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { checkDecodedBytes } from '../../../deformers/layout/index.ts';
import { TYPE_SIZE } from './check-gltf-data.ts';

/** Throws if the joined mesh of all drawn nodes needs too much memory: a small file can draw one mesh with very many nodes. */
export function checkGltfDrawn(json: GLTF.IGLTF, fileBytes: number): void {
  const { nodes = [], scenes = [], meshes = [], accessors = [] } = json;
  const floats = (index: number): number => accessors[index].count * TYPE_SIZE[accessors[index].type];
  const bytesOf = meshes.map(({ primitives }) => {
    let count = 0;
    for (const { attributes, indices, targets = [] } of primitives) {
      for (const list of [attributes, ...targets]) for (const index of Object.values(list)) count += floats(index);
      const positions = attributes.POSITION;
      if (indices !== undefined) count += floats(indices);
      else if (positions !== undefined) count += accessors[positions].count;
    }
    return 4 * count;
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
