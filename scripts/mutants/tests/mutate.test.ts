// SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Mutant {
  readonly file: string;
  readonly function: string;
  readonly kind: string;
  readonly source: string;
  readonly replacement: string;
  readonly ordinal: number;
  readonly at?: string;
  readonly result?: string;
  readonly by?: string;
}

const SCRIPT = fileURLToPath(new URL('../mutate.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'ossify-mutate-'));
const record = join(root, 'tmp/mutants.json');

const FILES: Record<string, string> = {
  '.gitignore': 'node_modules\ntmp\n',
  'package.json': '{ "type": "module" }\n',
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "allowImportingTsExtensions": true, "types": [] }, "include": ["src"], "exclude": ["**/*.test.ts"] }\n',
  'src/near/area.ts':
    `export const EMPTY = 0;\nexport function area(width: number, height: number): number {\n` +
    `  if (width < 0) throw new Error('negative width ' + (width + 1));\n` +
    `  return width * height;\n}\nexport function label(width: number): string {\n  return 'width ' + width;\n}\n`,
  'src/near/area.test.ts':
    `import { expect, it } from 'vitest';\nimport { area } from './area.ts';\n` +
    `it('multiplies', () => expect(area(2, 3)).toBe(6));\n`,
  'src/far/deep/twice.ts': `import { area } from '../../near/area.ts';\nexport const twice = (a: number): number => area(a, 2);\n`,
  'src/far/deep/twice.test.ts': `import { it } from 'vitest';\nimport { twice } from './twice.ts';\nit('runs', () => { twice(1); });\n`,
};

function mutate(...args: string[]): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST')));
  return execFileSync(process.execPath, [SCRIPT, '--root', root, ...args], { encoding: 'utf8', stdio: 'pipe', env });
}
const plan = (...args: string[]): Mutant[] => JSON.parse(mutate('--plan', ...args)).mutants;
const writeList = (mutants: readonly object[]) => writeFileSync(record, JSON.stringify({ mutants }));

beforeAll(() => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'tmp'));
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(root, 'node_modules'), 'junction');
  execFileSync('git', ['init', '--quiet'], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true }));

describe('the choice of mutants', () => {
  it('has one in each unit with tests, and is the same for the same seed', () => {
    const mutants = plan('--count', '2');
    expect(mutants.map(({ file }) => file).sort()).toEqual(['area.ts', 'twice.ts']);
    expect(plan('--count', '2')).toEqual(mutants);
  });

  it('leaves out constants of the module, texts and errors', () => {
    const places = Array.from({ length: 12 }, (_, seed) => plan('--count', '2', '--seed', String(seed))).flat();
    const sources = new Set(places.filter(({ file }) => file === 'area.ts').map(({ source }) => source));
    expect([...sources].sort()).toEqual(['0', 'width * height', 'width < 0']);
  });
});

describe('a record', () => {
  const sign = { file: 'area.ts', function: 'area', kind: 'sign', source: 'width * height', ordinal: 0 };
  const product = { ...sign, replacement: 'width / height' };
  const negative = { ...sign, kind: 'comparison', source: 'width < 0', replacement: 'width > 0' };
  const bound = { ...sign, kind: 'constant', source: '0', replacement: '1' };

  it('is repeated: found and survived, and lost where the code is gone', () => {
    writeList([product, negative, bound, { ...sign, source: 'width + depth', replacement: 'width - depth' }]);
    mutate('--list', record, '--out', record);
    const { total, mutants } = JSON.parse(readFileSync(record, 'utf8'));
    expect(mutants.map(({ result, by }: Mutant) => [result, by])).toEqual([
      ['found', 'src/near/area.test.ts'],
      ['found', 'src/near/area.test.ts'],
      ['survived', undefined],
      ['lost', undefined],
    ]);
    expect(total).toMatchObject({ found: 2, survived: 1, lost: 1 });
    expect(readFileSync(join(root, 'src/near/area.ts'), 'utf8')).toBe(FILES['src/near/area.ts']);
    expect(existsSync(join(root, 'tmp/mutate'))).toBe(false);
  });

  it('names the same places after a file was moved, and after it was renamed', () => {
    writeList([product]);
    for (const path of ['src/far/area.ts', 'src/far/solve.ts']) {
      renameSync(join(root, 'src/near/area.ts'), join(root, path));
      expect(plan('--list', record)[0]).toEqual({ ...product, at: `${path}:4` });
      renameSync(join(root, path), join(root, 'src/near/area.ts'));
    }
  });
});
