// SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../shape.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'ossify-shape-'));
const longBody = '\n'.repeat(60);

/** Two layouts in one tree: `math` is flat, `methods` has folders with sources inside, `draw` has a folder of tests only. */
const FILES: Record<string, string> = {
  'src/index.ts': `export { long } from './math/long.ts';\nexport { track } from './methods/track/index.ts';\n`,
  'src/math/long.ts': `export function long(): void {${longBody}}\nexport const short = { long() {${longBody.slice(1)}} };\n`,
  'src/math/wide.ts':
    'export const wide = (a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1) => a;\n' +
    'export const packed = ({ a, b, c, d, e, f, g }: Record<string, number>) => a + b + c + d + e + f + g;\n',
  'src/math/wide.test.ts': `import { wide } from './wide.ts';\nwide!;\n`,
  'src/math/fast.as.ts': '@inline function f(): void {}\n',
  'src/methods/track/index.ts': `export { track } from './solve.ts';\n`,
  'src/methods/track/solve.ts':
    `import type { wide } from '../../math/wide.ts';\nimport { long } from '../../math/long.ts';\n` +
    '// no import: a!, b as unknown as c\n' +
    'export const track = (a?: typeof wide) => [a!, long as unknown as number, (a as unknown) === 1, a !== undefined];\n',
  'src/draw/line.ts': `import { track } from '../methods/track/index.ts';\nexport const line = track;\n`,
  'src/draw/tests/line.ts': 'export const sample = 1;\n',
};

const shape = (...args: string[]) =>
  JSON.parse(
    execFileSync(process.execPath, [SCRIPT, '--json', '--root', root, ...args], { encoding: 'utf8', stdio: 'pipe' }),
  );

beforeAll(() => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

describe('shape', () => {
  it('takes two folders as a unit only where the first has folders with sources', () => {
    expect(Object.keys(shape().units).sort()).toEqual(['src', 'src/draw', 'src/math', 'src/methods/track']);
  });

  it('counts tests, and files in folders of tests, apart', () => {
    expect(shape().units['src/math']).toMatchObject({ files: 3, testFiles: 1, testLines: 2 });
    expect(shape().units['src/draw']).toMatchObject({ files: 1, testFiles: 1 });
  });

  it('lists functions above the limits, and none at the limits', () => {
    const { places } = shape('--list');
    expect(places.longFunctions).toEqual([{ at: 'src/math/long.ts:1', name: 'long', lines: 61 }]);
    expect(places.wideFunctions).toEqual([{ at: 'src/math/wide.ts:1', name: 'wide', parameters: 7 }]);
  });

  it('counts assertions and casts of the syntax, not those in comments and tests', () => {
    const { total, places } = shape('--list');
    expect(total).toMatchObject({ nonNull: 1, casts: 1 });
    expect(places.nonNull).toEqual([{ at: 'src/methods/track/solve.ts:4' }]);
  });

  it('counts users through an index, and no index as a user', () => {
    const { total, units } = shape('--graph');
    expect(total).toMatchObject({ indexes: 2, oneUser: 3, oneUserElsewhere: 3 });
    expect(units['src/math'].usedByUnits).toEqual(['src', 'src/methods/track']);
  });

  it('follows imports of values and of types from a file', () => {
    const { reach } = shape('--graph', '--from', 'src/draw/line.ts');
    expect(reach).toEqual([{ from: 'src/draw/line.ts', files: 5, filesByValue: 4, units: 3 }]);
  });

  it('names a file that it does not have', () => {
    expect(() => shape('--graph', '--from', 'src/none.ts')).toThrow('src/none.ts is not a source of src/');
  });
});
