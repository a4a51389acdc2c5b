// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { DEFORMER_NAMES } from '../choose-deformer.ts';

let folder = '';
let rig = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-bake-deformer-'));
  rig = join(folder, 'bar.glb');
  const made = await captureCli(['sample', 'bar-joint', rig, '--resolution', '400', '--frames', '6']);
  expect(made.status, made.err).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bake(name: string, ...words: string[]): Promise<Float32Array> {
  const path = join(folder, `${name}.pc2`);
  const { status, err } = await captureCli(['bake', rig, path, '--deformer', name, '--quiet', ...words]);
  expect(status, err).toBe(0);
  const bytes = await readFile(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
}

function largest(a: Float32Array, b: Float32Array): number {
  return a.reduce((max, x, c) => Math.max(max, Math.abs(x - b[c])), 0);
}

describe('ossify bake --deformer', () => {
  it('plays a rig by every deformer, each another shape except where they agree by definition', async () => {
    const plain = await bake('linear');
    const baked = new Map<string, Float32Array>();
    for (const name of DEFORMER_NAMES) baked.set(name, await bake(name));
    for (const [name, frames] of baked) {
      expect(frames.length, name).toBe(plain.length);
      // the rest pose
      expect(largest(frames.subarray(0, plain.length / 6), plain.subarray(0, plain.length / 6)), name).toBeLessThan(
        1e-4,
      );
      if (name !== 'linear') expect(largest(frames, plain), name).toBeGreaterThan(0.01);
    }
  });

  it('plays it with elasticity-inspired and with biharmonic weights', async () => {
    const own = await bake('swing-twist');
    for (const weights of ['elastic', 'biharmonic']) {
      expect(largest(await bake('swing-twist', '--weights', weights), own), weights).toBeGreaterThan(0.01);
    }
  });

  it('rejects outputs that keep bones, and inputs without them', async () => {
    const glb = await captureCli(['bake', rig, join(folder, 'out.glb'), '--deformer', 'linear']);
    expect([glb.status, glb.err]).toEqual([2, expect.stringContaining('--deformer')]);
    const alone = await captureCli(['bake', rig, join(folder, 'out.pc2'), '--weights', 'elastic']);
    expect([alone.status, alone.err]).toEqual([2, expect.stringContaining('requires --deformer')]);
    const cache = `${join(folder, 'linear.obj')}+${join(folder, 'linear.pc2')}`;
    const clip = await captureCli(['bake', cache, join(folder, 'again.pc2'), '--deformer', 'linear']);
    expect([clip.status, clip.err]).toEqual([2, expect.stringContaining('frames of positions')]);
  });
});
