// SPDX-License-Identifier: MIT
// A clip relative to a skinned model: per point and frame the 3x3 part F of the blended matrix, and the residual r = p − B ũ.
// No array of points x frames is stored; reading a point costs its number of influences times the number of frames.

import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { boneCountOf } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

export interface CorrectionProblem {
  pointCount: number;
  /** Frames of all clips. */
  frameCount: number;
  /** Groups of vertices with the same motion, rest position and weights. */
  weld: Weld;
  /** frameCount x 9, column-major: F of the most recently read point */
  blends: Float64Array;
  /** frameCount x 3: r of the most recently read point, file units */
  residuals: Float64Array;
  read(point: number): void;
}

/** @param withNormals vertices with different rest normals are different points */
export function makeCorrectionProblem(
  clips: readonly Clip[],
  model: SkinnedModel,
  withNormals = false,
): CorrectionProblem {
  checkInput(clips, model);
  const { mesh, skin, motions } = model;
  const boneCount = boneCountOf(model.skeleton);
  const frameCount = clips.reduce((sum, clip) => sum + frameCountOf(clip), 0);
  const weld = weldModel(clips, model, withNormals);
  const blends = new Float64Array(9 * frameCount);
  const residuals = new Float64Array(3 * frameCount);
  const shift = new Float64Array(3);
  return {
    pointCount: weld.pointCount,
    frameCount,
    weld,
    blends,
    residuals,
    read(point) {
      const v = weld.vertexOfPoint[point];
      const x = mesh.positions[3 * v],
        y = mesh.positions[3 * v + 1],
        z = mesh.positions[3 * v + 2];
      const [first, end] = [skin.rowStart[v], skin.rowStart[v + 1]];
      const stride = mesh.positions.length;
      let row = 0;
      for (let n = 0; n < clips.length; n++) {
        const { positions } = clips[n];
        const { matrices } = motions[n];
        const frames = clips[n].times.length;
        for (let k = 0; k < frames; k++, row++) {
          const b = 9 * row;
          blendInto({ matrices, at: 16 * k * boneCount }, skin, [first, end], blends, b, shift);
          const p = k * stride + 3 * v;
          residuals[3 * row] = positions[p] - (blends[b] * x + blends[b + 3] * y + blends[b + 6] * z + shift[0]);
          residuals[3 * row + 1] =
            positions[p + 1] - (blends[b + 1] * x + blends[b + 4] * y + blends[b + 7] * z + shift[1]);
          residuals[3 * row + 2] =
            positions[p + 2] - (blends[b + 2] * x + blends[b + 5] * y + blends[b + 8] * z + shift[2]);
        }
      }
    },
  };
}

/** The blended matrix of one frame: F, column-major, and the translation. */
function blendInto(
  { matrices, at }: { matrices: Float64Array; at: number },
  skin: Skin,
  [first, end]: readonly [number, number],
  out: Float64Array,
  b: number,
  shift: Float64Array,
): void {
  for (let c = 0; c < 9; c++) out[b + c] = 0;
  let tx = 0,
    ty = 0,
    tz = 0;
  for (let e = first; e < end; e++) {
    const w = skin.weights[e];
    const o = at + 16 * skin.boneIndices[e];
    out[b] += w * matrices[o];
    out[b + 1] += w * matrices[o + 1];
    out[b + 2] += w * matrices[o + 2];
    out[b + 3] += w * matrices[o + 4];
    out[b + 4] += w * matrices[o + 5];
    out[b + 5] += w * matrices[o + 6];
    out[b + 6] += w * matrices[o + 8];
    out[b + 7] += w * matrices[o + 9];
    out[b + 8] += w * matrices[o + 10];
    tx += w * matrices[o + 12];
    ty += w * matrices[o + 13];
    tz += w * matrices[o + 14];
  }
  shift[0] = tx;
  shift[1] = ty;
  shift[2] = tz;
}

function checkInput(clips: readonly Clip[], { mesh, skin, motions, skeleton }: SkinnedModel): void {
  if (clips.length === 0) throw new InputError('correctModel', 'no clip given');
  if (clips.length !== motions.length)
    throw new InputError('correctModel', `the model has ${motions.length} motions for ${clips.length} clips`);
  if (skin.rowStart.length - 1 !== mesh.positions.length / 3)
    throw new InputError(
      'correctModel',
      `the skin has ${skin.rowStart.length - 1} rows for ${mesh.positions.length / 3} vertices`,
    );
  clips.forEach((clip, n) => {
    if (clip.mesh.positions.length !== mesh.positions.length)
      throw new InputError(
        'correctModel',
        `clip "${clip.name}" has ${clip.mesh.positions.length / 3} vertices, the model has ${mesh.positions.length / 3}`,
      );
    const frameCount = frameCountOf(clip);
    if (motions[n].matrices.length !== frameCount * boneCountOf(skeleton) * 16)
      throw new InputError(
        'correctModel',
        `the motion "${motions[n].name}" is not of the ${frameCount} frames of its clip`,
      );
    if (!motions[n].matrices.every(Number.isFinite) || !clip.positions.every(Number.isFinite))
      throw new InputError('correctModel', `clip "${clip.name}" or its motion contains a number that is not finite`);
  });
}

/** Groups vertices that coincide in all clips and have the same weights; points are in the order of their first vertex. */
function weldModel(clips: readonly Clip[], model: SkinnedModel, withNormals: boolean): Weld {
  const { mesh, skin } = model;
  const vertexCount = mesh.positions.length / 3;
  const welds = clips.map((clip) => weldClip(clip));
  const pointOfVertex = new Uint32Array(vertexCount);
  const vertexOfPoint: number[] = [];
  const known = new Map<string, number>();
  for (let v = 0; v < vertexCount; v++) {
    const of = (values: Float32Array) => `${values[3 * v]} ${values[3 * v + 1]} ${values[3 * v + 2]}`;
    const row = [skin.rowStart[v], skin.rowStart[v + 1]] as const;
    const key = [
      ...welds.map((weld) => weld.pointOfVertex[v]),
      of(mesh.positions),
      withNormals && mesh.normals ? of(mesh.normals) : '',
      skin.boneIndices.subarray(...row).join(),
      skin.weights.subarray(...row).join(),
    ].join(';');
    let point = known.get(key);
    if (point === undefined) {
      point = vertexOfPoint.push(v) - 1;
      known.set(key, point);
    }
    pointOfVertex[v] = point;
  }
  return { pointCount: vertexOfPoint.length, pointOfVertex, vertexOfPoint: Uint32Array.from(vertexOfPoint) };
}
