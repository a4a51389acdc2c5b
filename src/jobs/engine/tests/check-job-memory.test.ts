// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { memorySize } from '../../../core/options/memory-size.ts';
import type { Json } from '../../../core/options/option.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { runJob } from '../../table/run-job.ts';
import type { JobIo } from '../job.ts';

/** A triangle with an animation of 30 frames per second. */
function longAsset(seconds: number): Asset {
  const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
  const clip = { kind: 'clip' as const, name: 'still', mesh, positions: mesh.positions, times: Float64Array.of(0) };
  return { ...makeAsset(clip), clips: [], animations: [{ name: 'long', duration: seconds, tracks: [] }] };
}

const ioOf = (asset: Asset): JobIo => ({
  version: 'test',
  threads: 1,
  open: async (input) => ({ input, asset, paths: [] }),
  read: () => Promise.reject(new Error('nothing to read')),
});

describe('the memory limit of jobs', () => {
  it.each([
    ['decompose', 1, 'out.glb'],
    ['skeleton', 1, 'out.glb'],
    ['compare', 2, undefined],
  ])('refuses 30 million frames in %s before any is made, with true numbers', async (command, count, output) => {
    const inputs = Array.from({ length: count }, () => 'long.glb');
    const before = process.memoryUsage();
    const run = runJob({ command, inputs, output }, ioOf(longAsset(1e6)));
    await expect(run).rejects.toThrow(
      /^long\.glb: 30000001 frames of 3 vertices need about [\d.]+ GB of memory, above the limit of 2 GB; use a lower frame rate/,
    );
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1e6);
    // 30 million times alone are 240 MB
    expect(after.heapUsed - before.heapUsed).toBeLessThan(100e6);
  });

  it('follows --max-memory and the machine', async () => {
    const job = { command: 'compare', inputs: ['a.glb', 'a.glb'] };
    const asset = longAsset(100);
    await expect(runJob({ ...job, options: { maxMemory: '100kB' } }, ioOf(asset))).rejects.toThrow(
      '3001 frames of 3 vertices need about 0.32 MB of memory, above the limit of 0.1 MB',
    );
    await expect(runJob(job, { ...ioOf(asset), maxMemory: 1e5 })).rejects.toThrow('--max-memory');
    const { report } = await runJob({ ...job, options: { maxMemory: '1MB' } }, ioOf(asset));
    expect(report.options.maxMemory).toBe('1MB');
    expect((await runJob(job, ioOf(asset))).report.options).not.toHaveProperty('maxMemory');
  });

  it('of decompose is larger where a large clip is solved whole', async () => {
    const bytesOf = async (options: Record<string, Json>) => {
      const job = { command: 'decompose', inputs: ['long.glb'], output: 'out.glb' };
      const run = runJob({ ...job, options: { bones: 3, maxMemory: '1kB', ...options } }, ioOf(longAsset(3e4)));
      const error: Error = await run.then(
        () => Promise.reject(new Error('it ran')),
        (reason) => reason,
      );
      return Number(/need about ([\d.]+) (?:MB|GB)/.exec(error.message)![1]);
    };
    const blocks = await bytesOf({});
    const whole = { noise: '0.5%', support: 'effect', norm: 'max', method: 'auto' };
    for (const [key, value] of Object.entries(whole)) expect(await bytesOf({ [key]: value })).toBeGreaterThan(blocks);
    expect(await bytesOf({ noise: 0 })).toBe(blocks);
  });

  it('of decompose is checked again when noise is found in a large clip, which is then solved whole', async () => {
    const { clip } = makeSample('sheet', { resolution: 3000, frames: 720 });
    const job = { command: 'decompose', inputs: ['scan.abc'], output: 'out.glb' };
    const run = runJob({ ...job, options: { bones: 3, maxMemory: '100MB' } }, ioOf(makeAsset(addNoise(clip))));
    await expect(run).rejects.toThrow(/limit of 100 MB; use fewer frames \(--frames\), or --noise 0 without --denoise/);
  });

  it('counts only the frames that are used', async () => {
    const options = { maxMemory: '200kB', rate: 1 };
    const { metrics } = (
      await runJob({ command: 'compare', inputs: ['a.glb', 'a.glb'], options }, ioOf(longAsset(100)))
    ).report;
    expect(metrics.perFrame?.max.length).toBe(101);
  });
});

describe('an amount of memory', () => {
  it('has a unit', () => {
    expect(memorySize.parse('800MB')).toBe(8e8);
    expect(memorySize.parse('1.5 GiB')).toBe(1.5 * 2 ** 30);
    for (const text of ['', '5', '0GB', '-1GB', '1e3GB', 'GB', '2XB'])
      expect(() => memorySize.parse(text)).toThrow('800MB');
  });
});
