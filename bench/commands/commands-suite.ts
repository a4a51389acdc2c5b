// SPDX-License-Identifier: MIT
// Every command on generated data of three sizes: processor time, wall time, memory, and the share of each phase. Times of different machines are compared by the ratio to a
// fixed kernel (rotations) on one thread, timed before and after each command.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { makeKernelCases } from '../kernels/kernel-cases.ts';
import { KERNEL_SIZES, makeKernelProblem } from '../kernels/kernel-problem.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { runOssify } from '../shared/run-ossify.ts';
import { timeVariants } from '../shared/time-variants.ts';
import { type CommandCost, measureCommand } from './measure-command.ts';

/** Vertices and frames of the generated quadruped. */
const SIZES = [
  { name: 'small', vertices: 1000, frames: 24 },
  { name: 'medium', vertices: 4000, frames: 60 },
  { name: 'large', vertices: 16000, frames: 120 },
] as const;
/** Milliseconds for the fixed kernel, each time. */
const KERNEL_BUDGET = 200;
/** The fixed kernel, by its name among the cases. */
const KERNEL = 'rotations';

/** The commands: a skinned character, the same motion as frames, and a folder for outputs. */
export function listCommands(folder: string): Record<string, string[]> {
  const [rig, clip] = [join(folder, 'rig.glb'), `${join(folder, 'clip.obj')}+${join(folder, 'clip.pc2')}`];
  const scans = ['0001', '0002', '0003'].map((frame) => join(folder, `scan.${frame}.obj`)).join('+');
  const write = (command: string, input: string, ...options: string[]): string[] => [
    ...[command, input, join(folder, 'out.glb')],
    ...options,
  ];
  return {
    info: ['info', rig],
    check: ['check', rig],
    compare: ['compare', rig, rig],
    bake: ['bake', rig, join(folder, 'out.pc2')],
    decompose: write('decompose', clip, '--bones', '20'),
    skeleton: write('skeleton', clip, '--bones', '20'),
    track: write('track', scans, '--bones', '10'),
    reduce: write('reduce', rig, '--influences', '2'),
    lod: write('lod', rig, '--levels', '.25,.1'),
    mush: write('mush', rig),
    compress: write('compress', rig, '--virtual-bones', '100'),
    convert: write('convert', rig, '--helpers', '0'),
    light: write('light', rig, '--rays', '32'),
  };
}

export const commandsSuite: BenchSuite = {
  name: 'commands',
  description:
    'every command on a generated quadruped of 1,000 x 24, 4,000 x 60 and 16,000 x 120 vertices and frames: seconds of wall and processor time, MB, shares of phases in percent, and processor time in runs of a fixed kernel',
  async run(context) {
    const rows: BenchRow[] = [];
    const kernel = await makeKernelTimer(context.seed);
    const sizes = context.quick ? SIZES.slice(0, 1) : SIZES;
    try {
      for (const size of sizes) rows.push(...(await measureSize(size, kernel.time, context)));
    } finally {
      kernel.dispose();
    }
    return rows;
  },
};

async function measureSize(
  { name, vertices, frames }: (typeof SIZES)[number],
  timeKernel: () => Promise<number>,
  context: BenchContext,
): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ossify-commands-'));
  const rows: BenchRow[] = [];
  try {
    for (const file of ['rig.glb', 'clip.pc2']) {
      const size = ['--resolution', String(vertices), '--frames', String(frames)];
      await runOssify(['sample', 'quadruped', join(folder, file), ...size], context);
    }
    await runOssify(['bake', join(folder, 'rig.glb'), join(folder, 'scan.obj'), '--frames', '0:3'], context);
    const commands = Object.entries(listCommands(folder));
    for (const [n, [command, words]] of commands.entries()) {
      context.signal.throwIfAborted();
      if (context.deadline !== undefined && performance.now() > context.deadline) break;
      const row = `${command}, ${name}`;
      if (!isRowWanted(context, row)) continue;
      context.onProgress({ phase: row, fraction: n / commands.length });
      const before = await timeKernel();
      const cost = await measureCommand(words, context);
      rows.push(rowOf(row, cost, Math.min(before, await timeKernel())));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

function rowOf(name: string, { seconds, cpuSeconds, bytes, report }: CommandCost, kernel: number): BenchRow {
  const { total = seconds, ...phases } = (report.seconds ?? {}) as Record<string, number>;
  const share = (...names: string[]): number =>
    (100 * names.reduce((sum, phase) => sum + (phases[phase] ?? 0), 0)) / Math.max(total, Number.MIN_VALUE);
  return {
    case: name,
    timings: { command: { least: 1000 * seconds, mean: 1000 * seconds, deviation: 0, runs: 1 } },
    figures: {
      cpuSeconds,
      megabytes: bytes / 1e6,
      readPercent: share('read'),
      solvePercent: share('solve'),
      writeAndMeasurePercent: share('write', 'measure', 'between'),
      kernelRuns: (1000 * cpuSeconds) / kernel,
    },
  };
}

/** Times the fixed kernel on one thread: milliseconds of a run. */
async function makeKernelTimer(seed: number): Promise<{ time(): Promise<number>; dispose(): void }> {
  const compute = await makeCompute({ threads: 1 });
  const cases = await makeKernelCases(compute, makeKernelProblem(KERNEL_SIZES, seed));
  const fixed = cases.find(({ name }) => name === KERNEL);
  if (!fixed) throw new Error(`the kernel ${KERNEL} is not among the cases`);
  return {
    time: async () => (await timeVariants({ fixed }, { budget: KERNEL_BUDGET })).fixed.least,
    dispose: () => compute.dispose(),
  };
}
