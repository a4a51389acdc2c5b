// SPDX-License-Identifier: MIT
// The steps of compress, and its two paths: rigs, and files that have Direct Delta Mush already.

import { UsageError } from '../../core/model/errors.ts';
import { checkMaxError } from '../../core/options/length.ts';
import { group, type OptionsOf, option, withoutForms } from '../../core/options/option.ts';
import { defineStep, type Path, schemaOf } from '../../core/options/step.ts';
import { TWO_LAYER_EXTENSION } from '../../deformers/two-layer/index.ts';
import { COUNT_OPTIONS, compressMethod } from '../../methods/compress/index.ts';
import { COMMON_OPTIONS, formatCount, type JobContext, type OpenedInput, READ_OPTIONS } from '../engine/index.ts';
import { checkDdmOptions, DDM_OPTIONS, DDM_STORE_OPTIONS, MUSH_DEFAULTS, smoothingSteps } from '../mush/index.ts';
import { checkSmallOptions, POSES_OPTION, refuseCompact, SMALL_OPTIONS, TAKE_STEP } from '../shared/index.ts';

const count = defineStep({ name: 'number of virtual bones', options: COUNT_OPTIONS });
/** Files that have none. The studio does not offer these options, since it has mush. */
const mush = defineStep({
  name: 'Direct Delta Mush',
  options: group('Direct Delta Mush options, where the file has none:', {
    smoothing: option(smoothingSteps, 'smoothing steps', { default: MUSH_DEFAULTS.iterations }),
    ...withoutForms(DDM_OPTIONS),
  }),
  check: (options) => checkDdmOptions(options, '--smoothing'),
});
/** Where poses are measured. Ranges are those of the method. */
const poses = defineStep({ name: 'poses', options: POSES_OPTION });
const size = defineStep({ name: 'size', options: SMALL_OPTIONS });
const store = defineStep({ name: 'storage', options: DDM_STORE_OPTIONS });
const read = defineStep({ name: 'reading', options: READ_OPTIONS });
const common = defineStep({ name: 'common', options: COMMON_OPTIONS });

/** Options of compress. */
export const COMPRESS_JOB_OPTIONS = schemaOf([
  count,
  compressMethod,
  poses,
  mush,
  size,
  store,
  TAKE_STEP,
  read,
  common,
]);
export type CompressJobValues = OptionsOf<typeof COMPRESS_JOB_OPTIONS>;
export type CompressContext = JobContext<CompressJobValues>;

/** The path of an input. */
export function choosePath({ input, asset }: OpenedInput): Path {
  if (!asset.ddm)
    return { of: 'a rig', steps: [count, compressMethod, poses, mush, size, store, TAKE_STEP, read, common] };
  const fault = `${input} has Direct Delta Mush already; leave the option out, or start from the rig that it was made of`;
  return {
    of: 'a file with Direct Delta Mush',
    steps: [count, compressMethod, poses, size, store, TAKE_STEP, read, common],
    faults: Object.fromEntries(Object.keys(mush.options).map((key) => [key, fault])),
  };
}

/** Throws a UsageError for options that contradict one another. */
export function checkCompressJob(options: CompressJobValues, { output }: { output?: string }): void {
  checkSmallOptions(options, output);
  refuseCompact(options, TWO_LAYER_EXTENSION);
  const { virtualBones, influences, maxError } = options;
  if (virtualBones && (virtualBones.length === 0 || new Set(virtualBones).size < virtualBones.length))
    throw new UsageError('--virtual-bones', 'give each number once');
  checkMaxError(maxError, 'compression');
  mush.check?.(options);
  compressMethod.check?.(options);
  const min = virtualBones && Math.min(...virtualBones);
  if (min !== undefined && influences !== undefined && influences > min)
    throw new UsageError('--influences', `${influences} per vertex are more than ${formatCount(min, 'virtual bone')}`);
}
