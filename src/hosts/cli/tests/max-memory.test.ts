// SPDX-License-Identifier: MIT
// Every command obeys --max-memory: an input that needs more is refused in one sentence, and nothing is written.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOBS } from '../../../jobs/table/jobs.ts';
import { captureCli } from '../capture-cli.ts';

let folder = '';
const at = (...names: string[]) => join(folder, ...names);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-memory-'));
  mkdirSync(at('scan'));
  await captureCli(['sample', 'bar-bend', at('rig.glb'), '--resolution', '2000', '--frames', '6']);
  for (const n of [0, 1]) await captureCli(['sample', 'bar-bend', at(`scan/${n}.obj`), '--resolution', '1000']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inputsOf = (name: string) => {
  const { inputs } = JOBS.filter((job) => job.name === name)[0];
  if (inputs[0]?.choices) return [inputs[0].choices[0]];
  return inputs.map(() => (name === 'track' ? at('scan') : at('rig.glb')));
};

describe('--max-memory', () => {
  it.each(JOBS.map(({ name }) => name))('is obeyed by %s', async (name) => {
    const { output, options } = JOBS.filter((job) => job.name === name)[0];
    expect(Object.keys(options)).toContain('maxMemory');
    const place = output ? [at(output.isFolder ? 'made' : `made${output.extensions[0]}`)] : [];
    const more = name === 'edit' ? ['--edited', at('rig.glb')] : [];
    const before = readdirSync(folder).sort();
    const { status, out, err } = await captureCli([name, ...inputsOf(name), ...place, ...more, '--max-memory', '20kB']);
    expect([status, out], err).toEqual([1, '']);
    expect(err).toMatch(/^ossify: .+ above the limit of .+--max-memory\)\n$/);
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it('counts what a reader makes of a file, not its bytes alone', async () => {
    const { size } = statSync(at('rig.glb'));
    const run = (bytes: number) => captureCli(['info', at('rig.glb'), '--max-memory', `${bytes / 1000}kB`]);
    expect((await run(size - 1)).err).toContain(`rig.glb: has ${Math.round(size / 1000)} kB, above the limit`);
    const { status, err } = await run(size + 1000);
    expect([status, err]).toEqual([1, expect.stringMatching(/rig\.glb: takes \d+ kB of memory, above the limit of/)]);
    expect((await run(40 * size)).status).toBe(0);
  });
});
