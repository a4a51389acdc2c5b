// SPDX-License-Identifier: MIT
// Rules of the house that neither the compiler nor the linter checks.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const MAX_LINES = 400;

/** Files that every unit may have. */
const PARTS = ['index.ts', 'options.ts', 'solve.ts'];

/** Bytes of a picture in the repository; `pngquant --quality 80-100` makes most of them a third. */
const MAX_PICTURE = 300_000;

function listSources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return listSources(path);
    return name.endsWith('.ts') ? [path] : [];
  });
}

const sources = ['src', 'studio', 'bench', 'truth'].flatMap((folder) => listSources(join(ROOT, folder)));
const code = sources.filter((path) => !path.endsWith('.test.ts'));
const textOf = (path: string) => readFileSync(path, 'utf8');
const nameOf = (path: string) => relative(ROOT, path).replaceAll('\\', '/');

/** Places where a pattern stands, as file:line. */
function find(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, n) => (pattern.test(line) ? [`${nameOf(path)}:${n + 1}: ${line.trim()}`] : [])),
  );
}

describe('every file', () => {
  it(`has at most ${MAX_LINES} lines`, () => {
    const long = code.filter((path) => textOf(path).split('\n').length - 1 > MAX_LINES);
    expect(long.map(nameOf)).toEqual([]);
  });

  it('has a name that no other file has, unless the name is that of a part of every unit', () => {
    const byName = new Map<string, string[]>();
    for (const path of code.filter((one) => /^src\/(?!entry\/)/.test(nameOf(one)))) {
      const name = basename(path);
      if (PARTS.includes(name)) continue;
      byName.set(name, [...(byName.get(name) ?? []), nameOf(path)]);
    }
    const shared = [...byName.values()].filter((paths) => paths.length > 1);
    expect(shared).toEqual([]);
  });

  it('asks a model for its kind, never for its fields', () => {
    expect(find(code, /['"]\w+['"] in (model|asset|source|input|rig|content|deformer|opened)\b/)).toEqual([]);
  });

  it('tells errors by their class, never by how their message begins', () => {
    expect(
      find(code, /message\.(startsWith|replace|match|slice|indexOf|includes)\(|\.test\((\w+\.)?message\)/),
    ).toEqual([]);
  });

  it('gives other tests of its process no page, if it is a test: threads and files are then those of a browser', () => {
    const stubs = code.filter((path) => /\.test\.ts$/.test(path) && path.startsWith('src/'));
    expect(stubs.filter((path) => /assign\(globalThis/.test(textOf(path)))).toEqual([]);
  });

  it('asserts no duration, if it is a test: machines are slow and busy', () => {
    const tests = ['src', 'bench', 'docs/api', 'faults', 'fuzz', 'integrations', 'scripts', 'studio', 'truth'].flatMap(
      (folder) => listSources(join(ROOT, folder)).filter((path) => path.endsWith('.test.ts')),
    );
    expect(tests.length).toBeGreaterThan(400);
    expect(find(tests, /\b(performance|Date)\.now\(\) -|expect\(.*\.now\(\)|process\.hrtime/)).toEqual([]);
  });

  it(`is a picture of at most ${MAX_PICTURE} bytes, if it is one (pngquant makes them smaller)`, () => {
    const images = join(ROOT, 'docs/images');
    const large = readdirSync(images).filter((name) => statSync(join(images, name)).size > MAX_PICTURE);
    expect(large).toEqual([]);
  });

  it('has no drawer for odds and ends', () => {
    expect(code.map(nameOf).filter((name) => /\/(utils?|helpers?|misc|common)\.ts$/.test(name))).toEqual([]);
  });
});
