// SPDX-License-Identifier: MIT
// Solves horse-gallop with 20 bones and grows it to more, as the handle of the studio does: CPU time of all threads, elapsed time and error of the first shape.
// Needs `npm run build:library` first and the data folder (OSSIFY_DATA, or ../shared).
// Usage: node scripts/measure/growth.mjs [--threads 2] [--bones 21,26,30,34,40]
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { decompose, makeBoneGrowth, readAsset } from '../../dist/entry/index.js';

const START = 20;
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = resolve(root, process.env.OSSIFY_DATA ?? '../shared', 'datasets/horse-gallop');
const { values } = parseArgs({
  options: { threads: { type: 'string', default: '2' }, bones: { type: 'string', default: '21,26,30,34,40' } },
});
const threads = Number(values.threads);

const files = ['rest.obj', 'motion.pc2'].map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
const [clip] = (await readAsset(files)).clips;
const { model } = await decompose(clip, { bones: START, threads });
const growth = await makeBoneGrowth({ ...clip, mesh: model.mesh }, model, { threads });
for (const count of values.bones.split(',').map(Number)) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { error } = await growth.grow(count);
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${START} to ${count} bones: ${Math.round((user + system) / 1000)} ms CPU, ${Math.round(elapsed)} ms elapsed, RMSE ${error.toPrecision(3)}`,
  );
}
growth.dispose();
