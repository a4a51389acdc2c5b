// SPDX-License-Identifier: MIT
// The same character at several resolutions: how far a coarse mesh deforms differently from the finest one, at the same points of the rest surface. Two tables: creatures that are generated at each resolution,
// whose surfaces and weights differ between vertices, and one surface with one field of weights, subdivided.

import { measureHeight } from '../../src/core/mesh/geometry/bounds.ts';
import type { DdmOptions } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import type { BenchContext, BenchRow } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { ResultStore } from '../shared/result-store.ts';
import { SUBDIVISION_CASES, subdivideMesh } from './ddm-subdivision.ts';
import { deformPoses, type PosedMesh } from './deform-poses.ts';
import { makeSurfaceMap, type SurfacePoint } from './surface-map.ts';

/** The last is compared with. */
const RESOLUTIONS = [3000, 13_000, 50_000];
const QUICK_RESOLUTIONS = [300, 700];
const FRAMES = 6;
const CASES: readonly [string, DdmOptions | 'linear'][] = [
  ['default, --reach 0.12', {}],
  ['--reach 0.12 --bind rigid', { bind: 'rigid' }],
  ['--lambda 20', { lambda: 20 }],
  ['linear blending of the same meshes', 'linear'],
];

interface Table {
  table: string;
  caption: string;
  rows: readonly [string, (context: BenchContext) => Promise<Cell[] | undefined>][];
}

interface Cell {
  column: string;
  ours: number;
}

/** Both tables. */
export async function runResolutions(context: BenchContext): Promise<BenchRow[]> {
  const store = await ResultStore.open(context);
  const rows: BenchRow[] = [];
  for (const { table, caption, rows: cases } of listTables(context.quick)) {
    for (const [name, measure] of cases.slice(0, context.quick ? 1 : undefined)) {
      context.signal.throwIfAborted();
      const row = `resolution, ${name}`;
      if (!isRowWanted(context, row)) continue;
      context.onProgress({ phase: row, fraction: 0 });
      const found = await store.take(row, (signal) => measure({ ...context, signal }));
      if (!found?.value) continue;
      const { value: cells, milliseconds, measured } = found;
      rows.push({
        case: row,
        timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
        figures: Object.fromEntries(cells.map(({ column, ours }) => [column, ours])),
        paper: { table, caption, row: name, digits: 2, cells, commands: [] },
        measured: [measured],
      });
    }
  }
  return rows;
}

function listTables(quick: boolean): Table[] {
  const resolutions = quick ? QUICK_RESOLUTIONS : RESOLUTIONS;
  return [
    {
      table: 'Smoothing as a length',
      caption: `The sample creature, generated at several resolutions, compared with ${resolutions.at(-1)} vertices at the same points of the rest surface, over ${FRAMES} poses of its animation; percent of the height. Surfaces and weights differ between the vertices of a coarse mesh.`,
      rows: CASES.map(([name, options]) => [name, (context) => measureCreatures(options, resolutions, context)]),
    },
    {
      table: 'Smoothing as a length, subdivided meshes',
      caption: `The same surface with the same weights: each triangle is split into four, twice, and weights are interpolated. Shapes at the vertices of the given mesh, and of the mesh that is split once, compared with the mesh that is split twice, over ${FRAMES} poses of its animation; percent of the height.`,
      rows: SUBDIVISION_CASES.map(([name, make]) => [
        name,
        async (context) => {
          const given = await make(quick);
          return given && measureSubdivided(given, context);
        },
      ]),
    },
  ];
}

async function measureCreatures(
  options: DdmOptions | 'linear',
  resolutions: readonly number[],
  context: BenchContext,
): Promise<Cell[]> {
  const [finest, ...coarser] = [...resolutions].reverse();
  const reference = makeCreature(finest);
  const wanted = await deformPoses(reference, options, context);
  const map = makeSurfaceMap(reference.mesh.positions, reference.mesh.triangles);
  const cells: Cell[] = [];
  for (const resolution of coarser.reverse()) {
    const coarse = makeCreature(resolution);
    const { positions } = coarse.mesh;
    const points = Array.from({ length: positions.length / 3 }, (_, i) => map(positions, 3 * i));
    const shapes = await deformPoses(coarse, options, context);
    cells.push(...summarize(String(resolution), shapes, wanted, points, reference.height));
  }
  return cells;
}

async function measureSubdivided(given: PosedMesh, context: BenchContext): Promise<Cell[]> {
  const once = subdivideMesh(given);
  const twice = subdivideMesh(once);
  const wanted = await deformPoses(twice, {}, context);
  const cells: Cell[] = [];
  for (const [label, mesh] of [
    ['as given', given],
    ['split once', once],
  ] as const) {
    // the vertices of the given mesh come first in the others
    const points = Array.from({ length: mesh.mesh.positions.length / 3 }, (_, i): SurfacePoint => {
      return { corners: [i, i, i], at: [1, 0, 0] };
    });
    cells.push(...summarize(label, await deformPoses(mesh, {}, context), wanted, points, given.height));
  }
  return cells;
}

/** Root mean square, 99 % and maximum of the distances from reference shapes at points of their surface, percent of the height. */
function summarize(
  label: string,
  shapes: readonly Float32Array[],
  wanted: readonly Float32Array[],
  points: readonly SurfacePoint[],
  height: number,
): Cell[] {
  const distances = new Float64Array(shapes.length * points.length);
  shapes.forEach((shape, k) => {
    points.forEach(({ corners, at }, i) => {
      const square = [0, 1, 2].reduce((sum, r) => {
        const x = corners.reduce((total, corner, n) => total + at[n] * wanted[k][3 * corner + r], 0);
        return sum + (shape[3 * i + r] - x) ** 2;
      }, 0);
      distances[k * points.length + i] = (100 * Math.sqrt(square)) / height;
    });
  });
  distances.sort();
  const rmse = Math.sqrt(distances.reduce((sum, d) => sum + d * d, 0) / distances.length);
  return [
    { column: `${label}, RMSE`, ours: rmse },
    { column: `${label}, 99 %`, ours: distances[Math.floor(0.99 * distances.length)] },
    { column: `${label}, maximum`, ours: distances[distances.length - 1] },
  ];
}

function makeCreature(resolution: number): PosedMesh {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution, frames: FRAMES });
  const { mesh } = clip;
  return { mesh, skeleton: skeleton!, skin: skin!, motion: motion!, height: measureHeight(mesh.positions, 'y') };
}
