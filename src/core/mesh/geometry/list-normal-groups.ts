// SPDX-License-Identifier: MIT
import type { Mesh } from '../../model/mesh/mesh.ts';

/**
 * Lists groups of vertices that share a normal: vertices at the same place and, if the file has normals, with the same normal at rest. UV seams are
 * smooth then, and hard edges of the file stay hard.
 * @internal
 */
export function listNormalGroups({ positions, normals }: Mesh): { normalGroups: Uint32Array; groupCount: number } {
  const vertexCount = positions.length / 3;
  const normalGroups = new Uint32Array(vertexCount);
  const known = new Map<string, number>();
  for (let i = 0; i < vertexCount; i++) {
    let key = `${positions[3 * i]} ${positions[3 * i + 1]} ${positions[3 * i + 2]}`;
    if (normals) for (let c = 3 * i; c < 3 * i + 3; c++) key += ` ${Math.round(100 * normals[c])}`;
    let group = known.get(key);
    if (group === undefined) {
      group = known.size;
      known.set(key, group);
    }
    normalGroups[i] = group;
  }
  return { normalGroups, groupCount: known.size };
}
