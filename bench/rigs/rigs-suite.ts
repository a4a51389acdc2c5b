// SPDX-License-Identifier: MIT
// The open benchmark of skeletons from motion: rigs are played, `ossify skeleton` gets the motion of their meshes alone, and `ossify compare` scores its skeleton against the rig (docs/reference/metrics.md#skeletons).
// Generated creatures come first, then every animated rig in the folders rigs, creatures and animals of the data. Another program can be scored in the same way: compare RIG.glb RESULT.glb.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { JointReport, Report } from '../../src/entry/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { runOssify } from '../shared/run-ossify.ts';

/** Seeds of generated creatures. */
const CREATURES = [0, 1, 2, 3, 4, 5];
/** Folders of animated rigs in the data. */
const FOLDERS = ['creatures', 'rigs', 'animals'];

interface RigCase {
  name: string;
  /** Makes or finds the rig; the path of a GLB. */
  open(folder: string): Promise<string>;
}

export const rigsSuite: BenchSuite = {
  name: 'rigs',
  description: 'skeletons from the motion of animated rigs against the rigs: joints, parents, symmetry, errors',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'ossify-rigs-'));
    try {
      const rows: BenchRow[] = [];
      const cases = listCases(context);
      for (const [n, one] of cases.entries()) {
        context.signal.throwIfAborted();
        context.onProgress({ phase: one.name, fraction: n / cases.length });
        const row = await measureCase(one, folder, context);
        if (row) rows.push(row);
      }
      return rows;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function listCases(context: BenchContext): RigCase[] {
  const creatures = CREATURES.map(
    (seed): RigCase => ({
      name: `creature ${seed}`,
      async open(folder) {
        const path = join(folder, `creature-${seed}.glb`);
        await runOssify(['sample', 'creature', path, '--frames', '30', '--resolution', '700'], { ...context, seed });
        return path;
      },
    }),
  );
  const data = findDataFolder(process.env);
  const files = FOLDERS.flatMap((name) => {
    const folder = data === undefined ? undefined : join(data, '..', name);
    if (folder === undefined || !existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => file.endsWith('.glb'))
      .sort()
      .map((file) => join(folder, file));
  });
  const rigs = files.map((path): RigCase => ({ name: basename(path, '.glb'), open: async () => path }));
  const all = context.quick ? creatures.slice(0, 1) : [...creatures, ...rigs];
  return all.filter(({ name }) => context.only.length === 0 || context.only.includes(name));
}

/** Undefined for a rig without joints that turn. */
async function measureCase(one: RigCase, folder: string, context: BenchContext): Promise<BenchRow | undefined> {
  const path = await one.open(folder);
  const out = join(folder, 'found.glb');
  const start = performance.now();
  let made: Report;
  let compared: Report;
  try {
    made = await runOssify(['skeleton', path, out], context);
    compared = await runOssify(['compare', path, out], context);
  } catch (error) {
    context.note(`${one.name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    return undefined;
  }
  const ms = performance.now() - start;
  const { skeleton } = (compared.result.joints as JointReport | undefined) ?? {};
  if (!skeleton || skeleton.recall.count === 0) return undefined;
  return {
    case: one.name,
    timings: { skeleton: { least: ms, mean: ms, deviation: 0, runs: 1 } },
    figures: {
      determined: skeleton.recall.count,
      sliding: skeleton.sliding.length,
      found: skeleton.precision.count,
      released: skeleton.released.length,
      recall: skeleton.recall.within3,
      recallConnected: skeleton.recallConnected.within3,
      precision: skeleton.precision.within3,
      precisionConnected: skeleton.precisionConnected.within3,
      parents: skeleton.parents,
      parentsBestRoot: skeleton.parentsBestRoot,
      ...(skeleton.symmetry !== undefined && { symmetry: skeleton.symmetry }),
      jointToJoint: skeleton.jointToJoint,
      iou: skeleton.iou,
      rmsePercent: made.metrics.rmsePercent ?? Number.NaN,
    },
  };
}
