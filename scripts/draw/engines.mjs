// SPDX-License-Identifier: MIT
// Pictures of docs/guide/godot.md, docs/guide/unity.md and docs/guide/unreal.md: node scripts/draw/engines.mjs
// Godot 3 draws its own in a window of Xvfb (Debian: godot3, xvfb). Unity and Unreal were not at hand: their pictures are what a file should look like, drawn by
// ossify draw. Needs npm run build.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GODOT = join(ROOT, 'integrations/godot');
const IMAGES = join(ROOT, 'docs/images');
const folder = mkdtempSync(join(tmpdir(), 'ossify-engines-'));

const run = (program, words, env = {}) => {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
};
const ossify = (...words) => run(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...words, '--quiet']);

const flag = join(folder, 'model.glb');
ossify('sample', 'sheet', join(folder, 'flag.abc'), '--frames', '48', '--resolution', '4000');
ossify('decompose', join(folder, 'flag.abc'), flag, '--bones', '20');
ossify('draw', flag, join(IMAGES, 'unity-expected.png'), '--frames-sheet', '4', '--bones', '--size', '300x260');
const arm = join(folder, 'arm.glb');
ossify('convert', 'sample:delta-mush-pole', arm, '--helpers', '2');
ossify('draw', arm, join(IMAGES, 'unreal-expected.png'), '--frames-sheet', '4', '--bones', '--size', '300x260');
if (spawnSync('godot3', ['--version']).error === undefined) drawGodot();
rmSync(folder, { recursive: true, force: true });

function drawGodot() {
  const project = join(folder, 'godot');
  mkdirSync(join(project, 'addons/draw'), { recursive: true });
  const put = (from, to) => copyFileSync(from, join(project, to));
  put(flag, 'model.glb');
  put(join(GODOT, 'godot3.import'), 'model.glb.import');
  put(join(GODOT, 'stage3.tscn'), 'stage.tscn');
  put(join(GODOT, 'find_kind.gd'), 'find_kind.gd');
  put(join(GODOT, 'draw_frames.gd'), 'draw_frames.gd');
  put(join(GODOT, 'draw_editor.gd'), 'addons/draw/draw_editor.gd');
  const plugin = 'name="draw"\ndescription=""\nauthor=""\nversion="1"\nscript="draw_editor.gd"\n';
  writeFileSync(join(project, 'addons/draw/plugin.cfg'), `[plugin]\n${plugin}`);
  const settings =
    '[editor_plugins]\nenabled=PoolStringArray( "draw" )\n[rendering]\nquality/driver/driver_name="GLES2"\n';
  writeFileSync(join(project, 'project.godot'), `config_version=4\n[application]\nconfig/name="ossify"\n${settings}`);
  const show = (size, ...words) => {
    const screen = ['-a', '-s', `-screen 0 ${size}x24`, 'timeout', '120', 'godot3', '--path', project];
    const env = { LIBGL_ALWAYS_SOFTWARE: '1', OSSIFY_TIMES: '0.2,0.7,1.2' };
    run('xvfb-run', [...screen, '--video-driver', 'GLES2', '--resolution', size, ...words], env);
  };
  show('1100x700', '-e');
  show('380x340', '-s', 'res://draw_frames.gd');
  copyFileSync(join(project, 'editor.png'), join(IMAGES, 'godot-import.png'));
  copyFileSync(join(project, 'frames.png'), join(IMAGES, 'godot-frames.png'));
}
