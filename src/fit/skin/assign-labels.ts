// SPDX-License-Identifier: MIT

import type { FitWeights } from '../../core/kernels/weights/convex-weights.ts';

/** Gives every point weight one on the bone of its label, and no other weights. */
export function assignLabels(fitWeights: FitWeights, labels: ArrayLike<number>): void {
  const { influences } = fitWeights;
  const [bones, weights] = [fitWeights.bones.view(), fitWeights.weights.view()];
  weights.fill(0, 0, labels.length * influences);
  for (let i = 0; i < labels.length; i++) {
    bones[i * influences] = labels[i];
    weights[i * influences] = 1;
  }
}
