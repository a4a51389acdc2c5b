// SPDX-License-Identifier: MIT
import type { Watch } from '../fit/watch.ts';
import type { AlternateResult } from './compress-nonlinear.ts';
import type { CompressPoints } from './compress-points.ts';
import type { Responses } from './compress-responses.ts';
import type { StartResult } from './compress-start.ts';
import { makePointWeights, updateWeights } from './compress-weights.ts';
import type { Joints } from './continuous-joints.ts';
import type { BoneMaker } from './virtual-bones.ts';

export interface LinearOptions {
  influences: number;
  iterations: number;
  candidates: number;
  update: 'guarded' | 'printed' | 'none';
}

export async function alternateLinear(
  points: CompressPoints,
  _joints: Joints,
  start: StartResult,
  linear: Responses,
  _maker: BoneMaker,
  options: LinearOptions,
  _watch: Watch,
): Promise<AlternateResult> {
  const fit = makePointWeights(points.pointCount, options.influences);
  const total = await updateWeights(linear, start.responses, start.nearest, fit, options);
  return { bones: start.bones, fit, history: [total], iterations: 1, status: 'max-iterations' };
}
