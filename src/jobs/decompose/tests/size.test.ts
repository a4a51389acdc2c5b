// SPDX-License-Identifier: MIT
// --for size in the commands that share it, and its codecs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

describe('--for size', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-size-'));
  const at = (name: string) => join(folder, name);
  const json = async (...words: string[]) => {
    const { status, out, err } = await captureCli([...words, '--json', '--quiet']);
    expect(status, err).toBe(0);
    return JSON.parse(out);
  };
  beforeAll(async () => {
    await json('sample', 'creature', at('creature.glb'), '--resolution', '250', '--frames', '8');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('writes a file of our codec that is half of the standard one, and every command reads it', async () => {
    const words = ['decompose', at('creature.glb')];
    const standard = await json(...words, at('standard.glb'), '--for', 'size', '--kg', '4%');
    const compact = await json(...words, at('compact.glb'), '--for', 'size', '--kg', '4', '--codec', 'ossify');
    expect(compact.result.gate).toMatchObject({ of: 'rms', isMet: true });
    expect(compact.result.size.codec).toBe('ossify');
    expect(standard.result.size.codec).toBe('draco');
    expect(compact.bytes.file).toBeLessThan(0.6 * standard.bytes.file);
    await json('bake', at('compact.glb'), at('plain.glb'));
    expect(readFileSync(at('plain.glb')).includes('OSSIFY_compact_skin')).toBe(false);
    for (const name of ['compact.glb', 'plain.glb']) {
      const { metrics } = await json('compare', at('creature.glb'), at(name), '--page', at('page.html'));
      expect(metrics.distortion).toBeCloseTo(compact.metrics.distortion, 3);
    }
    expect(readFileSync(at('page.html'), 'utf8')).toMatch(/data:image\/png/);
  });

  it('writes meshes by meshopt', async () => {
    const words = ['decompose', at('creature.glb'), at('meshopt.glb'), '--for', 'size', '--kg', '4'];
    const { result, metrics } = await json(...words, '--codec', 'meshopt');
    expect(result.size.codec).toBe('meshopt');
    expect(metrics.distortion).toBeLessThanOrEqual(4);
    expect(readFileSync(at('meshopt.glb')).includes('KHR_draco_mesh_compression')).toBe(false);
  });

  it.each(['auto', 'ossify'])('makes the files of reduce and lod smaller, with --codec %s', async (codec) => {
    const size = ['--for', 'size', '--codec', codec];
    const plain = await json('reduce', at('creature.glb'), at('reduced.glb'), '--influences', '2');
    const reduced = await json('reduce', at('creature.glb'), at('small.glb'), '--influences', '2', ...size);
    expect(reduced.bytes.file).toBeLessThan(plain.bytes.file / 2);
    expect(reduced.metrics.rmse).toBeLessThan(1.2 * plain.metrics.rmse + 1e-3);
    const level = ['lod', at('creature.glb'), at('far.glb'), '--triangles', '400'];
    const far = await json(...level);
    const small = await json(...level, ...size);
    expect(small.bytes.file).toBeLessThan(far.bytes.file / 2);
    expect(small.result.levels[0].maxPercent).toBeLessThan(far.result.levels[0].maxPercent + 0.1);
  });

  it('holds an error in reduce', async () => {
    const words = ['reduce', at('creature.glb'), at('small.glb'), '--for', 'size', '--max-error', '2%'];
    const { result, metrics } = await json(...words);
    expect(result.gate.isMet).toBe(true);
    expect(metrics.maxPercent).toBeLessThanOrEqual(2);
  });

  it('stores two layers and helper bones, which our codec refuses by name', async () => {
    const layers = ['compress', at('creature.glb'), at('layers.glb'), '--virtual-bones', '10', '--iterations', '1'];
    const plain = await json(...layers);
    const small = await json(...layers, '--for', 'size');
    expect(small.bytes.file).toBeLessThan(plain.bytes.file);
    const refused = await captureCli([...layers, '--for', 'size', '--codec', 'ossify']);
    expect(refused.status).toBe(2);
    expect(refused.err).toMatch(/extension OSSIFY_two_layer_skin, which it cannot store; use --codec auto/);
    const helpers = [
      'convert',
      at('creature.glb'),
      at('helped.glb'),
      '--helpers',
      '1',
      '--samples',
      '20',
      '--poses',
      '20',
    ];
    const early = await captureCli([...helpers, '--for', 'size', '--codec', 'ossify']);
    expect([early.status, early.err]).toEqual([
      2,
      'ossify: --codec ossify: the file uses the extension OSSIFY_helper_bones, which it cannot store; use --codec auto, or --helpers 0\n',
    ]);
    const converted = await json(...helpers, '--for', 'size');
    expect(converted.result.size.parts.meshes).toBeGreaterThan(0);
  });

  it('names the codec of a file in info', async () => {
    for (const codec of ['draco', 'meshopt', 'ossify']) {
      await json('reduce', at('creature.glb'), at('coded.glb'), '--for', 'size', '--codec', codec);
      expect((await json('info', at('coded.glb'))).result.codecs).toContain(codec);
    }
    expect((await json('info', at('creature.glb'))).result.codecs).toBeUndefined();
    expect((await captureCli(['info', at('coded.glb')])).out).toMatch(/^codec +ossify$/m);
  });

  it('explains wrong uses', async () => {
    const errorOf = async (...words: string[]) => (await captureCli([...words])).err;
    const out = [at('creature.glb'), at('x.glb')];
    expect(await errorOf('decompose', ...out, '--codec', 'ossify')).toContain('--codec: requires --for size');
    expect(await errorOf('reduce', ...out, '--kg', '1')).toContain('--kg: requires --for size');
    expect(await errorOf('reduce', at('creature.glb'), at('x.fbx'), '--for', 'size')).toContain('writes .glb only');
    expect(await errorOf('decompose', ...out, '--for', 'size', '--kg', 'much')).toContain('--kg');
    const still = ['convert', 'sample:pose-space-arm', at('x.glb'), '--for', 'size'];
    expect(await errorOf(...still)).toContain('--for size: is measured on animations, and the input has none');
  });
});
