// SPDX-License-Identifier: MIT

import { measureBounds } from '../core/mesh/geometry/bounds.ts';
import type { Asset } from '../core/model/asset.ts';
import type { Pose } from '../core/model/deformed/deformer.ts';
import { makeAssetDeformer, type PoseTimes, sampleAnimation } from '../deformers/playback/index.ts';

/** How vertices move in some poses: v = L u + t, where u is the rest position. */
export interface VertexMaps {
  frameCount: number;
  vertexCount: number;
  /** frameCount x vertexCount x 12: the columns of L, then t */
  values: Float32Array;
}

/** Numbers per vertex and frame. */
export const MAP_SIZE = 12;

/**
 * Measures the maps of all vertices of an asset in some poses. Every model of this project is affine in the rest position of a vertex, if weights,
 * multi-weights, corrections and bones stay: the columns of L are differences of four evaluations.
 */
export function listVertexMaps(asset: Asset, poses: readonly PoseTimes[]): VertexMaps {
  const { positions } = asset.mesh;
  const vertexCount = positions.length / 3;
  const frameCount = poses.reduce((sum, { times }) => sum + times.length, 0);
  // a step of the size of the model keeps the rounding of differences small
  const step = measureBounds(positions).diagonal || 1;
  const deformers = [-1, 0, 1, 2].map((axis) => makeAssetDeformer(shiftRest(asset, axis, step)));
  const values = new Float32Array(MAP_SIZE * frameCount * vertexCount);
  const posed = deformers.map(() => new Float32Array(positions.length));
  let frame = 0;
  for (const pose of listPoses(asset, poses)) {
    for (const [n, deformer] of deformers.entries()) deformer.deformInto(pose, posed[n]);
    for (let i = 0, o = MAP_SIZE * vertexCount * frame; i < vertexCount; i++, o += MAP_SIZE) {
      for (let r = 0; r < 3; r++) {
        let t = posed[0][3 * i + r];
        for (let c = 0; c < 3; c++) {
          const column = (posed[c + 1][3 * i + r] - posed[0][3 * i + r]) / step;
          values[o + 3 * c + r] = column;
          t -= column * positions[3 * i + c];
        }
        values[o + 9 + r] = t;
      }
    }
    frame++;
  }
  return { frameCount, vertexCount, values };
}

/** The poses of an asset at some times, one after the other. */
export function* listPoses(asset: Asset, poses: readonly PoseTimes[]): Generator<Pose> {
  for (const { animation, times } of poses) {
    const { motion, morphWeights, corrections } = sampleAnimation(asset, animation, times);
    const rowOf = <T extends Float32Array | Float64Array>(values: T, k: number): T => {
      const size = values.length / times.length;
      return values.subarray(k * size, (k + 1) * size) as T;
    };
    for (let k = 0; k < times.length; k++)
      yield { bones: rowOf(motion.matrices, k), morphs: rowOf(morphWeights, k), corrections: rowOf(corrections, k) };
  }
}

/** An asset whose rest shape is a step further along an axis; -1 for none. */
function shiftRest(asset: Asset, axis: number, step: number): Asset {
  const positions = asset.mesh.positions.map((x, c) => (c % 3 === axis ? x + step : x));
  const mesh = { ...asset.mesh, positions };
  const { ddm, twoLayer, linearTwoLayer } = asset;
  return {
    ...asset,
    mesh,
    ...(ddm ? { ddm: { ...ddm, mesh } } : {}),
    ...(twoLayer ? { twoLayer: { ...twoLayer, mesh } } : {}),
    ...(linearTwoLayer ? { linearTwoLayer: { ...linearTwoLayer, mesh } } : {}),
  };
}
