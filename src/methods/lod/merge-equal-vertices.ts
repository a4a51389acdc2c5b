// SPDX-License-Identifier: MIT
import type { Weld } from '../../core/mesh/topology/weld.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';

/**
 * The mesh with its triangles on one of several equal vertices: files without indices have three vertices per triangle, and an edge whose triangles share none cannot be
 * collapsed. Vertices are equal in their part, their place in all poses, their data and their weights; morph targets and corrections are not compared, so such files stay as
 * they are.
 * @param weld vertices that are in one place in all poses
 * @param isHard whether vertices with other normals are other vertices: the edges between them are seams, which stay
 */
export function mergeEqualVertices({ mesh, rig, morphs, correction }: Asset, weld: Weld, isHard: boolean): Mesh {
  if (morphs || correction) return mesh;
  const first = new Map<string, number>();
  const target = new Uint32Array(mesh.positions.length / 3);
  for (const [p, { vertexStart, vertexCount }] of mesh.parts.entries())
    for (let i = vertexStart; i < vertexStart + vertexCount; i++) {
      const data = mesh.attributes.map(({ size, values }) => values.subarray(size * i, size * (i + 1)).join());
      const normal = isHard ? mesh.normals?.subarray(3 * i, 3 * i + 3).join() : '';
      const [from, to] = rig ? [rig.skin.rowStart[i], rig.skin.rowStart[i + 1]] : [0, 0];
      const row =
        rig && `${rig.skin.boneIndices.subarray(from, to).join()} ${rig.skin.weights.subarray(from, to).join()}`;
      const key = [p, weld.pointOfVertex[i], ...data, normal, row].join(' ');
      const known = first.get(key);
      target[i] = known ?? i;
      if (known === undefined) first.set(key, i);
    }
  return { ...mesh, triangles: mesh.triangles.map((i) => target[i]) };
}
