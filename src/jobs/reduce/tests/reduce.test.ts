// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['reduce', ...words]);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet', '--threads', '1');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-reduce-'));
  for (const words of [
    ['creature-soft', at('soft.glb')],
    ['sheet', at('sheet.glb')],
    ['creature', at('body.obj')],
    ['creature', at('body.pc2')],
    ['cage-creature', at('cage.pc2')],
  ]) {
    const { status, err } = await captureCli(['sample', ...words, '--resolution', '300', '--frames', '6', '--quiet']);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('reduce', () => {
  it('writes a valid file with at most K weights by every method, exchange the closest of one layer', async () => {
    const errors: Record<string, number> = {};
    for (const method of ['klargest', 'smooth', 'geometric', 'poisson', 'exchange']) {
      const report = await json(at('soft.glb'), at(`${method}.glb`), '--method', method, '--influences', '3');
      const bytes = new Uint8Array(await readFile(at(`${method}.glb`)));
      const { messages } = (await validateBytes(bytes)).issues;
      expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
      const { rig } = await open(at(`${method}.glb`));
      expect(maxInfluencesOf(rig!.skin)).toBeLessThanOrEqual(3);
      expect(report.result).toMatchObject({ method, influencesBefore: 12, status: 'converged' });
      expect(report.result.blendsPerVertex).toBeLessThanOrEqual(3);
      expect(report.result.clips).toHaveLength(1);
      expect(report.result.clips[0].rmse).toBe(report.metrics.rmse);
      errors[method] = report.metrics.eRms;
    }
    for (const method of ['klargest', 'smooth', 'geometric'])
      expect(errors.exchange, method).toBeLessThan(errors[method]);
  });

  it('prints weights per vertex before and after, and blends only of two layers', async () => {
    const one = await run(at('soft.glb'), at('one.glb'), '--influences', '3', '--method', 'klargest');
    expect(one.out).toMatch(/before .* weights per vertex, maximum 12/);
    expect(one.out).toMatch(/after .* weights per vertex, maximum 3, by klargest/);
    expect(one.out).not.toContain('blend');
    const two = await run(at('soft.glb'), at('two.glb'), '--method', 'twolayer', '--virtual-bones', '4');
    expect(two.out).toMatch(/after .* blends per vertex, by twolayer, 4 virtual bones/);
  });

  it('writes two layers within their blends beside a plain skin of four, and they come closer', async () => {
    const { result, metrics } = await json(
      at('soft.glb'),
      at('two.glb'),
      '--method',
      'twolayer',
      '--influences',
      '3.5',
    );
    expect(result.blendsPerVertex).toBeLessThanOrEqual(3.5);
    expect(result.influences).toBeLessThanOrEqual(2);
    const asset = await open(at('two.glb'));
    expect(asset.linearTwoLayer!.virtualBones.rowStart.length - 1).toBe(result.virtualBones);
    expect(maxInfluencesOf(asset.rig!.skin)).toBeLessThanOrEqual(4);
    expect(metrics.eRms).toBeLessThan(
      0.5 * (await json(at('soft.glb'), at('four.glb'), '--method', 'klargest')).metrics.eRms,
    );
    const { out, status } = await run(at('soft.glb'), at('said.glb'), '--method', 'twolayer', '--virtual-bones', '20');
    expect(status).toBe(0);
    expect(out).toMatch(/20 virtual bones/);
    expect(out).toMatch(/what other viewers show/);
  });

  it('takes poses of a clip, of ranges, or none', async () => {
    await json(at('soft.glb'), at('ranges.glb'), '--poses', 'ranges');
    expect((await json(at('soft.glb'), at('none.glb'), '--poses', 'none')).result).toMatchObject({
      method: 'klargest',
      poses: 'none',
    });
    await writeFile(at('ranges.json'), JSON.stringify({ '*': 20 }));
    const words = ['--poses', 'ranges', '--ranges', at('ranges.json')];
    expect((await json(at('soft.glb'), at('own.glb'), ...words)).result.poses).toBe('ranges');
    const { status, err } = await run(at('soft.glb'), at('no.glb'), '--poses', 'none', '--method', 'exchange');
    expect([status, err]).toEqual([
      2,
      'ossify: --poses none: exchange needs poses; klargest, smooth and twolayer work without\n',
    ]);
  });

  it('finds the fewest weights or virtual bones for an error, and says when there are none', async () => {
    const { result } = await json(at('soft.glb'), at('held.glb'), '--max-error', '0.5%');
    expect(result.gate.isMet).toBe(true);
    for (const { influences, max } of result.tried)
      expect(max <= result.gate.maxError, `${influences} influences`).toBe(influences >= result.influences);
    expect(result.tried.map(({ influences }: { influences: number }) => influences)).toContain(result.influences - 1);
    const two = await json(at('soft.glb'), at('two.glb'), '--max-error', '0.5%', '--method', 'twolayer');
    expect(two.result.gate.isMet).toBe(true);
    const { status, err } = await run(
      at('soft.glb'),
      at('gate.glb'),
      '--influences',
      '1',
      '--max-error',
      '0.001%',
      '--quiet',
    );
    expect(status).toBe(3);
    expect(err).toMatch(/the vertex error .* exceeds/);
  });

  it('judges an error limit by what is printed: at frames and between them, in the file of the format', async () => {
    for (const output of ['one.glb', 'one.fbx', 'one.usda']) {
      const { result, metrics } = await json(at('soft.glb'), at(output), '--influences', '1', '--max-error', '50%');
      expect(result.between.max, output).toBeGreaterThan(0);
      expect(result.gate.max, output).toBe(Math.max(metrics.max, result.between.max));
    }
  });

  it('counts what is in the file of a format without layers', async () => {
    const words = ['--method', 'twolayer', '--influences', '3'];
    const { result, output } = await json(at('soft.glb'), at('layers.fbx'), ...words);
    expect(result.virtualBones).toBeUndefined();
    const { rig } = await open(at('layers.fbx'));
    expect([result.influences, output.influences]).toEqual(Array(2).fill(maxInfluencesOf(rig!.skin)));
    expect(result.jointsAfter).toBe(output.joints);
    expect(result.clips[0].rmse).toBeGreaterThan(0);
  });

  it('takes out bones that do not matter, and splits pieces for engines that hold few', async () => {
    const pruned = await json(at('soft.glb'), at('pruned.glb'), '--prune-bones', '0.01');
    expect(pruned.result.bones).toBeLessThan(pruned.result.bonesBefore);
    expect(pruned.result.jointsAfter).toBe(pruned.result.bones);
    const { result } = await json(at('soft.glb'), at('split.glb'), '--influences', '2', '--max-bones', '8');
    expect(result.pieces).toBeGreaterThan(1);
    const bytes = new Uint8Array(await readFile(at('split.glb')));
    expect((await validateBytes(bytes)).issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const gltf = (await open(at('split.glb'))).source!.json as { skins: { joints: number[] }[] };
    for (const { joints } of gltf.skins) expect(joints.length).toBeLessThanOrEqual(8);
    const { status, err } = await run(at('soft.glb'), at('no.glb'), '--max-bones', '2');
    expect([status, err.includes('ask for fewer weights per vertex')]).toEqual([1, true]);
  });

  it('turns a mesh in a cage into a plain skin', async () => {
    const cage = ['--cage', `${at('cage.obj')}+${at('cage.pc2')}`];
    const best = await json(at('body.obj'), at('caged.glb'), ...cage, '--influences', '6');
    const largest = await json(at('body.obj'), at('largest.glb'), ...cage, '--influences', '6', '--method', 'klargest');
    expect(best.metrics.eRms).toBeLessThan(0.3 * largest.metrics.eRms);
    expect(best.result.between.max).toBeGreaterThan(0);
    expect(best.result.blendsPerVertexBefore).toBeGreaterThan(50);
    expect(maxInfluencesOf((await open(at('caged.glb'))).rig!.skin)).toBeLessThanOrEqual(6);
    const { status, err } = await run(at('body.obj'), at('no.glb'), '--cage', at('sheet.glb'));
    expect([status, /cage|closed/.test(err)]).toEqual([1, true]);
  });

  it('turns a mesh in a cage that stands still into a plain skin without motion', async () => {
    const { status, err } = await run(at('body.obj'), at('still.glb'), '--cage', at('cage.obj'));
    expect([status, err.includes('the cage does not move')], err).toEqual([0, true]);
    const { rig, animations } = await open(at('still.glb'));
    expect([maxInfluencesOf(rig!.skin), animations]).toEqual([4, []]);
  });

  it('says that corrections are left out', async () => {
    const made = [at('soft.glb'), at('corrected.glb'), '--bones', '4', '--corrections', '2', '--quiet'];
    expect((await captureCli(['decompose', ...made])).status).toBe(0);
    const { status, err } = await run(at('corrected.glb'), at('two.glb'), '--influences', '2');
    expect([status, err.includes('corrective shapes dropped: reduce to GLB does not keep this')], err).toEqual([
      0,
      true,
    ]);
    expect((await open(at('two.glb'))).correction).toBeUndefined();
  });

  it('refuses what cannot be meant, in one sentence', async () => {
    await writeFile(at('ranges.json'), '{ "Nobody": 30 }');
    await writeFile(at('list.json'), '[30]');
    const cases: [string[], number, string][] = [
      [[at('soft.glb'), at('no.glb'), '--influences', '13'], 1, 'no vertex has more than 12 weights'],
      [[at('soft.glb'), at('no.glb'), '--influences', '2.5'], 2, '--influences: must be a whole number'],
      [[at('soft.glb'), at('no.glb'), '--virtual-bones', '9'], 2, '--virtual-bones: requires --method twolayer'],
      [[at('soft.glb'), at('no.glb'), '--method', 'poisson', '--poses', 'none'], 2, 'poisson needs poses; klargest,'],
      [[at('sheet.glb'), at('no.glb')], 1, 'the file has no skin'],
      [[at('soft.glb'), at('no.obj')], 2, 'the output must end in .glb'],
      [
        [at('soft.glb'), at('no.glb'), '--poses', `${at('cage.obj')}+${at('cage.pc2')}`],
        1,
        'the poses are of a mesh of',
      ],
      [
        [at('soft.glb'), at('no.glb'), '--poses', 'ranges', '--ranges', at('ranges.json')],
        1,
        'ranges.json: there is no',
      ],
      [
        [at('soft.glb'), at('no.glb'), '--poses', 'ranges', '--ranges', at('list.json')],
        1,
        'list.json: is not an object',
      ],
      [[at('soft.glb'), at('no.glb'), '--method', 'twolayer', '--influences', '1'], 2, '--influences: must be above 1'],
    ];
    for (const [words, wanted, text] of cases) {
      const { status, err } = await run(...words);
      expect([status, err.includes(text)], err).toEqual([wanted, true]);
      expect(
        err
          .trim()
          .split('\n')
          .filter((line) => line.startsWith('ossify: ')),
      ).toHaveLength(1);
    }
  });
});
