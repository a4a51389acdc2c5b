// SPDX-License-Identifier: MIT
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listWorstFrames } from '../../../jobs/view/compare-page.ts';
import { captureCli } from '../capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
/** The report of a command. */
const json = async (...argv: string[]) => {
  const { status, out, err } = await captureCli([...argv, '--json']);
  expect(status, err).toBe(0);
  return JSON.parse(out);
};
const resultOf = async (...argv: string[]) => (await json(...argv)).result;
/** Width and height of a PNG. */
const sizeOfPng = async (name: string) => {
  const bytes = await readFile(at(name));
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-commands-'));
  for (const [sample, file] of [
    ['bar-bend', 'bar.glb'],
    ['bar-bend', 'bar.pc2'],
    ['sheet', 'sheet.glb'],
    ['sheet', 'sheet.mdd'],
  ]) {
    const { status, err } = await captureCli(['sample', sample, at(file), '--resolution', '200', '--frames', '8']);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('sample', () => {
  it('lists what it can make', async () => {
    const samples = (await resultOf('sample', '--list')).samples as { name: string; description: string }[];
    expect(samples.map(({ name }) => name)).toContain('quadruped');
    expect(samples.every(({ description }) => description.length > 10)).toBe(true);
  });

  it('writes the rest pose beside a point cache, and says so', async () => {
    expect(existsSync(at('bar.obj'))).toBe(true);
    const { files } = await json('sample', 'sheet', at('s2.mdd'), '--resolution', '100', '--frames', '3');
    expect(files.map(({ path }: { path: string }) => path)).toEqual([at('s2.mdd'), at('s2.obj')]);
  });

  it('gives the same bytes for the same seed', async () => {
    await json('sample', 'creature', at('a.glb'), '--resolution', '300', '--frames', '2', '--seed', '3');
    await json('sample', 'creature', at('b.glb'), '--resolution', '300', '--frames', '2', '--seed', '3');
    await json('sample', 'creature', at('c.glb'), '--resolution', '300', '--frames', '2', '--seed', '4');
    const [a, b, c] = await Promise.all(['a.glb', 'b.glb', 'c.glb'].map((name) => readFile(at(name))));
    expect(a.equals(b)).toBe(true);
    expect(a.equals(c)).toBe(false);
  });

  it('refuses unknown names and formats as wrong usage', async () => {
    for (const argv of [
      ['sample', 'dragon', at('x.glb')],
      ['sample', 'sheet', at('x.stl')],
      ['sample', 'sheet'],
      ['sample'],
    ]) {
      const { status, err } = await captureCli(argv);
      expect(status, err).toBe(2);
    }
  });
});

describe('info', () => {
  it('says the same of a sample in every format it is written in', async () => {
    const skinned = await resultOf('info', at('bar.glb'));
    const clip = await resultOf('info', `${at('bar.obj')}+${at('bar.pc2')}`);
    expect(skinned.kind).toBe('skinned');
    const made = await resultOf('sample', 'bar-bend', at('again.glb'), '--resolution', '200', '--frames', '8');
    expect(skinned.rig.bones).toBe(made.bones);
    expect(clip.kind).toBe('clip');
    expect(clip.clips).toMatchObject([{ frames: 8 }]);
    expect(skinned.mesh).toMatchObject({
      vertices: clip.mesh.vertices,
      weldedVertices: clip.mesh.weldedVertices,
      triangles: clip.mesh.triangles,
    });
    expect(skinned.size.diagonal).toBeCloseTo(clip.size.diagonal, 5);
    const { out } = await captureCli(['info', at('bar.glb')]);
    expect(out).toContain(`${clip.mesh.vertices}, ${clip.mesh.weldedVertices} once welded`);
    expect((await resultOf('info', at('sheet.glb'))).kind).toBe('morphing');
  });

  it('describes a folder of frames, whether their topology is the same or not', async () => {
    const frames = at('frames');
    await mkdir(frames);
    const tent = (height: number) => `v 0 ${height} 0\nv 1 0 0\nv 0 0 1\nv -1 0 0\nf 1 2 3\nf 1 3 4\n`;
    for (const k of [1, 2, 10]) await writeFile(join(frames, `f${k}.obj`), tent(k));
    const clip = await resultOf('info', frames, '--fps', '10');
    expect(clip).toMatchObject({ kind: 'clip', clips: [{ name: 'f1', frames: 3 }] });
    expect(clip.paths).toEqual([1, 2, 10].map((k) => join(frames, `f${k}.obj`)));
    await writeFile(join(frames, 'f2.obj'), 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n');
    const { sequence, kind } = await resultOf('info', frames);
    expect({ kind, sequence }).toMatchObject({
      kind: 'sequence',
      sequence: { frames: 3, minVertices: 3, maxVertices: 4 },
    });
    const { out } = await captureCli(['info', frames]);
    expect(out).toContain('3 to 4 vertices');
    expect(out).toContain('ossify track makes a clip');
    const { status, err } = await captureCli(['decompose', frames, at('none.glb'), '--bones', '2']);
    expect([status, err]).toEqual([1, expect.stringContaining('f2.obj: it has 3 vertices, but')]);
    expect(err).toContain('ossify track makes a clip of frames that differ');
  });

  it('decomposes a folder of frames as it decomposes their cache', async () => {
    const frames = at('baked');
    await mkdir(frames);
    await json('bake', at('sheet.glb'), join(frames, 'f.obj'));
    const names = (await readdir(frames)).filter((name) => name.endsWith('.obj'));
    expect(names).toHaveLength(8);
    const words = ['--bones', '3', '--threads', '1', '--fps', '24'];
    const folderReport = await json('decompose', frames, at('folder.glb'), ...words);
    const patternReport = await json('decompose', join(frames, '*.obj'), at('pattern.glb'), ...words);
    expect(folderReport.metrics).toEqual(patternReport.metrics);
    expect(folderReport.result.bones).toBe(3);
  });

  it('does not call a waving sheet rigid that is far from the origin, and says what is lost there', async () => {
    const far = at('far');
    await mkdir(far);
    const sheet = (k: number) => {
      const points = Array.from({ length: 64 }, (_, n) => [
        1e7 + 5 * (n % 8),
        5 * (n >> 3),
        10 * Math.sin((n % 8) + k),
      ]);
      const quads = points.flatMap((_, n) => (n % 8 < 7 && n < 56 ? [[n + 1, n + 2, n + 10, n + 9]] : []));
      return [...points.map((p) => `v ${p.join(' ')}`), ...quads.map((q) => `f ${q.join(' ')}`)].join('\n');
    };
    for (const k of [0, 1, 2]) await writeFile(join(far, `f${k}.obj`), sheet(k));
    expect((await resultOf('info', far)).rigidPieces).toBe(0);
    const { err } = await captureCli(['info', far]);
    expect(err).toContain('far from the origin, where positions are 1.2 apart (2.3 % of its size)');
  });

  it('takes units, scale and frame rate from the command line', async () => {
    const facts = await resultOf(
      'info',
      `${at('bar.obj')}+${at('bar.pc2')}`,
      '--unit',
      'cm',
      '--scale',
      '2',
      '--fps',
      '10',
    );
    const plain = await resultOf('info', at('bar.obj'));
    expect(facts.size.metresPerUnit).toBe(0.01);
    expect(facts.size.height).toBeCloseTo(plain.size.height * 2, 5);
  });
});

describe('compare', () => {
  it('finds a skin that is the truth of its clip equal to it, whichever is the reference', async () => {
    const clip = `${at('bar.obj')}+${at('bar.pc2')}`;
    for (const pair of [
      [clip, at('bar.glb')],
      [at('bar.glb'), clip],
    ]) {
      const { clips } = await resultOf('compare', ...pair, '--fps', '30');
      expect(clips[0].frames).toBe(8);
      expect(clips[0].metrics.rmsePercent).toBeLessThan(1e-4);
    }
    const sheet = await resultOf('compare', `${at('sheet.obj')}+${at('sheet.mdd')}`, at('sheet.glb'));
    expect(sheet.clips[0].metrics.rmsePercent).toBeLessThan(1e-4);
  });

  it('measures the joints of two skeletons', async () => {
    await captureCli(['sample', 'quadruped', at('walk.glb'), '--resolution', '400', '--frames', '8']);
    const { joints } = await resultOf('compare', at('walk.glb'), at('walk.glb'));
    expect(joints).toMatchObject({ pose: 'rest', maxPercent: 0, within1: joints.moving });
    expect(joints.distances).toHaveLength(joints.moving);
    expect(joints.moving).toBeGreaterThan(3);
    const { out } = await captureCli(['compare', at('walk.glb'), at('walk.glb'), '--page', at('joints.html')]);
    expect(out).toMatch(/moving joints +median +max/);
    expect(await readFile(at('joints.html'), 'utf8')).toContain('joints, median');
    expect((await resultOf('compare', at('bar.glb'), at('bar.obj'))).joints).toBeUndefined();
  });

  it('is a gate: status 3, a sentence, and the outputs all the same', async () => {
    const argv = [
      'compare',
      at('bar.glb'),
      at('bar.obj'),
      '--page',
      at('gate.html'),
      '--report',
      at('gate.json'),
      '--pictures',
      '1',
    ];
    const { status, err } = await captureCli([...argv, '--max-error', '1mm', '--quiet']);
    expect(status).toBe(3);
    expect(err).toMatch(/^ossify: .*bar\.obj: the vertex error .* exceeds the maximum of 0\.001 (m|file units)\n$/);
    const report = JSON.parse(await readFile(at('gate.json'), 'utf8'));
    expect(report).toMatchObject({ command: 'compare', result: { gate: { maxError: 0.001, isMet: false } } });
    expect(report.metrics.perFrame.max).toHaveLength(8);
    const page = await readFile(at('gate.html'), 'utf8');
    expect(page).toContain('data:image/png;base64,');
    expect(page).not.toMatch(/(src|href)="http/);
    expect((await captureCli([...argv, '--max-error', '1000%', '--quiet'])).status).toBe(0);
  });

  it('shows no scale and names no worst frame where nothing is off', async () => {
    await json('compare', at('bar.glb'), at('bar.glb'), '--page', at('equal.html'), '--pictures', '2');
    const page = await readFile(at('equal.html'), 'utf8');
    expect(page).toContain('No error in any frame');
    expect(page).not.toContain('Worst frames');
    expect(page.match(/<img/g)).toHaveLength(1);
  });

  it('calls an error relative to nothing not defined', async () => {
    // The reference stands still, so there is no motion that the error could be a part of.
    const argv = ['compare', at('bar.obj'), `${at('bar.obj')}+${at('bar.pc2')}`, '--page', at('still.html')];
    const { status, out } = await captureCli(argv);
    expect(status).toBe(0);
    expect(out).toMatch(/distortion +not defined +of the motion/);
    expect(await readFile(at('still.html'), 'utf8')).not.toContain('Infinity');
  });

  it('needs units for a metric length', async () => {
    const argv = ['compare', at('bar.obj'), at('bar.obj'), '--max-error', '1mm'];
    const { status, err } = await captureCli(argv);
    expect(status).toBe(2);
    expect(err).toMatch(/--unit/);
    expect((await captureCli([...argv, '--unit', 'm'])).status).toBe(0);
  });

  it('refuses files of different vertices in one sentence', async () => {
    const { status, err } = await captureCli(['compare', at('bar.glb'), at('sheet.glb')]);
    expect(status).toBe(1);
    expect(err).toMatch(
      /^ossify: .*bar\.glb, .*sheet\.glb: the first file has \d+ vertices and the second \d+;[^\n]*\n$/,
    );
  });

  it('names the animations there are when one is not', async () => {
    const { status, err } = await captureCli(['compare', at('bar.glb'), at('bar.glb'), '--animation', 'fly']);
    expect(status).toBe(2);
    expect(err).toMatch(/--animation: there is no animation "fly"; the file has "/);
  });

  it('shows worst frames that are not next to one another first', () => {
    expect(listWorstFrames([0, 1, 9, 8, 1, 1, 1, 1, 5, 1, 1, 1, 4, 1, 1, 1], 3)).toEqual([2, 8, 12]);
    expect(listWorstFrames([1, 2], 3)).toEqual([1, 0]);
    expect(listWorstFrames([], 3)).toEqual([]);
  });
});

describe('draw', () => {
  it('draws one picture of the size asked for, and sheets of views and frames', async () => {
    const small = ['--size', '64x48'];
    await json('draw', at('bar.glb'), at('one.png'), ...small);
    expect(await sizeOfPng('one.png')).toEqual([64, 48]);
    await json(
      'draw',
      at('bar.glb'),
      at('views.png'),
      '--view',
      'front,side',
      '--weights',
      '--bones',
      '--frame',
      '3',
      ...small,
    );
    const [width] = await sizeOfPng('views.png');
    expect(width).toBeGreaterThan(2 * 64);
    await json('draw', at('sheet.glb'), at('sheet.png'), '--frames-sheet', '3', '--wireframe', ...small);
    const clip = `${at('bar.obj')}+${at('bar.pc2')}`;
    await json('draw', at('bar.glb'), at('error.png'), '--error', clip, '--frame', '2', ...small);
    await json('draw', at('bar.glb'), at('bone.png'), '--weights', '0', '--background', 'transparent', ...small);
    const again = await readFile(at('one.png'));
    await json('draw', at('bar.glb'), at('one.png'), ...small);
    expect((await readFile(at('one.png'))).equals(again)).toBe(true);
  });

  it.each([
    [['--frame', '99'], 2, /frame 99 does not exist; the last frame is 7/],
    [['--frames', '9:', '--frames-sheet', '2'], 2, /frame 9 does not exist; the last frame is 7/],
    [['--weights', 'tail'], 2, /no bone "tail"; there are "/],
    [['--view', 'behind'], 2, /Allowed choices are front/],
    [['--size', '0x0'], 2, /WIDTHxHEIGHT/],
    [['--error', 'none.obj'], 1, /none\.obj: no such file/],
    [['--background', 'transparent', '--view', 'front,side'], 2, /single picture/],
  ])('answers %j in one sentence and writes nothing', async (options, expected, sentence) => {
    const { status, err } = await captureCli(['draw', at('bar.glb'), at('no.png'), ...options]);
    expect(status).toBe(expected);
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^ossify: [^\n]+\n$/);
    expect(existsSync(at('no.png'))).toBe(false);
  });

  it('notes frames whose duration differs from the animation they are drawn against', async () => {
    const clip = `${at('bar.obj')}+${at('bar.pc2')}`;
    const draw = (...more: string[]) => captureCli(['draw', at('bar.glb'), at('e.png'), '--error', clip, ...more]);
    expect((await draw('--size', '64x48')).err).toMatch(/^note: the frames of ".*" last .* give --fps/);
    expect((await draw('--size', '64x48', '--fps', '30')).err).toBe('');
  });

  it('asks for bones where there are none, and for a .png', async () => {
    expect((await captureCli(['draw', at('bar.obj'), at('no.png'), '--bones'])).err).toMatch(
      /requires a file with bones/,
    );
    expect((await captureCli(['draw', at('bar.obj'), at('no.png'), '--weights'])).err).toMatch(
      /requires a skinned file/,
    );
    expect((await captureCli(['draw', at('bar.obj'), at('no.jpg')])).status).toBe(2);
  });
});

describe('demo', () => {
  it('leaves no folder behind where it fails', async () => {
    const argv = ['demo', at('new/demo'), '--report', at('nowhere/report.json')];
    const { status, err } = await captureCli(argv);
    expect([status, err]).toEqual([1, expect.stringMatching(/nowhere" does not exist; make it first\n$/)]);
    expect(existsSync(at('new'))).toBe(false);
  });

  it('writes what it lists', async () => {
    const { result, files } = await json('demo', at('deep/demo'), '--resolution', '600');
    const { rows } = result;
    expect((await readdir(at('deep/demo'))).length).toBe(files.length);
    expect(rows.map(({ as }: { as: string }) => as)).toEqual([
      'frames of positions',
      'morph targets',
      'skin it was made with',
      'skin, decomposed',
    ]);
    expect(rows[1].rmsePercent).toBeLessThan(1e-4);
    expect(rows[3].bytes).toBeLessThan(rows[1].bytes);
    // The skin it was made with has no soft tissue; one found from the frames has some.
    expect(rows[3].eRms).toBeLessThan(rows[2].eRms);
  });
});

const data = resolve(fileURLToPath(new URL('../../../..', import.meta.url)), process.env.OSSIFY_DATA ?? '../shared');

const ninja = join(data, 'rigs/ninja.glb');
const horse = join(data, 'datasets/horse-gallop');
const rigs = existsSync(join(data, 'rigs'))
  ? readdirSync(join(data, 'rigs')).filter((file) => /^(Fox|Cesium|Robot).*\.glb$/.test(file))
  : [];

describe('real data', () => {
  it.skipIf(!existsSync(ninja))(
    'info says what ninja.glb holds (skipped where OSSIFY_DATA has no such rig)',
    async () => {
      const { status, out } = await captureCli(['info', ninja]);
      expect(status).toBe(0);
      expect(out).toMatch(/vertices +13560, 12465 once welded/);
      expect(out).toMatch(/65 joints, 52 of which carry weight/);
      expect(out).toMatch(/height +1\.75\d* m along y/);
      expect(out).toMatch(/1\.417 s/);
    },
  );

  it.skipIf(!existsSync(horse))('info says what the horse holds (skipped where OSSIFY_DATA has no horse)', async () => {
    const facts = await resultOf('info', `${horse}/rest.obj+${horse}/motion.pc2`);
    expect(facts.mesh).toMatchObject({ vertices: 8431, triangles: 16843 });
    expect(facts.clips).toMatchObject([{ frames: 48 }]);
    expect(facts.size.ballRadius).toBeCloseTo(1, 3);
  });

  it.skipIf(rigs.length === 0)(
    'compare of a rig with itself is zero (skipped where OSSIFY_DATA has no rigs)',
    async () => {
      for (const name of rigs) {
        const path = join(data, 'rigs', name);
        const { clips } = await resultOf('compare', path, path, '--rate', '4');
        expect(clips.length).toBeGreaterThan(0);
        for (const { metrics } of clips) expect(metrics.max, name).toBe(0);
      }
    },
  );
});

describe('a sequence', () => {
  it('is read in natural order, with its rest pose apart where that is given', async () => {
    for (const n of [1, 2, 10]) await writeFile(at(`seq${n}.obj`), `v 0 0 0\nv ${n} 0 0\nv 0 1 0\nf 1 2 3\n`);
    await writeFile(at('rest.obj'), 'v 0 0 0\nv 3 0 0\nv 0 1 0\nf 1 2 3\n');
    const first = await resultOf('info', at('seq*.obj'));
    expect(first.clips).toMatchObject([{ frames: 3 }]);
    expect(first.size.max[0]).toBe(1);
    for (const argv of [[at('seq*.obj'), '--rest', at('rest.obj')], [`${at('rest.obj')}+${at('seq*.obj')}`]]) {
      const apart = await resultOf('info', ...argv);
      expect([apart.clips[0].frames, apart.size.max[0]]).toEqual([3, 3]);
    }
  });
});
