// SPDX-License-Identifier: MIT
// What each part of DDM compression is worth (Le et al. 2021, §7.1 to 7.5): the true error of two layers against Direct Delta Mush at every frame of an animation that
// the fit has not seen, unless the ranges are those of the animation.

import { type Motion, poseOf } from '../../src/core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../src/core/model/deformed/direct-delta-mush.ts';
import { makeDdm, makeTwoLayer } from '../../src/entry/deform.ts';
import { type CompressOptions, compressDdm, precomputeDdm } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import type { BenchContext, BenchRow } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { ResultStore } from '../shared/result-store.ts';

const BONES = 20;
const linear: CompressOptions = { objective: 'linear' };
const none: CompressOptions = { ...linear, update: 'none' };

/** Section, what is changed, options. */
const CASES: readonly [string, string, CompressOptions][] = [
  ['', 'default: nonlinear', {}],
  ['7.1', 'ranges of the animation', { ranges: 'auto' }],
  ['7.1', 'ranges of the animation, all equal', { ranges: 'auto', maps: { ranges: false }, rangeRatio: 1 }],
  ['7.2', 'without hierarchy', { maps: { hierarchy: false } }],
  ['7.3', 'without coordinate change', { maps: { coordinates: false } }],
  ['7.3', 'without hierarchy and coordinate change', { maps: { hierarchy: false, coordinates: false } }],
  ['7.4', 'linear objective, no update', none],
  ['7.4', 'linear, no update, without hierarchy', { ...none, maps: { hierarchy: false } }],
  ['7.4', 'linear, no update, smoothness 0.01', { ...none, smoothness: 0.01 }],
  ['7.5', 'without the multi-weights update', { update: 'none' }],
  ['7.5', 'linear, guarded update', linear],
  ['7.5', 'linear, printed update', { ...linear, update: 'printed' }],
  ['6.5', 'norm 1', { norm: 1 }],
  ['6.5', 'norm 4', { norm: 4 }],
  ['6.5', 'norm max', { norm: 'max' }],
  ['', 'without relocation', { relocate: 0 }],
  ['', 'frames as examples, weight 1', { examples: 1 }],
];
/** §7.4, Fig. 14: as many virtual bones as bones. */
const FIGURE_14: [string, string, CompressOptions] = ['7.4', 'as many virtual bones as bones, weights only', none];

/** The table of ablations, on the generated bar with 20 virtual bones as in §7. */
export async function runAblation(context: BenchContext): Promise<BenchRow[]> {
  const { quick, signal } = context;
  const { clip, skeleton, skin, motion } = makeSample('bar-bend', {
    ...(quick ? { resolution: 300, frames: 8 } : { resolution: 1500, frames: 24 }),
  });
  const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!);
  const shapes = playDdm(ddm, motion!);
  const few = quick ? { iterations: 2, poses: 4 } : {};
  const cases = quick ? [CASES[0], CASES[3], CASES[6]] : [...CASES, FIGURE_14];
  const rows: BenchRow[] = [];
  const store = await ResultStore.open(context);
  for (const [n, [section, label, options]] of cases.entries()) {
    signal.throwIfAborted();
    const name = section === '' ? label : `§${section} ${label}`;
    if (!isRowWanted(context, name)) continue;
    context.onProgress({ phase: name, fraction: n / cases.length });
    const found = await store.take(`ablation, ${name}`, async (limit) => {
      const virtualBones = label === FIGURE_14[1] ? skeleton!.names.length : BONES;
      const { model, size, rmseFit, objective } = await compressDdm(ddm, {
        ...few,
        ...{ virtualBones, motions: [motion!], threads: context.threads, seed: context.seed, signal: limit },
        ...options,
      });
      // a stopped fit is not the one that the row describes
      limit.throwIfAborted();
      const { rms, max } = measureTwoLayer(makeTwoLayer(model), motion!, shapes);
      return [rms, max, rmseFit, objective].map((length) => (100 * length) / size);
    });
    if (!found) continue;
    const cells = ['RMS %', 'maximum %', 'RMSE_fit %', 'objective %'].map((column, c) => ({
      column,
      ours: found.value[c],
    }));
    const { milliseconds } = found;
    rows.push({
      measured: [found.measured],
      case: `ablation, ${name}`,
      timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: Object.fromEntries(cells.map(({ column, ours }) => [column, ours])),
      paper: {
        table: 'DDMC, §7.1 to 7.5',
        caption: `The bar-bend sample (${ddm.mesh.positions.length / 3} vertices), ${BONES} virtual bones; errors in percent of the height, at every frame of the animation. The document shows pictures, no numbers.`,
        row: name,
        cells,
        commands: [],
      },
    });
  }
  return rows;
}

function playDdm(ddm: DirectDeltaMush, motion: Motion): Float64Array[] {
  const truth = makeDdm(ddm);
  return Array.from(motion.times, (_, k) => {
    const out = new Float64Array(ddm.mesh.positions.length);
    truth.deformInto({ bones: poseOf(motion, k) }, out);
    return out;
  });
}

function measureTwoLayer(
  deformer: ReturnType<typeof makeTwoLayer>,
  motion: Motion,
  shapes: readonly Float64Array[],
): { rms: number; max: number } {
  const out = new Float64Array(shapes[0].length);
  let [sum, max] = [0, 0];
  shapes.forEach((shape, k) => {
    deformer.deformInto({ bones: poseOf(motion, k) }, out);
    for (let c = 0; c < out.length; c += 3) {
      const square = (out[c] - shape[c]) ** 2 + (out[c + 1] - shape[c + 1]) ** 2 + (out[c + 2] - shape[c + 2]) ** 2;
      sum += square;
      max = Math.max(max, square);
    }
  });
  return { rms: Math.sqrt((3 * sum) / (out.length * shapes.length)), max: Math.sqrt(max) };
}
