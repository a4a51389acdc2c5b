// SPDX-License-Identifier: MIT
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../formats.ts';
import type { FuzzFormat } from '../fuzz-format.ts';
import { GROWING_INPUTS } from '../growth/growing-inputs.ts';
import { mutateBytes } from '../mutate/mutate-bytes.ts';
import { readCorpora } from '../read-corpora.ts';
import { FUZZ_LIMITS, fuzzFiles, makeFile, tryFile } from '../run/fuzz-files.ts';
import { minimize } from '../run/minimize.ts';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FOLDER = join(ROOT, 'out', 'fuzz-test');
/** The CI-sized setting: files per format, and minutes that a format may take on a slow machine. */
const FILES = 250;
const MINUTES = 0.08;
/** Bytes of the largest input that grows. */
const GROWTH_BYTES = 2 ** 15;

const run = promisify(execFile);

describe('the fuzzer', () => {
  beforeAll(() => run(process.execPath, [join(ROOT, 'fuzz', 'build.mjs'), FOLDER]));
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  it('finds no defect in any reader', { timeout: 240_000 }, async () => {
    const program = join(FOLDER, 'fuzz.mjs');
    const options = [
      '--count',
      String(FILES),
      '--minutes',
      String(MINUTES),
      '--seed',
      process.env.OSSIFY_SEED ?? '1',
      '--out',
      join(FOLDER, 'found'),
    ];
    const { stdout } = await run(process.execPath, [program, ...options], { cwd: ROOT }).catch((error) => error);
    const rows = String(stdout).trim().split('\n').slice(-Object.keys(FORMATS).length);
    expect(rows.map((row) => row.split(/\s+/)[0])).toEqual(Object.keys(FORMATS));
    // format, files, accepted, refused, slowest, largest, defects, rate
    expect(
      rows
        .filter((row) => row.split(/\s{2,}/)[6] !== '0')
        .concat(
          String(stdout)
            .split('\n')
            .filter((line) => /: file \d/.test(line)),
        ),
    ).toEqual([]);
    for (const row of rows) expect(Number(row.split(/\s{2,}/)[2].replaceAll(',', ''))).toBeGreaterThan(0);
  });

  it('finds no input whose cost grows beyond the budget', { timeout: 600_000 }, async () => {
    const program = join(FOLDER, 'fuzz.mjs');
    const options = ['--growth', '--untimed', '--jobs', '2', '--size', String(GROWTH_BYTES)];
    const { stdout } = await run(process.execPath, [program, ...options], { cwd: ROOT }).catch((error) => error);
    const rows = String(stdout).trim().split('\n');
    expect(rows.filter((row) => row.includes('DEFECT'))).toEqual([]);
    expect(rows).toHaveLength(GROWING_INPUTS.length + 1);
  });

  const corpus = process.env.OSSIFY_CORPUS ?? '';
  it('lists public files by hash, and leaves out those that are not there', async () => {
    const results = await readCorpora(join(FOLDER, 'none'));
    expect(results.map(({ present, defects }) => [present, defects])).toEqual(results.map(() => [0, []]));
    for (const { listed } of results) expect(listed).toBeGreaterThan(0);
  });
  it.skipIf(corpus === '')('finds no defect in public files (needs OSSIFY_CORPUS)', { timeout: 240_000 }, async () => {
    for (const { defects } of await readCorpora(corpus)) expect(defects).toEqual([]);
  });

  it.each(Object.entries(FORMATS))(
    'starts from seeds that are accepted, and makes the same files again: %s',
    async (name, format) => {
      const seeds = await format.makeSeeds();
      for (const { name: seed, bytes } of seeds) {
        // Seeds of .gltf are GLB files, which become texts.
        if (name === 'gltf' || name === 'graph') continue;
        expect({ seed, ...(await tryFile(format, bytes, FUZZ_LIMITS)) }).toMatchObject({ seed, isAccepted: true });
      }
      for (let file = 0; file < 50; file++)
        expect(makeFile(format, seeds, 3, file)).toEqual(makeFile(format, seeds, 3, file));
      expect(makeFile(format, seeds, 3, 0)).not.toEqual(makeFile(format, seeds, 4, 0));
    },
  );

  it('finds a planted defect, once, and removes what it does not need', async () => {
    const format: FuzzFormat = {
      extension: 'txt',
      makeSeeds: async () => [{ name: 'text', bytes: new TextEncoder().encode('a text of some words') }],
      mutate: (random, [seed]) => mutateBytes(random, seed.bytes),
      target: async (bytes) => (bytes.includes(0xff) ? 'it has the byte 255' : undefined),
    };
    const seeds = await format.makeSeeds();
    const counts = await fuzzFiles(format, seeds, { seed: 1, first: 0, step: 1, end: 500 }, FUZZ_LIMITS);
    expect(counts).toMatchObject({ files: 500, accepted: 500, refused: 0 });
    expect(counts.defects).toHaveLength(1);
    const [{ file, defect }] = counts.defects;
    const bytes = makeFile(format, seeds, 1, file);
    expect([...(await minimize(format, bytes, defect.signature, FUZZ_LIMITS))]).toEqual([255]);
  });
});
