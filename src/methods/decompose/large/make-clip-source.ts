// SPDX-License-Identifier: MIT
import type { Weld } from '../../../core/mesh/topology/weld.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { PointSource } from '../../../core/model/clip/point-source.ts';

/** The welded points of a clip. */
export function makeClipSource({ name, mesh, positions, times }: Clip, { vertexOfPoint }: Weld): PointSource {
  const stride = mesh.positions.length;
  const copyInto = (from: Float32Array, offset: number, points: Uint32Array, to: Float32Array, at: number): void => {
    for (let n = 0; n < points.length; n++) {
      const v = offset + 3 * vertexOfPoint[points[n]];
      to[at + 3 * n] = from[v];
      to[at + 3 * n + 1] = from[v + 1];
      to[at + 3 * n + 2] = from[v + 2];
    }
  };
  const all = Uint32Array.from(vertexOfPoint.keys());
  const rest = new Float32Array(3 * all.length);
  copyInto(mesh.positions, 0, all, rest, 0);
  return {
    ...{ name, times, rest, pointCount: all.length },
    async readBlock(first, count, visit) {
      const points = all.subarray(first, first + count);
      const frame = new Float32Array(3 * count);
      for (let k = 0; k < times.length; k++) {
        copyInto(positions, k * stride, points, frame, 0);
        visit(frame, k);
      }
    },
    async pick(points, frames) {
      const picked = new Float32Array(3 * points.length * frames.length);
      frames.forEach((k, n) => {
        copyInto(positions, k * stride, points, picked, 3 * n * points.length);
      });
      return picked;
    },
  };
}
