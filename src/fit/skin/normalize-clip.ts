// SPDX-License-Identifier: MIT
// A clip in solver units: welded points, the rest pose's smallest enclosing ball scaled to radius one, rest and every frame relative to their centroids.
// This is exact: weights sum to one, so the translation of a frame passes through every blend, and is added at the end. It removes the large common part
// from sums whose differences matter.
import type { Compute } from '../../core/kernels/compute.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../core/kernels/matrices/trajectories.ts';
import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import { checkRange } from '../../core/model/clip/check-range.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { orderPoints } from '../clusters/index.ts';

/** How solver units relate to file units. */
export interface ClipSpace {
  /** Length of one solver unit in file units. */
  size: number;
  /** Centroid of the rest points, file units. */
  restCenter: [number, number, number];
  /** frameCount x 3: centroid of each frame, file units. */
  frameCenters: Float64Array;
}

export interface NormalizedClip extends ClipSpace {
  weld: Weld;
  trajectories: Trajectories;
}

/** Uploads a clip in solver units (several clips of one mesh may be joined beforehand). */
export function normalizeClip(compute: Compute, clip: Clip): NormalizedClip {
  checkRange(clip);
  const weld = orderWeld(clip, weldClip(clip));
  const { pointCount, vertexOfPoint } = weld;
  const frameCount = frameCountOf(clip);
  const stride = clip.mesh.positions.length;
  const size = smallestEnclosingBall(clip.mesh.positions).radius || 1;
  const restCenter = measureCenter(clip.mesh.positions, vertexOfPoint, 0);
  const frameCenters = new Float64Array(3 * frameCount);
  for (let k = 0; k < frameCount; k++)
    frameCenters.set(measureCenter(clip.positions, vertexOfPoint, k * stride), 3 * k);

  const trajectories = reserveTrajectories(compute, pointCount, frameCount);
  const rest = trajectories.rest.view();
  const posed = trajectories.posed.view();
  const rows = 3 * frameCount;
  for (let i = 0; i < pointCount; i++) {
    const v = 3 * vertexOfPoint[i];
    for (let r = 0; r < 3; r++) rest[3 * i + r] = (clip.mesh.positions[v + r] - restCenter[r]) / size;
    for (let k = 0; k < frameCount; k++) {
      for (let r = 0; r < 3; r++)
        posed[i * rows + 3 * k + r] = (clip.positions[k * stride + v + r] - frameCenters[3 * k + r]) / size;
    }
  }
  squareTrajectories(trajectories);
  return { weld, trajectories, size, restCenter, frameCenters };
}

/** The same weld with its points in the order of the shape. */
function orderWeld(clip: Clip, weld: Weld): Weld {
  const points = new Float64Array(3 * weld.pointCount);
  for (let i = 0; i < points.length; i++)
    points[i] = clip.mesh.positions[3 * weld.vertexOfPoint[Math.floor(i / 3)] + (i % 3)];
  const order = orderPoints(points);
  const place = new Uint32Array(weld.pointCount);
  for (let n = 0; n < order.length; n++) place[order[n]] = n;
  return {
    pointCount: weld.pointCount,
    pointOfVertex: weld.pointOfVertex.map((i) => place[i]),
    vertexOfPoint: order.map((i) => weld.vertexOfPoint[i]),
  };
}

function measureCenter(positions: Float32Array, vertexOfPoint: Uint32Array, offset: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (const v of vertexOfPoint) for (let r = 0; r < 3; r++) sum[r] += positions[offset + 3 * v + r];
  return [sum[0] / vertexOfPoint.length, sum[1] / vertexOfPoint.length, sum[2] / vertexOfPoint.length];
}

/**
 * Bones in file space: frameCount x boneCount x 16, column-major, from the solver's rows x 4 boneCount.
 * (v − c)/s = A (u − c₀)/s + t  ⇒  v = A u + (s t + c − A c₀).
 */
export function denormalizeBones(normalized: ClipSpace, bones: Float64Array, boneCount: number): Float64Array {
  const { size, restCenter, frameCenters } = normalized;
  const frameCount = frameCenters.length / 3;
  const matrices = new Float64Array(frameCount * boneCount * 16);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < boneCount; j++) {
      const o = (k * boneCount + j) * 16;
      for (let r = 0; r < 3; r++) {
        const b = (3 * k + r) * 4 * boneCount + 4 * j;
        let t = size * bones[b + 3] + frameCenters[3 * k + r];
        for (let c = 0; c < 3; c++) {
          matrices[o + 4 * c + r] = bones[b + c];
          t -= bones[b + c] * restCenter[c];
        }
        matrices[o + 12 + r] = t;
      }
      matrices[o + 15] = 1;
    }
  }
  return matrices;
}

/** The inverse: file-space bones, frameCount x boneCount x 16, as the solver's rows x 4 boneCount: t = (A c₀ + T − c)/s. */
export function normalizeBones(normalized: ClipSpace, matrices: Float64Array, boneCount: number): Float64Array {
  const { size, restCenter, frameCenters } = normalized;
  const frameCount = frameCenters.length / 3;
  const bones = new Float64Array(12 * frameCount * boneCount);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < boneCount; j++) {
      const o = (k * boneCount + j) * 16;
      for (let r = 0; r < 3; r++) {
        const b = (3 * k + r) * 4 * boneCount + 4 * j;
        let t = matrices[o + 12 + r] - frameCenters[3 * k + r];
        for (let c = 0; c < 3; c++) {
          bones[b + c] = matrices[o + 4 * c + r];
          t += matrices[o + 4 * c + r] * restCenter[c];
        }
        bones[b + 3] = t / size;
      }
    }
  }
  return bones;
}

/** A copy of a subset of trajectories. */
export function selectTrajectories(compute: Compute, all: Trajectories, vertices: Uint32Array): Trajectories {
  const part = reserveTrajectories(compute, vertices.length, all.frameCount);
  const rows = 3 * all.frameCount;
  const [rest, posed, squares] = [part.rest.view(), part.posed.view(), part.squares.view()];
  const [allRest, allPosed, allSquares] = [all.rest.view(), all.posed.view(), all.squares.view()];
  for (let n = 0; n < vertices.length; n++) {
    const i = vertices[n];
    rest.set(allRest.subarray(3 * i, 3 * i + 3), 3 * n);
    posed.set(allPosed.subarray(i * rows, (i + 1) * rows), n * rows);
    squares[n] = allSquares[i];
  }
  const { parts } = all;
  if (parts) part.parts = Uint32Array.from(vertices, (i) => parts[i]);
  return part;
}
