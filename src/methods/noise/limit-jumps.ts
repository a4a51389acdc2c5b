// SPDX-License-Identifier: MIT
// Vertices that jump in single frames of a clip with noise: a flipped triangle, or a wrong correspondence of a scanner. The position that the surface around a vertex predicts (smooth-trajectories.ts) differs from its own by noise; it differs
// by more where the surface bends, but then also at the neighbours, and in other frames. A vertex that is far from its prediction alone gets the predicted position. Least squares may then be used for everything else.
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { pointTriangles, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { smoothByPatches } from '../../fit/rest/index.ts';

/** A jump: the minimum distance from the prediction in standard deviations of the noise (one in a million vertices by chance), and relative to the median over the neighbours, and over the frames. */
const MIN_JUMP = 6;
const MIN_RATIO = 3;

/**
 * A clip without jumps, and their number; the given clip if there are none.
 * @param noise standard deviation of the noise per coordinate, file units
 */
export function limitJumps(clip: Clip, noise: number): { clip: Clip; jumps: number } {
  const weld = weldClip(clip);
  const { pointCount, pointOfVertex, vertexOfPoint } = weld;
  const frameCount = frameCountOf(clip);
  const stride = clip.mesh.positions.length;
  const adjacency = makeAdjacency(pointCount, pointTriangles(clip.mesh.triangles, weld));
  const rest = new Float64Array(3 * pointCount);
  const posed = new Float64Array(3 * pointCount * frameCount);
  for (let i = 0, o = 0; i < pointCount; i++) {
    const v = 3 * vertexOfPoint[i];
    for (let r = 0; r < 3; r++) rest[3 * i + r] = clip.mesh.positions[v + r];
    for (let from = v; from < v + stride * frameCount; from += stride)
      for (let r = 0; r < 3; r++) posed[o++] = clip.positions[from + r];
  }
  const smooth = new Float64Array(posed.length);
  smoothByPatches(rest, posed, adjacency, smooth);
  /** pointCount x frameCount */
  const away = new Float64Array(pointCount * frameCount);
  for (let n = 0; n < away.length; n++) {
    const x = posed[3 * n] - smooth[3 * n];
    const y = posed[3 * n + 1] - smooth[3 * n + 1];
    const z = posed[3 * n + 2] - smooth[3 * n + 2];
    away[n] = Math.sqrt(x * x + y * y + z * z);
  }
  const isJump = new Uint8Array(away.length);
  let jumps = 0;
  for (let i = 0; i < pointCount; i++) {
    let usual = -1;
    for (let n = i * frameCount; n < (i + 1) * frameCount; n++) {
      if (!(away[n] > MIN_JUMP * noise)) continue;
      if (usual < 0) usual = medianOf(away.slice(i * frameCount, (i + 1) * frameCount));
      const [begin, end] = [adjacency.rowStart[i], adjacency.rowStart[i + 1]];
      const k = n - i * frameCount;
      const around = Float64Array.from(adjacency.neighbours.subarray(begin, end), (l) => away[l * frameCount + k]);
      if (!(away[n] > MIN_RATIO * Math.max(usual, medianOf(around)))) continue;
      isJump[n] = 1;
      jumps++;
    }
  }
  if (jumps === 0) return { clip, jumps };
  const positions = clip.positions.slice();
  pointOfVertex.forEach((i, v) => {
    for (let k = 0; k < frameCount; k++) {
      const n = i * frameCount + k;
      if (isJump[n]) for (let r = 0; r < 3; r++) positions[k * stride + 3 * v + r] = smooth[3 * n + r];
    }
  });
  return { clip: { ...clip, positions }, jumps };
}

function medianOf(values: Float64Array): number {
  return values.length === 0 ? 0 : values.sort()[values.length >> 1];
}
