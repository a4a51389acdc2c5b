// SPDX-License-Identifier: MIT
// Le and Lewis 2019 (slides): precomputation time (Table 2) and the time of the variants. Their models are not available: generated creatures have as many vertices.

import type { Asset } from '../../src/core/model/asset.ts';
import { poseOf } from '../../src/core/model/clip/motion.ts';
import type { DdmVariant } from '../../src/core/model/deformed/direct-delta-mush.ts';
import { makeDdm } from '../../src/entry/deform.ts';
import { encodeSample, mush, readAsset } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { ResultStore } from '../shared/result-store.ts';
import { runResolutions } from './ddm-resolution.ts';

/** Name, vertices, bones, seconds of precomputation, microseconds per vertex of v0 to v5. */
const TABLE: readonly [string, number, number, number, readonly number[]][] = [
  ['Pumpkin Hulk', 20_604, 65, 2.2, [5.5, 4.7, 7.1, 7.3, 5.9, 3.3]],
  ['Brute', 55_886, 67, 9.7, [3.2, 2.3, 2.9, 3.2, 2.6, 1.6]],
];
const VARIANTS: readonly DdmVariant[] = [0, 1, 2, 3, 4, 5];
/** The settings of the slides; the others are the defaults. */
const SETTINGS = { lambda: 20, kappa: 1 };
const QUICK_VERTICES = 800;
const RUNS = 5;

export const ddmSuite: BenchSuite = {
  name: 'ddm',
  description: 'Direct Delta Mush: seconds of precomputation and microseconds per vertex of each variant, one thread',
  async run(context) {
    const rows: BenchRow[] = [];
    const store = await ResultStore.open(context);
    for (const [name, vertices, bones, seconds, micros] of context.quick ? TABLE.slice(0, 1) : TABLE) {
      if (!isRowWanted(context, name)) continue;
      const resolution = context.quick ? QUICK_VERTICES : vertices;
      const found = await store.take(name, () => benchModel(context, name, resolution, bones, seconds, micros));
      if (found) rows.push(...found.value.map((row) => ({ ...row, measured: [found.measured] })));
    }
    return [...rows, ...(await runResolutions(context))];
  },
  makePage: (rows) =>
    makePaperPage(
      'ddm',
      'Direct Delta Mush ([Direct Delta Mush](../../src/methods/mush/README.md)). The models of the slides are not available; the generated creature has as many vertices and fewer bones (31). Times of the slides are of an unnamed computer. The variants are timed in the double-precision reference, which is plain TypeScript; `ossify bench kernels` times the fast run-time.',
      rows,
    ),
};

async function benchModel(
  context: BenchContext,
  name: string,
  resolution: number,
  bones: number,
  seconds: number,
  micros: readonly number[],
): Promise<BenchRow[]> {
  context.signal.throwIfAborted();
  context.onProgress({ phase: name, fraction: 0 });
  const sample = makeSample('creature', { resolution, frames: 4 });
  const [{ bytes }] = await encodeSample(sample, 'creature.glb');
  const asset: Asset = await readAsset([{ name: 'creature.glb', bytes: bytes as Uint8Array<ArrayBuffer> }]);
  const start = performance.now();
  const { full, model } = await mush(asset, { ...SETTINGS, threads: context.threads ?? 1, signal: context.signal });
  const milliseconds = performance.now() - start;
  const vertices = asset.mesh.positions.length / 3;
  const entries = model.multiWeights.boneIndices.length / vertices;
  const label = `${name} (${bones} bones); creature (${sample.skeleton!.names.length} bones, ${vertices} vertices, ${entries.toFixed(1)} entries per vertex)`;
  const commands = [
    `ossify sample creature creature.glb --resolution ${resolution}`,
    'ossify mush creature.glb out.glb --lambda 20 --kappa 1 --threads 1',
  ];
  const timing = { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 };
  const out = new Float64Array(asset.mesh.positions.length);
  const variants = VARIANTS.map((variant) => {
    const deformer = makeDdm({ ...full, multiWeights: model.multiWeights }, variant);
    const times = Array.from({ length: context.quick ? 1 : RUNS }, (_, n) => {
      const from = performance.now();
      deformer.deformInto({ bones: poseOf(sample.motion!, n % 4) }, out);
      return performance.now() - from;
    });
    return { column: `v${variant}`, published: micros[variant], ours: (1000 * Math.min(...times)) / vertices };
  });
  return [
    {
      case: `${name}, precomputation`,
      timings: { solve: timing },
      paper: {
        table: 'DDM slides, Table 2',
        caption: 'Seconds of precomputation on one core, p = 20, λ = 20, κ = 1, α = 0.9.',
        row: label,
        cells: [{ column: 'seconds', published: seconds, ours: milliseconds / 1000 }],
        commands,
      },
    },
    {
      case: `${name}, variants`,
      timings: { solve: timing },
      figures: Object.fromEntries(variants.map(({ column, ours }) => [column, ours])),
      paper: {
        table: 'DDM slides, CPU performance',
        caption: 'Microseconds per vertex and pose on one core.',
        row: label,
        cells: variants,
        commands: [],
      },
    },
  ];
}
