// SPDX-License-Identifier: MIT
// Godot 3 without a display: imports files, plays them, and prints the matrices of their bones.
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { makeTimes } from '../../src/core/model/clip/clip.ts';
import { virtualBoneCountOf } from '../../src/core/model/deformed/two-layer.ts';
import { makeLinearBlend } from '../../src/deformers/linear-blend/make-linear-blend.ts';
import { bakeAt } from '../../src/deformers/playback/bake/bake-at.ts';
import { sampleAnimation } from '../../src/deformers/playback/sample-animation.ts';
import { virtualTransformsInto } from '../../src/deformers/two-layer/make-two-layer.ts';
import { readAsset } from '../../src/formats/assets/read-asset.ts';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const GODOT = 'godot3-server';
const hasGodot = spawnSync(GODOT, ['--version']).error === undefined;
const isBuilt = existsSync(join(FOLDER, '../../dist/entry/index.js'));
const [FPS, FRAMES] = [30, 16];

describe.skipIf(!hasGodot)(`Godot 3 (needs ${GODOT} on the path)`, { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-godot-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Imports a file into a project of its own. The editor does not end by itself without a display. */
  const importFile = async (name: string, settings?: string): Promise<string> => {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, 'project.godot'), 'config_version=4\n[application]\nconfig/name="ossify"\n');
    copyFileSync(join(folder, 'model.glb'), join(project, 'model.glb'));
    if (settings) copyFileSync(settings, join(project, 'model.glb.import'));
    for (const script of ['play3.gd', 'find_kind.gd']) copyFileSync(join(FOLDER, script), join(project, script));
    const editor = spawn(GODOT, ['--path', project, '-e', '--quit'], { stdio: 'ignore' });
    const isDone = () =>
      existsSync(join(project, '.import')) &&
      readdirSync(join(project, '.import')).some((file) => file.endsWith('.md5'));
    for (let n = 0; n < 300 && !isDone(); n++) await wait(100);
    editor.kill('SIGKILL');
    expect(isDone()).toBe(true);
    return project;
  };

  /** Maximum distance of the vertices that Godot shows from those of the file, percent of the box diagonal. */
  const measure = async (project: string): Promise<number> => {
    const asset = await readAsset([
      { name: 'model.glb', bytes: new Uint8Array(readFileSync(join(folder, 'model.glb'))) },
    ]);
    const env = { ...process.env, OSSIFY_FPS: String(FPS), OSSIFY_FRAMES: String(FRAMES) };
    const { stdout } = spawnSync(GODOT, ['--path', project, '-s', 'res://play3.gd'], { encoding: 'utf8', env });
    const bones = stdout.split('\n').filter((line) => line.startsWith('BONE '));
    const boneCount = asset.rig!.skeleton.names.length;
    expect(bones.length).toBe(FRAMES * boneCount);
    const expected = bakeAt(asset, asset.animations[0], makeTimes(FRAMES, FPS)).positions;
    const deformer = makeLinearBlend(asset.mesh, asset.rig!.skin, boneCount);
    const shown = new Float32Array(asset.mesh.positions.length);
    let worst = 0;
    for (let k = 0; k < FRAMES; k++) {
      const pose = new Float64Array(16 * boneCount);
      for (let j = 0; j < boneCount; j++) {
        const n = JSON.parse(bones[k * boneCount + j].replace(/^[^[]*/, '')) as number[];
        pose.set([n[0], n[1], n[2], 0, n[3], n[4], n[5], 0, n[6], n[7], n[8], 0, n[9], n[10], n[11], 1], 16 * j);
      }
      deformer.deformInto({ bones: pose }, shown);
      for (let c = 0; c < shown.length; c += 3) {
        const o = k * shown.length + c;
        worst = Math.max(
          worst,
          Math.hypot(shown[c] - expected[o], shown[c + 1] - expected[o + 1], shown[c + 2] - expected[o + 2]),
        );
      }
    }
    return (100 * worst) / measureBounds(asset.mesh.positions).diagonal;
  };

  it('plays a file exactly with the import settings, and loses keys with its own', async () => {
    const clip = join(folder, 'sheet.abc');
    await captureCli(['sample', 'sheet', clip, '--frames', String(FRAMES), '--resolution', '600', '--quiet']);
    const made = await captureCli([
      'decompose',
      clip,
      join(folder, 'model.glb'),
      '--bones',
      '8',
      '--threads',
      '1',
      '--quiet',
    ]);
    expect(made.status, made.err).toBe(0);
    const own = await measure(await importFile('own'));
    const set = await measure(await importFile('set', join(FOLDER, 'godot3.import')));
    console.log(
      `Godot 3: ${own.toFixed(3)} % of the diagonal with its own settings, ${set.toFixed(4)} % with godot3.import`,
    );
    expect(set).toBeLessThan(0.01);
    expect(own).toBeGreaterThan(set);
  });

  it('moves helper bones by their controllers as their keys do', async () => {
    const [model, controllers] = [join(folder, 'model.glb'), join(folder, 'controllers.json')];
    const quick = [
      '--helpers',
      '1',
      '--samples',
      '4',
      '--poses',
      '10',
      '--iterations',
      '2',
      '--threads',
      '1',
      '--quiet',
    ];
    const made = await captureCli(['convert', 'sample:delta-mush-pole', model, '--controllers', controllers, ...quick]);
    expect(made.status, made.err).toBe(0);
    const project = await importFile('helpers', join(FOLDER, 'godot3.import'));
    for (const name of ['ossify_controllers.gd', 'ossify_helpers3.gd', 'helpers3_check.gd'])
      copyFileSync(join(FOLDER, name), join(project, name));
    copyFileSync(controllers, join(project, 'controllers.json'));
    const { stdout } = spawnSync(GODOT, ['--path', project, '-s', 'res://helpers3_check.gd'], { encoding: 'utf8' });
    const [line] = stdout.split('\n').filter((text) => text.startsWith('HELPERS '));
    console.log(`Godot 3: ${line}`);
    const [, count, difference, moved] = /HELPERS (\d+) difference ([\d.]+) moved ([\d.]+)/.exec(line)!.map(Number);
    expect(count).toBe(1);
    expect(moved).toBeGreaterThan(0.01);
    expect(difference).toBeLessThan(0.01);
  });

  it.skipIf(!isBuilt)('computes virtual bones as the CPU does (needs npm run build)', async () => {
    const [source, compressed] = [join(folder, 'bar.glb'), join(folder, 'compressed.glb')];
    await captureCli(['sample', 'bar-bend', source, '--frames', '6', '--resolution', '300', '--quiet']);
    const words = ['--virtual-bones', '8', '--iterations', '4', '--threads', '1', '--quiet'];
    const made = await captureCli(['compress', source, compressed, ...words]);
    expect(made.status, made.err).toBe(0);
    const bytes = new Uint8Array(readFileSync(compressed));
    const { exportTwoLayer } = await import(new URL('../export-two-layer.mjs', import.meta.url).href);
    const asset = await readAsset([{ name: 'compressed.glb', bytes }]);
    const { motion } = sampleAnimation(asset, asset.animations[0], [0.5 * asset.animations[0].duration]);
    const boneCount = motion.matrices.length / 16;
    const rowsOf = (m: Float64Array) => [0, 1, 2].flatMap((r) => [m[r], m[4 + r], m[8 + r], m[12 + r]]);
    const pose = Array.from({ length: boneCount }, (_, j) => rowsOf(motion.matrices.subarray(16 * j, 16 * j + 16)));
    const project = join(folder, 'two-layer');
    mkdirSync(project);
    writeFileSync(join(project, 'project.godot'), 'config_version=4\n[application]\nconfig/name="ossify"\n');
    writeFileSync(join(project, 'model.json'), JSON.stringify(await exportTwoLayer(bytes)));
    writeFileSync(join(project, 'pose.json'), JSON.stringify(pose));
    for (const name of ['ossify_two_layer.gd', 'two_layer3_check.gd'])
      copyFileSync(join(FOLDER, name), join(project, name));
    const { stdout } = spawnSync(GODOT, ['--path', project, '-s', 'res://two_layer3_check.gd'], { encoding: 'utf8' });
    const line = stdout.split('\n').find((text) => text.startsWith('VIRTUAL '))!;
    const shown = JSON.parse(line.slice(8)) as number[][];
    const model = asset.twoLayer!;
    const transforms = new Float64Array(12 * virtualBoneCountOf(model));
    virtualTransformsInto(model, motion.matrices, transforms);
    let worst = 0;
    shown.forEach((rows, k) => {
      const p = model.centers.subarray(3 * k, 3 * k + 3);
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) worst = Math.max(worst, Math.abs(rows[4 * r + c] - transforms[12 * k + 3 * c + r]));
        const image = rows[4 * r] * p[0] + rows[4 * r + 1] * p[1] + rows[4 * r + 2] * p[2] + rows[4 * r + 3];
        worst = Math.max(worst, Math.abs(image - transforms[12 * k + 9 + r]));
      }
    });
    console.log(`Godot 3: ${shown.length} virtual bones, difference ${worst}`);
    expect(shown.length).toBe(virtualBoneCountOf(model));
    expect(worst).toBeLessThan(1e-4);
  });
});
