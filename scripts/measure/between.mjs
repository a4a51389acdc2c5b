// SPDX-License-Identifier: MIT
// Decomposes every captured clip with every kind of transforms and compares the largest error between frames, where vertices of a clip move straight, with that at the frames.
// Exits with status 1 if a clip is above the limit. Needs `npm run build` first and the data folder (OSSIFY_DATA, or ../shared).
// Usage: node scripts/measure/between.mjs [--bones 10,20] [--transforms rigid,similarity,affine] [--data cat-poses,flag]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Largest error between frames: this ratio of the largest error at the frames, plus this percentage of the box diagonal. */
const RATIO = 1.3;
const PERCENT = 0.1;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = resolve(root, process.env.OSSIFY_DATA ?? '../shared', 'datasets');
const { values } = parseArgs({
  options: {
    bones: { type: 'string', default: '10,20' },
    transforms: { type: 'string', default: 'rigid,similarity,affine' },
    data: { type: 'string', default: listClips().join(',') },
  },
});
const cli = join(root, 'dist/cli/main.js');
const work = mkdtempSync(join(tmpdir(), 'ossify-between-'));
let failures = 0;

try {
  console.log(`${'clip'.padEnd(16)}${'transforms'.padEnd(12)}bones   max %  between %  allowed %  rmse %  bytes`);
  for (const name of values.data.split(','))
    for (const transforms of values.transforms.split(','))
      for (const bones of values.bones.split(',')) printCase(name, transforms, bones);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

function listClips() {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function printCase(name, transforms, bones) {
  const input = `${join(folder, name, 'rest.obj')}+${join(folder, name, 'motion.pc2')}`;
  const args = ['decompose', input, join(work, 'out.glb'), '--bones', bones, '--transforms', transforms, '--json'];
  const printed = execFileSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { metrics, result, bytes } = JSON.parse(printed);
  const between = (metrics.maxPercent * result.between.max) / metrics.max;
  const allowed = RATIO * metrics.maxPercent + PERCENT;
  const isMet = between <= allowed;
  if (!isMet) failures++;
  const numbers = [metrics.maxPercent, between, allowed].map((value, n) => value.toFixed(3).padStart(n === 0 ? 8 : 11));
  console.log(
    `${name.padEnd(16)}${transforms.padEnd(12)}${bones.padStart(5)}${numbers.join('')}${metrics.rmsePercent.toFixed(3).padStart(8)}${String(bytes.file).padStart(9)}  ${isMet ? 'met' : 'ABOVE'}`,
  );
}
