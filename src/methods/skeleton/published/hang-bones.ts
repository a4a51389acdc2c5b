// SPDX-License-Identifier: MIT
// How the methods that solve once apply their skeleton (Schaefer and Yuksel 2007, de Aguiar et al. 2008, Hasler et al. 2010): every bone keeps the rotation of its
// own fit, and its translation follows from the joint with its parent, T_j = T_parent + (R_parent − R_j) o_j. Errors add up along a limb.
import type { SkinFit } from '../../../fit/skin/index.ts';
import type { JointTree } from '../joints/joint-tree.ts';

/** Connects the bones of a fit at the joints of a tree, in place; weights are kept. Measures the error of the result. */
export function hangBones(fit: SkinFit, { order, parents, joints }: JointTree): void {
  const { boneCount, trajectories } = fit;
  const bones = fit.bones.view();
  for (let row = 0; row < 3 * trajectories.frameCount; row++) {
    for (const j of order) {
      if (parents[j] < 0) continue;
      const own = 4 * (row * boneCount + j);
      const above = 4 * (row * boneCount + parents[j]);
      bones[own + 3] = bones[above + 3];
      for (let c = 0; c < 3; c++) bones[own + 3] += (bones[above + c] - bones[own + c]) * joints[3 * j + c];
    }
  }
  measureInto(fit);
}

/** Sets the errors of all vertices, and their sum, for the present bones and weights. */
function measureInto(fit: SkinFit): void {
  const { boneCount, trajectories, weights } = fit;
  const [ids, values, errors] = [weights.bones.view(), weights.weights.view(), weights.errors.view()];
  const [bones, rest, posed] = [fit.bones.view(), trajectories.rest.view(), trajectories.posed.view()];
  const width = ids.length / trajectories.vertexCount;
  const rows = 3 * trajectories.frameCount;
  fit.error = 0;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    errors[i] = 0;
    for (let row = 0; row < rows; row++) {
      let moved = 0;
      for (let e = i * width; e < (i + 1) * width; e++) {
        if (!(values[e] > 0)) continue;
        const o = 4 * (row * boneCount + ids[e]);
        const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
        moved += values[e] * (bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3]);
      }
      errors[i] += (moved - posed[i * rows + row]) ** 2;
    }
    fit.error += errors[i];
  }
}
