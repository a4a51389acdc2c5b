// SPDX-License-Identifier: MIT
import type { Clip } from './clip.ts';

/**
 * A clip with its vertices in the order of a file that was written from it; a vertex may repeat. Attributes are left out, and triangles with a vertex that the file merged with another.
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
  const place = new Int32Array(vertexCount).fill(-1);
  for (let i = order.length - 1; i >= 0; i--) place[order[i]] = i;
  const mesh = {
    ...clip.mesh,
    positions: pick(clip.mesh.positions, 1),
    triangles: listStored(clip.mesh.triangles, place),
    normals: undefined,
    attributes: [],
  };
  return { ...clip, mesh, positions: pick(clip.positions, frameCount) };
}

/** Triangles whose vertices are all stored, by place. */
function listStored(triangles: Uint32Array, place: Int32Array): Uint32Array {
  const stored: number[] = [];
  for (let c = 0; c < triangles.length; c += 3) {
    const corners = [place[triangles[c]], place[triangles[c + 1]], place[triangles[c + 2]]];
    if (Math.min(...corners) >= 0) stored.push(...corners);
  }
  return Uint32Array.from(stored);
}
