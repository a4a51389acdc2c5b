// SPDX-License-Identifier: MIT
import type { Clip } from './clip.ts';

/**
 * A clip with its vertices in the order of a file that was written from it; a vertex may repeat. Attributes are left out.
 * @param order by vertex of the file: the vertex of the clip
 */
export function reorderClip(clip: Clip, order: Uint32Array): Clip {
  const vertexCount = clip.mesh.positions.length / 3;
  const frameCount = clip.times.length;
  const pick = (values: Float32Array, count: number): Float32Array => {
    const out = new Float32Array(3 * order.length * count);
    for (let k = 0; k < count; k++)
      for (let i = 0; i < order.length; i++) {
        const [to, from] = [3 * (k * order.length + i), 3 * (k * vertexCount + order[i])];
        out[to] = values[from];
        out[to + 1] = values[from + 1];
        out[to + 2] = values[from + 2];
      }
    return out;
  };
  const place = new Uint32Array(vertexCount);
  for (let i = order.length - 1; i >= 0; i--) place[order[i]] = i;
  const mesh = {
    ...clip.mesh,
    positions: pick(clip.mesh.positions, 1),
    triangles: clip.mesh.triangles.map((v) => place[v]),
    normals: undefined,
    attributes: [],
  };
  return { ...clip, mesh, positions: pick(clip.positions, frameCount) };
}
