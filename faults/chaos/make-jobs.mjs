// SPDX-License-Identifier: MIT
// Small clips of different bytes, a list of jobs, and what each job makes in one process without disturbance.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hash } from './check-outputs.mjs';

/** @returns the SHA-256 of each output by its name */
export async function makeJobs({ folder, dist, clips, random, run }) {
  mkdirSync(join(folder, 'in'));
  const { makeSample } = await import(pathToFileURL(join(dist, 'samples/make-sample.js')).href);
  const { writePc2 } = await import(pathToFileURL(join(dist, 'formats/caches/write-pc2.js')).href);
  const { clip } = makeSample('bar-bend', { resolution: 100, frames: 4 });
  const { positions, triangles } = clip.mesh;
  const rows = (array, word, add) =>
    Array.from(
      { length: array.length / 3 },
      (_, n) => `${word} ${[...array.slice(3 * n, 3 * n + 3)].map((x) => x + add).join(' ')}`,
    );
  writeFileSync(join(folder, 'in/rest.obj'), [...rows(positions, 'v', 0), ...rows(triangles, 'f', 1)].join('\n'));
  const jobs = [];
  for (let n = 0; n < clips; n++) {
    const moved = clip.positions.map((x) => x + 0.05 * (random() - 0.5));
    writeFileSync(join(folder, `in/${n}.pc2`), writePc2({ ...clip, positions: moved }));
    const inputs = [`${folder}/in/rest.obj+${folder}/in/${n}.pc2`];
    jobs.push({
      command: 'decompose',
      inputs,
      output: `${n % 10}/${n}.glb`,
      options: { bones: 2, iterations: 1, threads: 1 },
    });
  }
  const list = join(folder, 'jobs.jsonl');
  writeFileSync(list, jobs.map((job) => JSON.stringify(job)).join('\n'));
  run(['batch', list, '--out', join(folder, 'plain'), '--jobs', '1']);
  return new Map(jobs.map(({ output }) => [output, hash(readFileSync(join(folder, 'plain', output)))]));
}
