// SPDX-License-Identifier: MIT
// The scans suite: sequences with changing topology as small files. Bit rates are of the whole file at 30 frames per second, beside the D2-PSNR of TVMC (d2-psnr.ts); docs/benchmarks/track.md has the table.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { pointTriangles, weldVertices } from '../../src/core/mesh/topology/weld.ts';
import { type Clip, frameOf } from '../../src/core/model/clip/clip.ts';
import { makeAsset } from '../../src/core/model/make-asset.ts';
import { decompose, track } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { measureTracked, writeDisplaced } from '../../src/jobs/track/index.ts';
import { remeshSurface } from '../../src/samples/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { type D2Mesh, d2Psnr } from './d2-psnr.ts';

const FPS = 30;
/** Distances from the frames that files must meet, percent of the diagonal, and their bones. */
const REQUIRED = [
  { rms: 0.0345, bones: 60 },
  { rms: 0.0145, bones: 120 },
];
const QUICK = { required: [{ rms: 0.1, bones: 3 }], frames: 3, vertices: 300 };

export const scansSuite: BenchSuite = {
  name: 'scans',
  description:
    'scans with changing topology as small files: megabits per second, D2-PSNR by the definition of TVMC, and distances of surfaces (percent)',
  async run(context) {
    const rows: BenchRow[] = [];
    for (const { name, meshes } of await listScans(context)) {
      const tracked = await track(meshes, { ...context, fps: FPS });
      for (const required of context.quick ? QUICK.required : REQUIRED) {
        context.signal.throwIfAborted();
        context.onProgress({ phase: `${name}, ${required.rms} %`, fraction: rows.length / REQUIRED.length });
        rows.push(await measureFile(context, name, meshes, tracked.clip, required));
      }
    }
    return rows;
  },
};

/** The sequences: a folder each, or a generated one. */
async function listScans({ quick, note }: BenchContext): Promise<{ name: string; meshes: D2Mesh[] }[]> {
  if (quick) return [{ name: 'bar-bend', meshes: makeScan() }];
  const folder = join(findDataFolder(process.env) ?? '', '..', 'scans');
  if (!existsSync(folder)) {
    note('no scans: set OSSIFY_DATA to the folder that holds scans/ to measure on them');
    return [];
  }
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.obj')).sort();
      const opened = await Promise.all(files.map((file) => openFiles(join(folder, name, file), {})));
      return { name, meshes: opened.map(({ asset }) => asset.mesh) };
    }),
  );
}

/** A bar that bends, with other vertices in every frame. */
function makeScan(): D2Mesh[] {
  const { clip } = makeSample('bar-bend', { resolution: 200, frames: 24 });
  const weld = weldVertices(clip.mesh.positions);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  return Array.from({ length: QUICK.frames }, (_, k) => {
    const frame = frameOf(clip, k);
    const shape = Array.from(weld.vertexOfPoint).flatMap((i) => [...frame.subarray(3 * i, 3 * i + 3)]);
    const mesh = remeshSurface(shape, triangles, { vertices: QUICK.vertices, seed: k });
    const positions = Float32Array.from(mesh.corners, (_, c) => {
      const row = 3 * Math.floor(c / 3);
      return [0, 1, 2].reduce((sum, n) => sum + mesh.blends[row + n] * shape[3 * mesh.corners[row + n] + (c % 3)], 0);
    });
    return { positions, triangles: mesh.triangles };
  });
}

async function measureFile(
  { threads, seed, signal }: BenchContext,
  name: string,
  meshes: readonly D2Mesh[],
  clip: Clip,
  { rms, bones }: { rms: number; bones: number },
): Promise<BenchRow> {
  const start = performance.now();
  const { model } = await decompose(clip, { bones, threads, seed, signal });
  const { diagonal } = measureBounds(clip.mesh.positions);
  const asset = { ...makeAsset(clip), clips: [clip], animations: [] };
  const compute = await makeCompute({ threads });
  try {
    const limit = (rms / 100) * diagonal;
    const file = await writeDisplaced(compute, {
      ...{ asset, clip, frames: meshes, model, limit, signal },
      storing: { shading: 'flat' },
    });
    const milliseconds = performance.now() - start;
    const { played } = file;
    const ratios = meshes.map((mesh, k) =>
      d2Psnr(mesh, { positions: frameOf(played, k), triangles: played.mesh.triangles }),
    );
    const meanOf = (of: (ratio: (typeof ratios)[0]) => number) =>
      ratios.reduce((sum, ratio) => sum + of(ratio) / ratios.length, 0);
    const [{ mean }] = await measureTracked(compute, meshes, [
      { triangles: played.mesh.triangles, positionsAt: (k) => frameOf(played, k) },
    ]);
    return {
      case: `${name}, ${rms} %`,
      table: { data: name, method: `${rms} %` },
      timings: { write: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: {
        megabitsPerSecond: (8 * file.bytes.length * FPS) / meshes.length / 1e6,
        d2Psnr: meanOf(({ psnr }) => psnr),
        d2FromOriginal: meanOf(({ fromOriginal }) => fromOriginal),
        d2FromDecoded: meanOf(({ fromDecoded }) => fromDecoded),
        surfacePercent: mean,
        rmsPercent: (100 * file.rms) / diagonal,
        vertexRmsPercent: (100 * file.vertexRms) / diagonal,
        ...{ kilobytes: file.bytes.length / 1000, bones, vertices: played.mesh.positions.length / 3 },
      },
    };
  } finally {
    compute.dispose();
  }
}
