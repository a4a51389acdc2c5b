// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualBoneCountOf } from '../../../core/model/deformed/two-layer.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['compress', ...words]);
/** Little work: what is tested here is the command. */
const QUICK = ['--iterations', '1', '--virtual-bones', '12', '--influences', '4'];
/** By length, so coarse a mesh is hardly smoothed. */
const SMOOTH = [...QUICK, '--lambda', '20'];
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-compress-'));
  for (const sample of ['creature', 'bar-bend', 'sheet']) {
    const words = ['sample', sample, at(`${sample}.glb`), '--resolution', '200', '--frames', '6'];
    const { status, err } = await captureCli(words);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('compress', () => {
  it('writes a file of virtual bones beside a plain skin, and reports what it measured', async () => {
    const report = await json(at('creature.glb'), at('out.glb'), ...SMOOTH, '--report', at('report.json'));
    const { result, metrics, bytes } = report;
    expect(JSON.parse(await readFile(at('report.json'), 'utf8'))).toMatchObject({ command: 'compress', metrics });
    expect(result).toMatchObject({ virtualBones: 12, influences: 4, objective: 'nonlinear', quantized: false });
    expect(result.fit.rmseFitUndivided).toBeGreaterThan(result.fit.rmseFit);
    expect(metrics.rmseFitPercent).toBe(result.fit.rmseFitPercent);
    // between the model and what other viewers show
    expect(metrics.rmseOfHeight).toBeGreaterThan(0);
    expect(metrics.rmseOfHeight).toBeLessThan(0.5 * result.plain.rmseOfHeight);
    expect(metrics.ddmVsLbs).toBeGreaterThan(0.01);
    expect(bytes.model).toBeLessThan(bytes.ddm);
    expect(result.ddmBytes.float64).toBeGreaterThan(1.8 * bytes.ddm);
    const file = new Uint8Array(await readFile(at('out.glb')));
    expect(bytes.file).toBe(file.length);
    const { messages } = (await validateBytes(file)).issues;
    expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const { twoLayer, rig } = await open(at('out.glb'));
    expect(virtualBoneCountOf(twoLayer!)).toBe(12);
    expect(rig!.skin.rowStart.every((start, i, all) => i === 0 || start - all[i - 1] <= 4)).toBe(true);
  });

  it('plays in other commands, and --plain plays the skin', async () => {
    const { status, out } = await run(at('creature.glb'), at('said.glb'), ...QUICK);
    expect(status).toBe(0);
    for (const words of [/12 virtual bones, .* weights per vertex/, /^two layers /m, /^plain skin /m, /^own skin /m])
      expect(out).toMatch(words);
    expect((await captureCli(['info', at('said.glb')])).out).toMatch(/two layers +12 virtual bones, maximum 4 per/);
    const far = async (...words: string[]) => {
      const { status, out } = await captureCli(['compare', at('creature.glb'), at('said.glb'), ...words, '--json']);
      expect(status).toBe(0);
      return JSON.parse(out).result.clips[0].metrics.max;
    };
    expect(await far()).not.toBe(await far('--plain'));
    const again = await run(at('said.glb'), at('bad.glb'));
    expect([again.status, again.err]).toEqual([
      1,
      `ossify: ${at('said.glb')}: the file is compressed already; start from the rig that it was made of\n`,
    ]);
    expect((await captureCli(['mush', at('said.glb'), at('bad.glb')])).err).toMatch(
      /the file is compressed; start from/,
    );
  });

  it('takes the Direct Delta Mush of a file as it is', async () => {
    const { status } = await captureCli(['mush', at('creature.glb'), at('mushed.glb'), '--quiet']);
    expect(status).toBe(0);
    const made = await json(at('creature.glb'), at('made.glb'), ...QUICK);
    const given = await json(at('mushed.glb'), at('given.glb'), ...QUICK);
    expect(given.result.ddm).toEqual(made.result.ddm);
    expect(given.metrics.rmse).toBeCloseTo(made.metrics.rmse, 3);
    expect((await open(at('given.glb'))).ddm).toBeUndefined();
    await captureCli(['mush', at('creature.glb'), at('two.glb'), '--variant', '2', '--quiet']);
    expect((await run(at('two.glb'), at('bad.glb'))).err).toMatch(/is variant 2; only 0 can be compressed\n$/);
    for (const words of [
      ['--lambda', '3'],
      ['--smoothing', '20'],
      ['--bind', 'rigid'],
    ]) {
      const { status, err } = await run(at('mushed.glb'), at('bad.glb'), ...QUICK, ...words);
      expect([status, err]).toEqual([
        2,
        `ossify: ${words[0]}: ${at('mushed.glb')} has Direct Delta Mush already; leave the option out, or start from the rig that it was made of\n`,
      ]);
      expect(existsSync(at('bad.glb'))).toBe(false);
    }
  });

  it('prints percents of the height and of the box diagonal, which are those of --max-error', async () => {
    const words = [at('creature.glb'), at('percents.glb'), ...SMOOTH];
    const { result, metrics } = await json(...words);
    const { out } = await run(...words);
    expect(out).toMatch(/^ +RMSE +of height +max +of size +of height/m);
    const printed = Number(/^two layers.* % .* +(\S+) % +\S+ % +12 virtual bones/m.exec(out)![1]);
    const at99 = await run(...words, '--max-error', `${0.99 * printed}%`, '--quiet');
    const at101 = await run(...words, '--max-error', `${1.01 * printed}%`, '--quiet');
    expect([at99.status, at101.status]).toEqual([3, 0]);
    expect(printed).not.toBeCloseTo(metrics.maxOfHeight, 3);
    expect(result.plain.maxOfHeight).toBeGreaterThan(metrics.maxOfHeight);
  });

  it('makes a ladder of files from one model', async () => {
    const { result } = await json(at('bar-bend.glb'), at('step.glb'), '--virtual-bones', '2,6', '--iterations', '1');
    expect(result.ladder.map((one: { path: string }) => one.path)).toEqual([at('step-2.glb'), at('step-6.glb')]);
    const [few, more] = result.ladder;
    expect([few.result.virtualBones, more.result.virtualBones, result.virtualBones]).toEqual([2, 6, 6]);
    expect(more.metrics.rmse).toBeLessThan(few.metrics.rmse);
    expect(existsSync(at('step.glb'))).toBe(false);
    expect(virtualBoneCountOf((await open(at('step-2.glb'))).twoLayer!)).toBe(2);
  });

  it('finds the fewest virtual bones that hold an error, and is a gate beside a count', async () => {
    const found = await json(at('bar-bend.glb'), at('held.glb'), '--max-error', '2%', '--iterations', '1');
    const { gate, tried, virtualBones } = found.result;
    expect(gate.isMet).toBe(true);
    expect(found.metrics.max).toBeLessThanOrEqual(gate.maxError);
    for (const one of tried) if (one.virtualBones < virtualBones) expect(one.max).toBeGreaterThan(gate.maxError);
    const words = ['--virtual-bones', '1', '--max-error', '0.1mm', '--report', at('gate.json'), '--quiet'];
    const { status, err } = await run(at('bar-bend.glb'), at('gate.glb'), ...words);
    expect(status).toBe(3);
    expect(err).toMatch(/^ossify: .*gate\.glb: the vertex error .* exceeds the maximum of 0\.0001 m\n$/);
    expect(existsSync(at('gate.glb'))).toBe(true);
    expect(JSON.parse(await readFile(at('gate.json'), 'utf8')).result.gate.isMet).toBe(false);
  });

  it('stores fewer bytes with --quantize, and says what that costs', async () => {
    const full = await json(at('creature.glb'), at('full.glb'), ...SMOOTH);
    const half = await json(at('creature.glb'), at('half.glb'), ...SMOOTH, '--quantize');
    expect(half.bytes.file).toBeLessThan(0.9 * full.bytes.file);
    expect(Math.abs(half.metrics.rmseOfHeight - full.metrics.rmseOfHeight)).toBeLessThan(0.05);
  });

  it('takes ranges from the animations or from a file, and the objective of the paper', async () => {
    const { names } = (await open(at('bar-bend.glb'))).rig!.skeleton;
    await writeFile(at('ranges.json'), JSON.stringify({ [names[0]]: 10, '*': [[-5, 90], 0, 5] }));
    const quick = [at('bar-bend.glb'), at('ranged.glb'), ...QUICK];
    const plain = await json(...quick);
    const auto = await json(...quick, '--ranges', 'auto');
    const file = await json(...quick, '--ranges', at('ranges.json'));
    const linear = await json(...quick, '--objective', 'linear');
    const fits = [plain, auto, file, linear].map(({ metrics }) => metrics.rmseFit);
    expect(new Set(fits).size).toBe(4);
    expect(linear.result.objective).toBe('linear');
  });

  it.each<[string[], number, RegExp]>([
    [['--virtual-bones', '0'], 2, /'--virtual-bones <n>' argument '0' is invalid. Give a whole number/],
    [['--virtual-bones', '20,x'], 2, /--virtual-bones/],
    [['--virtual-bones', '20,20'], 2, /give each number once/],
    [['--virtual-bones', '60000'], 1, /60000 virtual bones are more than the model's \d+ distinct vertices; ask for/],
    [['--virtual-bones', '3', '--influences', '4'], 2, /4 per vertex are more than 3 virtual bones/],
    [['--influences', '0'], 2, /--influences/],
    [['--max-error', '0'], 2, /--max-error: must be above zero/],
    [['--max-error', 'far'], 2, /is not a length/],
    [['--objective', 'best'], 2, /--objective/],
    [['--ranges', 'none.json'], 1, /^ossify: none\.json: no such file/],
    [['--lambda', '1', '--kappa', '2'], 2, /--kappa: must not exceed --lambda, got 2 and 1/],
    [
      ['--method', 'explicit', '--lambda', '2'],
      2,
      /--lambda: must be at most 1 with explicit smoothing; use more --smoothing/,
    ],
    [['--map', '_SOFT'], 2, /--map: the file has no vertex attribute "_SOFT"/],
  ])('refuses %j in one sentence', async (words, status, message) => {
    const result = await run(at('bar-bend.glb'), at('bad.glb'), ...words);
    expect(result.err).toMatch(message);
    expect(result.status).toBe(status);
    expect(result.err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(at('bad.glb'))).toBe(false);
  });

  it('refuses files that it cannot take, by name', async () => {
    const still = await run(at('sheet.glb'), at('bad.glb'));
    expect([still.status, still.err]).toEqual([
      1,
      `ossify: ${at('sheet.glb')}: the file has no skin; bind its mesh to bones first\n`,
    ]);
    await writeFile(at('wrong.json'), '{"Nobody": 30}');
    const unknown = await run(at('bar-bend.glb'), at('bad.glb'), '--ranges', at('wrong.json'));
    expect(unknown.status).toBe(1);
    expect(unknown.err).toMatch(/wrong\.json: there is no bone "Nobody"; the first bone is ".*"\n$/);
    await writeFile(at('broken.json'), '{');
    const broken = await run(at('bar-bend.glb'), at('bad.glb'), '--ranges', at('broken.json'));
    expect(broken.err).toMatch(/broken\.json: is not JSON: [^\n]*\n$/);
    const wrong = await run(at('bar-bend.glb'), at('bad.obj'));
    expect([wrong.status, wrong.err]).toEqual([
      2,
      `ossify: compress: the output must end in .glb, .vrm, .gltf, .fbx, .usda, .usdc, .usdz, not "${at('bad.obj')}"\n`,
    ]);
  });

  it('reports the error of the plain skin for a format that holds nothing else', async () => {
    const words = ['--virtual-bones', '8', '--iterations', '1'];
    const whole = await json(at('creature.glb'), at('whole.glb'), ...words);
    const plain = await json(at('creature.glb'), at('plain.usda'), ...words);
    expect(plain.metrics.rmse).toBeCloseTo(whole.result.plain.rmse, 12);
    expect(plain.metrics.rmse).not.toBeCloseTo(whole.metrics.rmse, 6);
    const { out } = await captureCli(['compress', at('creature.glb'), at('plain.usda'), ...words]);
    expect(out).toContain('plain skin, at most 4 weights per vertex');
    expect(out).not.toContain('what other viewers show');
  });
});
