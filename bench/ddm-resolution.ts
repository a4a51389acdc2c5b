// SPDX-License-Identifier: MIT
// The same creature at several resolutions: how far a coarse mesh deforms differently from the finest one, at the same points of the rest surface.

import type { DdmOptions } from '../src/ddm/ddm-options.ts';
import { precomputeDdm } from '../src/ddm/precompute-ddm.ts';
import { makeDdm } from '../src/deform/make-ddm.ts';
import { makeCompute } from '../src/kernels/make-compute.ts';
import { measureBounds } from '../src/mesh/bounds.ts';
import { poseOf } from '../src/model/motion.ts';
import { makeSample } from '../src/sample/make-sample.ts';
import type { BenchContext, BenchRow } from './bench-suite.ts';
import { isRowWanted } from './is-row-wanted.ts';
import { ResultStore } from './result-store.ts';
import { makeSurfaceMap, type SurfacePoint } from './surface-map.ts';

/** The last is compared with. */
const RESOLUTIONS = [3000, 13_000, 50_000];
const QUICK_RESOLUTIONS = [300, 700];
const FRAMES = 6;
const CASES: readonly [string, DdmOptions][] = [
  ['default, --reach 0.12', {}],
  ['--reach 0.12 --bind rigid', { bind: 'rigid' }],
  ['--lambda 20', { lambda: 20 }],
];

/** The table, by rule of smoothing. */
export async function runResolutions(context: BenchContext): Promise<BenchRow[]> {
  const store = await ResultStore.open(context);
  const rows: BenchRow[] = [];
  const resolutions = context.quick ? QUICK_RESOLUTIONS : RESOLUTIONS;
  for (const [name, options] of CASES.slice(0, context.quick ? 1 : undefined)) {
    context.signal.throwIfAborted();
    const row = `resolution, ${name}`;
    if (!isRowWanted(context, row)) continue;
    context.onProgress({ phase: row, fraction: 0 });
    const found = await store.take(row, (signal) => measureCase(options, resolutions, { ...context, signal }));
    if (!found) continue;
    const { value: cells, milliseconds, measured } = found;
    rows.push({
      case: row,
      timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: Object.fromEntries(cells.map(({ column, ours }) => [column, ours])),
      paper: {
        table: 'Smoothing as a length',
        caption: `The sample creature at several resolutions, compared with ${resolutions.at(-1)} vertices at the same points of the rest surface, over ${FRAMES} poses of its animation; percent of the height.`,
        row: name,
        digits: 2,
        cells,
        commands: [],
      },
      measured: [measured],
    });
  }
  return rows;
}

async function measureCase(options: DdmOptions, resolutions: readonly number[], context: BenchContext) {
  const [finest, ...coarser] = [...resolutions].reverse();
  const reference = await deform(finest, options, context);
  const cells: { column: string; ours: number }[] = [];
  for (const resolution of coarser.reverse()) {
    const coarse = await deform(resolution, options, context);
    const map = makeSurfaceMap(reference.rest, reference.triangles);
    const points: SurfacePoint[] = [];
    for (let c = 0; c < coarse.rest.length; c += 3) points.push(map(coarse.rest, c));
    const distances: number[] = [];
    coarse.shapes.forEach((shape, k) => {
      points.forEach(({ corners, at }, i) => {
        const square = [0, 1, 2].reduce((sum, r) => {
          const wanted = corners.reduce((x, corner, n) => x + at[n] * reference.shapes[k][3 * corner + r], 0);
          return sum + (shape[3 * i + r] - wanted) ** 2;
        }, 0);
        distances.push((100 * Math.sqrt(square)) / reference.height);
      });
    });
    distances.sort((a, b) => a - b);
    const rmse = Math.sqrt(distances.reduce((sum, d) => sum + d * d, 0) / distances.length);
    cells.push({ column: `${resolution}, RMSE`, ours: rmse });
    cells.push({ column: `${resolution}, 99 %`, ours: distances[Math.floor(0.99 * distances.length)] });
    cells.push({ column: `${resolution}, maximum`, ours: distances.at(-1)! });
  }
  return cells;
}

async function deform(resolution: number, options: DdmOptions, { threads, signal }: BenchContext) {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution, frames: FRAMES });
  const { mesh } = clip;
  const { min, max } = measureBounds(mesh.positions);
  // glTF's up axis
  const height = max[1] - min[1];
  const compute = await makeCompute({ threads });
  try {
    const ddm = await precomputeDdm(mesh, skeleton!, skin!, { ...options, height, threshold: 0, compute, signal });
    const deformer = makeDdm(ddm);
    const shapes = Array.from({ length: FRAMES }, (_, k) => {
      const out = new Float64Array(mesh.positions.length);
      deformer.deformInto({ bones: poseOf(motion!, k) }, out);
      return out;
    });
    return { rest: mesh.positions, triangles: mesh.triangles, shapes, height };
  } finally {
    compute.dispose();
  }
}
