// SPDX-License-Identifier: MIT
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCharacter } from '../../../formats/rules/tests/make-character.ts';
import { spoilGlb, spoilScene, toGlb } from '../../../formats/rules/tests/spoil.ts';
import { writeUsdScene } from '../../../formats/usd/index.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-check-'));
  writeFileSync(at('good.glb'), await toGlb(makeCharacter()));
  writeFileSync(
    at('joints.glb'),
    await spoilScene((scene) => {
      const names = scene.nodes.names.map((name) => (name === 'foot_r' ? 'foot_l' : name));
      return { ...scene, nodes: { ...scene.nodes, names } };
    }),
  );
  writeFileSync(
    at('lost.glb'),
    await spoilGlb(({ json }) => {
      json.images = [{ uri: 'lost.png' }, ...(json.images ?? []).slice(1)];
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The result of a command that prints JSON. */
async function check(...words: string[]) {
  const { status, out, err } = await captureCli(['check', ...words, '--json']);
  return { status, err, ...(out === '' ? {} : JSON.parse(out).result) };
}

const rulesOf = (findings: readonly { rule: string }[]): string[] => findings.map(({ rule }) => rule);

describe('check', () => {
  it('finds nothing in a good character, and exits with 0', async () => {
    const { status, out } = await captureCli(['check', at('good.glb')]);
    expect(status).toBe(0);
    expect(out).toMatch(/good\.glb: nothing found/);
  });

  it('exits with 1 if there are errors, and names the place, the fault and the remedy', async () => {
    const { status, out } = await captureCli(['check', at('lost.glb')]);
    expect(status).toBe(1);
    expect(out).toMatch(
      /error: .*lost\.png.*\(image-missing\)\n {2}place the image in the folder of the file.* \[--fix\]/,
    );
    expect(out).toMatch(/lost\.glb: 1 error/);
  });

  it('exits with 0 if there are warnings only', async () => {
    const { status, findings, errors, warnings } = await check(at('joints.glb'));
    expect({ status, errors, warnings }).toEqual({ status: 0, errors: 0, warnings: 1 });
    expect(findings).toEqual([
      {
        ...{ rule: 'name-duplicate', severity: 'warning', place: { joint: 'foot_l' }, fault: '2 have this name' },
        ...{ remedy: 'give each a name of its own', canFix: true },
      },
    ]);
  });

  it('writes a repaired file, checks it again and exits by what is left', async () => {
    const { status, findings, written } = await check(at('lost.glb'), '--fix', at('found.glb'));
    expect(status).toBe(0);
    expect(rulesOf(findings)).toContain('image-missing');
    expect(written).toMatchObject({ path: at('found.glb'), errors: 0 });
    expect(rulesOf(written.findings)).not.toContain('image-missing');
    expect((await check(at('found.glb'))).errors).toBe(0);
  });

  it.each(['.fbx', '.usdz', '.gltf'])('repairs into %s', async (extension) => {
    const path = at(`again${extension}`);
    const { status, written } = await check(at('joints.glb'), '--fix', path);
    expect(status).toBe(0);
    expect(rulesOf(written.findings)).not.toContain('name-duplicate');
    expect((await check(path)).errors).toBe(0);
  });

  it('adds the rules of a target, and repairs into its format', async () => {
    const { findings, status } = await check(at('good.glb'), '--for', 'ar');
    expect(rulesOf(findings)).toContain('ar-format');
    expect(status).toBe(1);
    const fixed = await check(at('good.glb'), '--for', 'ar', '--fix', at('good.usdz'));
    expect(fixed.status).toBe(0);
    expect(fixed.written.errors).toBe(0);
  });

  it('refuses an output that the target does not open, and one that holds no character', async () => {
    expect(await check(at('good.glb'), '--for', 'unity', '--fix', at('x.usdz'))).toMatchObject({ status: 2 });
    const { status, err } = await check(at('good.glb'), '--fix', at('x.pc2'));
    expect(status).toBe(2);
    expect(err).toMatch(/--fix: must end in/);
  });

  it('lists what is wrong with a package, and repairs it if it can be read', async () => {
    const { bytes } = writeUsdScene(makeCharacter(), { name: 'character', up: 'y', metresPerUnit: 1, form: 'usdz' });
    const entries = unzipSync(bytes);
    writeFileSync(at('packed.usdz'), zipSync(entries, { level: 6 }));
    writeFileSync(at('shifted.usdz'), zipSync(entries, { level: 0 }));
    const packed = await check(at('packed.usdz'));
    expect(rulesOf(packed.findings)).toEqual(expect.arrayContaining(['usdz-compression', 'unreadable']));
    const { status, findings, written } = await check(at('shifted.usdz'), '--fix', at('plain.usdz'));
    expect(rulesOf(findings)).toContain('usdz-alignment');
    expect(written.errors).toBe(0);
    expect(status).toBe(0);
  });

  it('says why a file cannot be read, and writes nothing', async () => {
    writeFileSync(at('cut.glb'), readFileSync(at('good.glb')).subarray(0, 4000));
    const { status, findings, err, written } = await check(at('cut.glb'), '--fix', at('uncut.glb'));
    expect(status).toBe(1);
    expect(rulesOf(findings)).toContain('unreadable');
    expect(findings.every(({ canFix }: { canFix: boolean }) => !canFix)).toBe(true);
    expect(written).toBeUndefined();
    expect(err).toMatch(/uncut\.glb was not written/);
    expect(() => readFileSync(at('uncut.glb'))).toThrow();
  });

  it('prints no sequences that are in the file', async () => {
    const bytes = await spoilGlb(({ json }) => {
      for (const node of json.nodes ?? []) node.name = '\u001b[31mred';
    });
    writeFileSync(at('red.glb'), bytes);
    const { out } = await captureCli(['check', at('red.glb')]);
    expect(out).toContain('name-characters');
    expect(out).not.toContain('\u001b');
  });

  it('fails on a file that is not there', async () => {
    const { status, err } = await captureCli(['check', at('nothing.glb')]);
    expect(status).toBe(1);
    expect(err).toMatch(/nothing\.glb/);
  });
});
