// SPDX-License-Identifier: MIT
// The description of decompose; run-decompose.ts and what it needs are loaded when the job runs.

import type { Values } from '../../core/options/option.ts';
import {
  defineJob,
  formatCount,
  formatNumber,
  MOVING_INPUT,
  needsMotion,
  type Report,
  refuseUnread,
} from '../engine/index.ts';
import { animationRows, describeInfluences, describeModel, describePlayers } from '../report/index.ts';
import { CHARACTER_OUTPUT } from '../shared/index.ts';
import { checkDecomposeOptions, DECOMPOSE_OPTIONS } from './decompose-options.ts';
import { planDecompose } from './plan-solve.ts';

export const decomposeJob = defineJob({
  name: 'decompose',
  title: 'Decompose',
  summary: 'turn an animated mesh into a skin: bones, weights and motion',
  description:
    'Turns anything that moves (a clip, a sequence, a morphing or skinned glTF) into a skinned GLB with few bones, and measures what was written. ' +
    'Several clips of one mesh become one skin with several animations.',
  inputs: [MOVING_INPUT],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'decompose rest.obj+motion.pc2 out.glb --bones 20', does: 'twenty rigid bones, four weights per vertex' },
    {
      line: 'decompose morphs.glb out.glb --max-error 1mm',
      does: 'the fewest bones that keep every vertex within 1 mm',
    },
    {
      line: 'decompose cloth.glb out.glb --bones 40 --transforms affine --max-error 0.5%',
      does: 'bones with scale and shear; status 3 if a vertex is off by more',
    },
    { line: 'decompose rest.obj+a.pc2,b.pc2 out.glb --keys --quantize', does: 'two animations, in a smaller file' },
    { line: 'decompose heavy.glb out.glb --skeleton rig.glb', does: 'keep the bones of rig.glb and solve the weights' },
  ],
  options: DECOMPOSE_OPTIONS,
  isStoppable: true,
  refuses: needsMotion,
  titleOf(values: Values) {
    const name = String(values.method ?? DECOMPOSE_OPTIONS.method.default).toUpperCase();
    if (values.maxError !== undefined) return `${name}, by error`;
    return Number(values.bones) > 0 ? `${name}, ${formatCount(Number(values.bones), 'bone')}` : name;
  },
  check(options, job) {
    checkDecomposeOptions(options, job.options ?? {}, job.output);
    if ((options.skeleton ?? options.weights) !== undefined && options.noise !== '0')
      refuseUnread(job, ['noise'], 'has no effect on given bones or weights, which keep their rest pose; remove it');
  },
  plan: planDecompose,
  async run(context) {
    const { runDecompose } = await import('./run-decompose.ts');
    return runDecompose(context);
  },
  describe: describeDecomposed,
});

function describeDecomposed(report: Report) {
  const { result, metrics } = report;
  const keys = Number(result.keys) > 0 ? `, keys within ${formatNumber(Number(result.keys))}` : '';
  const shapes = result.corrections as { rank: number; as: string; eRms: number[] } | undefined;
  const corrections = shapes
    ? `, ${formatCount(shapes.rank, 'corrective shape')} as ${shapes.as === 'morphs' ? 'morph targets' : 'an extension'}`
    : '';
  const gain = Number(result.restGain ?? 0);
  const note = shapes
    ? `E_RMS ${formatNumber(shapes.eRms[0])} before corrective shapes`
    : gain > 0 && (metrics.eRms ?? 0) <= Number(result.eRmsBeforeRest)
      ? `E_RMS ${formatNumber(Number(result.eRmsBeforeRest))} before the rest pose was corrected`
      : '';
  const eta = `eta ${formatNumber(result.eta ?? 0, 3)}: ratio of triangles that follow a bone; below 0.5 is poor`;
  return describeModel(report, {
    before: '',
    after: `${formatCount(result.bones ?? 0, `${result.transforms} bone`)}, ${describeInfluences(result)}${corrections}${keys}`,
    errors: animationRows(report, note),
    more: [...(result.eta === undefined ? [] : [eta]), ...describePlayers(report)],
  });
}
