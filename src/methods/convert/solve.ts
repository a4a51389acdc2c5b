// SPDX-License-Identifier: MIT
import { allRead, type Solve } from '../../core/options/method.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { convertClip } from './convert-clip.ts';
import { convertRig } from './convert-rig.ts';
import type { ConvertRigResult, HelperInput, HelperSettings } from './helper-input.ts';
import { measureClipGoal, measureGoal } from './measure/measure-goal.ts';
import type { HELPER_OPTIONS, HelperOptions } from './options.ts';

/** Converts a rig, or a clip with its skeleton. */
export const solve: Solve<typeof HELPER_OPTIONS, HelperInput, ConvertRigResult> = async (
  { compute, signal, onProgress },
  input,
  { time, ...options },
) => {
  const run = { compute, monitor: new SolveMonitor({ signal, onProgress, time }) };
  const settings = takeApart(options);
  const { maxError } = options.helpers === undefined ? input : {};
  if (input.kind === 'clip') {
    const { clip, motion } = input;
    const measure = (model: ConvertRigResult['model']) => measureClipGoal(model, clip, motion);
    return convertClip(run, input, settings, maxError === undefined ? undefined : { maxError, measure });
  }
  const { source, motions, ranges } = input;
  const measure = (model: ConvertRigResult['model']) => measureGoal(compute, model, source, motions, ranges);
  return convertRig(run, input, settings, maxError === undefined ? undefined : { maxError, measure });
};

/** The options of the training poses, and those of the fit. */
export function takeApart(options: Omit<HelperOptions, 'time'>): HelperSettings {
  const { samples, sampling, epsilon, epsilonOf, seed, ...others } = options;
  const { helpers, around, influences, transforms, normals, normalWeights, target, iterations, ...more } = others;
  const { order, beta, joints, delay, ...rest } = more;
  allRead(rest);
  return {
    poses: { samples, sampling, epsilon, epsilonOf, seed },
    fit: {
      ...{ helpers, around, influences, transforms, normals, normalWeights, target, iterations },
      ...{ order, beta, joints, delay, seed },
    },
  };
}
