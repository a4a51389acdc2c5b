// SPDX-License-Identifier: MIT
// The sma suite: what James and Twigg plot (SIGGRAPH 2005, Figures 5, 7, 12 and 13, Table 1), on captured motion where it is present, else on a generated
// animal. Every clustering is done once; src/methods/decompose/sma/README.md has the plots.

import { makeCompute } from '../../src/core/compute/make-compute.ts';
import type { Compute } from '../../src/core/kernels/compute.ts';
import type { Clip } from '../../src/core/model/clip/clip.ts';
import { SolveMonitor } from '../../src/core/progress/solve-monitor.ts';
import { listClips } from '../../src/deformers/playback/index.ts';
import { bakeAt } from '../../src/entry/deform.ts';
import { makePlot } from '../../src/entry/draw.ts';
import {
  correctModel,
  measureError,
  type OpenedInput,
  readAsset,
  type SmaOptions,
  writeGlb,
} from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { assetOfSample } from '../../src/jobs/sample/index.ts';
import { quantileOfSorted } from '../../src/measure/index.ts';
import {
  clusterTriangles,
  type SmaClusters,
  type SmaResult,
  settleSmaOptions,
  skinClusters,
  type TriangleRotations,
  triangleRotations,
} from '../../src/methods/decompose/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { runPaperTables } from '../shared/paper-table.ts';
import { makeSmaTable } from './sma-table.ts';

const DEFAULT_EPSILON = 0.05;
/** Fig. 5 and 12: the number of bones against epsilon. */
const EPSILONS = [0.03, DEFAULT_EPSILON, 0.08, 0.125, 0.2, 0.35];
/** Fig. 12 corrects by five, Table 1 and Fig. 13 by up to ten. */
const FEW_RANK = 5;
const RANK = 10;
/** Fig. 7: places along the sorted weights. */
const QUANTILES = [0, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1];
/** The same for the plot: even, and closer together towards both ends, where the few large weights are. */
const ENDS = [0, 0.0003, 0.001, 0.002, 0.003, 0.005, 0.0075];
const PLACES = [
  ...ENDS,
  ...Array.from({ length: 99 }, (_, n) => (n + 1) / 100),
  ...ENDS.map((part) => 1 - part).reverse(),
];
const CURVE_COLORS: Readonly<Record<string, string>> = { rigid: '#1f77b4', affine: '#d62728' };
/** Floats of a bone in a frame (Table 1), floats per vertex of the rest pose with four weights, and of a streamed vertex with its normal. */
const BONE_FLOATS = { rigid: 7, affine: 12 };
const VERTEX_FLOATS = 3 + 4;
const STREAMED_FLOATS = 6;
const MATRIX_FLOATS = 12;

export const smaSuite: BenchSuite = {
  name: 'sma',
  description:
    'sma as its paper measures it: bones and eta by epsilon, sorted weights, distortion by bones and by rank of corrections, beside one bone (PCA); sizes',
  async run(context) {
    const published = await runPaperTables(context, [makeSmaTable(findDataFolder(process.env), context.quick)]);
    if (context.published) return published;
    const { name, input, clip } = await openCase(context);
    const compute = await makeCompute({ threads: context.threads });
    try {
      const bench = new SmaBench(compute, input, clip, context);
      const rows = await bench.byEpsilon(name, context.quick ? [DEFAULT_EPSILON] : EPSILONS);
      return [...rows, ...(await bench.byWeights(name)), ...(await bench.oneBone(name)), ...published];
    } finally {
      compute.dispose();
    }
  },
  makePage(rows) {
    const page = makePaperPage(
      'sma',
      'Skinning mesh animations ([SMA](../../src/methods/decompose/sma/README.md)).',
      rows,
    );
    const curves = rows.flatMap(({ curve }) => (curve ? [curve] : []));
    return curves.length === 0 ? page : [...page, { name: 'images/sma-weights.svg', text: plotWeights(curves) }];
  },
};

/** Fig. 7: sorted weights, those of TSVD dashed. */
function plotWeights(curves: readonly NonNullable<BenchRow['curve']>[]): string {
  const series = curves.map(({ label, y }) => ({
    ...{ label, values: y, color: CURVE_COLORS[label.split(',')[0]] },
    ...(label.endsWith('tsvd') ? { dashes: '4 3' } : {}),
  }));
  const yMin = Math.floor(Math.min(...curves.flatMap(({ y }) => y)));
  const { x } = curves[0];
  return `${makePlot({ x, xLabel: 'weights, sorted, %', yLabel: 'weight', series, yMin, height: 300 }).svg}\n`;
}

async function openCase(context: BenchContext): Promise<{ name: string; input: OpenedInput; clip: Clip }> {
  const folder = findDataFolder(process.env);
  if (folder === undefined || context.quick) {
    if (folder === undefined) context.note('no captured motion: set OSSIFY_DATA to the folder that holds datasets/');
    const asset = assetOfSample(makeSample('quadruped', { resolution: 1500, frames: 12 }));
    return { name: 'quadruped', input: { input: 'quadruped', asset, paths: [] }, clip: asset.clips[0] };
  }
  const input = await openFiles(capturedInput(folder, 'horse-gallop'), {});
  return { name: 'horse-gallop', input, clip: listClips(input)[0] };
}

/** What one solve is worth, as the file plays it. */
interface Measured {
  result: SmaResult;
  distortion: number;
  normalDegrees: number;
  milliseconds: number;
}

class SmaBench {
  readonly #compute: Compute;
  readonly #input: OpenedInput;
  readonly #clip: Clip;
  readonly #context: BenchContext;
  readonly #rotations: TriangleRotations;
  readonly #clusters = new Map<number, { clusters: SmaClusters; milliseconds: number }>();

  constructor(compute: Compute, input: OpenedInput, clip: Clip, context: BenchContext) {
    this.#compute = compute;
    this.#input = input;
    this.#clip = clip;
    this.#context = context;
    this.#rotations = triangleRotations(clip);
  }

  /** Fig. 5 and 12: bones, eta, distortion without and with five corrections, and normals, by epsilon. */
  async byEpsilon(name: string, epsilons: readonly number[]): Promise<BenchRow[]> {
    const rows: BenchRow[] = [];
    for (const [n, epsilon] of epsilons.entries()) {
      this.#context.signal.throwIfAborted();
      this.#context.onProgress({ phase: `epsilon ${epsilon}`, fraction: n / epsilons.length });
      const { clusters, milliseconds } = await this.#cluster(epsilon);
      const measured = await this.#skin(clusters, { transforms: 'affine' });
      const corrected = await this.#correct(measured, FEW_RANK);
      const bones = measured.result.bonesFound;
      rows.push({
        case: `${name}, epsilon ${epsilon}`,
        timings: { cluster: timingOf(milliseconds), skin: timingOf(measured.milliseconds) },
        figures: {
          bones,
          eta: measured.result.eta,
          distortion: measured.distortion,
          distortionRank5: corrected[FEW_RANK],
          normalDegrees: measured.normalDegrees,
          ...sizesOf(this.#clip, bones),
        },
      });
    }
    return rows;
  }

  /** Table 1, Fig. 7 and 13: rigid and flexible bones by truncated SVD and by NNLS, their sorted weights, and up to ten corrections. */
  async byWeights(name: string): Promise<BenchRow[]> {
    const rows: BenchRow[] = [];
    const { clusters } = await this.#cluster(DEFAULT_EPSILON);
    for (const transforms of ['rigid', 'affine'] as const) {
      for (const weightsBy of ['nnls', 'tsvd'] as const) {
        let sorted = new Float32Array(0);
        const measured = await this.#skin(clusters, { transforms, weightsBy }, (weights) => {
          sorted = Float32Array.from(weights).sort();
        });
        const byRank = await this.#correct(measured, RANK);
        rows.push({
          case: `${name}, ${transforms}, ${weightsBy}`,
          timings: { skin: timingOf(measured.milliseconds) },
          figures: {
            bones: measured.result.bonesFound,
            distortion: measured.distortion,
            ...rankFigures(byRank),
            ...Object.fromEntries(
              QUANTILES.map((q) => [`weightAt${String(q).replace('.', '_')}`, quantileOfSorted(sorted, q)]),
            ),
          },
          curve: {
            label: `${transforms}, ${weightsBy}`,
            x: PLACES.map((part) => 100 * part),
            y: PLACES.map((part) => quantileOfSorted(sorted, part)),
          },
        });
      }
    }
    return rows;
  }

  /** Fig. 13: one flexible bone and principal components, after Alexa and Müller. */
  async oneBone(name: string): Promise<BenchRow[]> {
    const labels = new Int32Array(this.#rotations.triangles.length);
    const measured = await this.#skin({ epsilon: 1, boneCount: 1, labels, eta: 1 }, { transforms: 'affine' });
    return [
      {
        case: `${name}, one bone (PCA)`,
        timings: { skin: timingOf(measured.milliseconds) },
        figures: { bones: 1, distortion: measured.distortion, ...rankFigures(await this.#correct(measured, RANK)) },
      },
    ];
  }

  async #cluster(epsilon: number): Promise<{ clusters: SmaClusters; milliseconds: number }> {
    const known = this.#clusters.get(epsilon);
    if (known) return known;
    const start = performance.now();
    const o = settleSmaOptions({ seed: this.#context.seed });
    const clusters = await clusterTriangles(
      this.#compute,
      this.#clip,
      this.#rotations,
      epsilon,
      o,
      new SolveMonitor({}),
    );
    const made = { clusters, milliseconds: performance.now() - start };
    this.#clusters.set(epsilon, made);
    return made;
  }

  async #skin(
    clusters: SmaClusters,
    options: SmaOptions,
    onWeights?: (weights: Float64Array) => void,
  ): Promise<Measured> {
    const start = performance.now();
    const o = settleSmaOptions(options);
    const monitor = new SolveMonitor({});
    const result = await skinClusters(
      this.#compute,
      this.#clip,
      { rotations: this.#rotations, clusters },
      o,
      monitor,
      onWeights,
    );
    const milliseconds = performance.now() - start;
    const bytes = await writeGlb(this.#input.asset, { kind: 'skin', model: result.model });
    const asset = await readAsset([{ name: 'written.glb', bytes }]);
    const played = bakeAt(asset, asset.animations[0], this.#clip.times);
    const { distortion, normalDegrees } = measureError(this.#clip, played, { up: this.#input.asset.up });
    return { result, distortion, normalDegrees, milliseconds };
  }

  /** Distortion with the first 0, 1, … components of the paper's basis: it goes with E_RMS. */
  async #correct({ result, distortion }: Measured, rank: number): Promise<number[]> {
    const { eRms } = await correctModel(this.#clip, result.model, { rank, fit: 'rest' });
    return Array.from(eRms, (value) => (eRms[0] > 0 ? (value / eRms[0]) * distortion : 0));
  }
}

function rankFigures(byRank: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    [1, 2, 5, 7, 10].filter((r) => r < byRank.length).map((r) => [`distortionRank${r}`, byRank[r]]),
  );
}

/** Table 1 counts floats: the frames against the rest pose, four weights per vertex, and bones. Playback: matrices against streamed vertices, bytes. */
function sizesOf({ mesh, times }: Clip, bones: number): Record<string, number> {
  const vertices = mesh.positions.length / 3;
  const ratio = (perBone: number) =>
    (3 * vertices * times.length) / (VERTEX_FLOATS * vertices + perBone * times.length * bones);
  return {
    compressRigid: ratio(BONE_FLOATS.rigid),
    compressAffine: ratio(BONE_FLOATS.affine),
    frameBytesSkinned: 4 * MATRIX_FLOATS * bones,
    frameBytesStreamed: 4 * STREAMED_FLOATS * vertices,
  };
}

function timingOf(milliseconds: number): BenchRow['timings'][string] {
  return { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 };
}
