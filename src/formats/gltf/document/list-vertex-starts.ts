// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { Asset } from '../../../core/model/asset.ts';
import type { GlbContent } from '../write-glb.ts';

/**
 * The first vertex of each primitive of a written glTF in the mesh of the asset. Parts without triangles are not written, so that the vertices after them have other numbers in the file.
 */
export function listVertexStarts(json: GLTF.IGLTF, asset: Asset, content: GlbContent): number[] {
  const { parts } = content.kind === 'skin' ? content.model.mesh : asset.mesh;
  const counts = (json.meshes ?? []).flatMap(({ primitives }) =>
    primitives.map(({ attributes }) => json.accessors?.[attributes.POSITION]?.count ?? 0),
  );
  const written = parts.filter(({ triangleCount, vertexCount }) => triangleCount > 0 && vertexCount > 0);
  if (written.length === counts.length && written.every(({ vertexCount }, n) => vertexCount === counts[n]))
    return written.map(({ vertexStart }) => vertexStart);
  let end = 0;
  return counts.map((count) => {
    end += count;
    return end - count;
  });
}
