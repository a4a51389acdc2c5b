// SPDX-License-Identifier: MIT
// A solved fit as a model in file units: the input's vertices, and bones placed at the center of their points.
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeFitSkin, type SolvedWeights, type Viewed } from './make-fit-skin.ts';
import { denormalizeBones, type NormalizedClip } from './normalize-clip.ts';

/** What a model is made of: a SkinFit, or the same numbers from elsewhere. */
export interface SolvedFit {
  boneCount: number;
  trajectories: { rest: Viewed<Float64Array> };
  weights: SolvedWeights;
  bones: Viewed<Float64Array>;
  axes: Viewed<Float64Array>;
}

/** Makes the model; with newRest the rest positions are those of the fit, otherwise the clip's. */
export function makeSkinnedModel(
  clip: Pick<Clip, 'name' | 'mesh' | 'times'>,
  normalized: Omit<NormalizedClip, 'trajectories'>,
  fit: SolvedFit,
  newRest: boolean,
): SkinnedModel {
  const { weld, size, restCenter } = normalized;
  const rest = fit.trajectories.rest.view();
  const vertexCount = weld.pointOfVertex.length;
  const positions = clip.mesh.positions.slice();
  if (newRest) {
    for (let v = 0; v < vertexCount; v++) {
      const i = weld.pointOfVertex[v];
      for (let r = 0; r < 3; r++) positions[3 * v + r] = rest[3 * i + r] * size + restCenter[r];
    }
  }
  const skin = makeFitSkin(weld, fit.weights);
  const matrices = denormalizeBones(normalized, fit.bones.view(), fit.boneCount);
  return {
    kind: 'skin',
    mesh: { ...clip.mesh, positions },
    skeleton: placeBones(positions, skin, fit.boneCount, fit.axes.view()),
    skin,
    motions: [{ name: clip.name, times: clip.times, matrices }],
  };
}

/** Bones without hierarchy, each at the center of its points, with its axes. */
function placeBones(positions: Float32Array, skin: Skin, boneCount: number, axes: Float64Array): Skeleton {
  const sums = new Float64Array(4 * boneCount);
  for (let v = 0; v + 1 < skin.rowStart.length; v++) {
    for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) {
      const w = skin.weights[e] ** 2;
      const o = 4 * skin.boneIndices[e];
      for (let r = 0; r < 3; r++) sums[o + r] += w * positions[3 * v + r];
      sums[o + 3] += w;
    }
  }
  const digits = String(Math.max(0, boneCount - 1)).length;
  const bindMatrices = new Float64Array(16 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) bindMatrices[16 * j + 4 * c + r] = axes[9 * j + 3 * c + r];
    const w = sums[4 * j + 3];
    for (let r = 0; r < 3; r++) bindMatrices[16 * j + 12 + r] = w > 0 ? sums[4 * j + r] / w : 0;
    bindMatrices[16 * j + 15] = 1;
  }
  return {
    names: Array.from({ length: boneCount }, (_, j) => `bone_${String(j).padStart(digits, '0')}`),
    parents: new Int32Array(boneCount).fill(-1),
    bindMatrices,
  };
}
