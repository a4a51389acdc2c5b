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
import { captureCli } from '../../src/cli/capture-cli.ts';
import { bakeAt } from '../../src/deform/bake-at.ts';
import { makeLinearBlend } from '../../src/deform/make-linear-blend.ts';
import { readAsset } from '../../src/io/read-asset.ts';
import { measureBounds } from '../../src/mesh/bounds.ts';
import { makeTimes } from '../../src/model/clip.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const GODOT = 'godot3-server';
const hasGodot = spawnSync(GODOT, ['--version']).error === undefined;
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
    const { stdout } = spawnSync(GODOT, ['--path', project, '-s', join(FOLDER, 'play3.gd')], { encoding: 'utf8', env });
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
});
