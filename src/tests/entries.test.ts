// SPDX-License-Identifier: MIT
// What the pages say can be imported can be.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listPages } from '../../docs/list-pages.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const exported = JSON.parse(read('package.json')).exports as Record<string, { default: string } | string>;

/** Names behind a door: './draw' of package.json is src/entry/draw.ts. */
async function listNames(door: string): Promise<string[]> {
  const entry = exported[door];
  if (typeof entry !== 'object') throw new Error(`package.json has no door ${door}`);
  const source = entry.default.replace('./dist/', '../').replace(/\.js$/, '.ts');
  return Object.keys(await import(new URL(source, import.meta.url).href));
}

const PAGES = listPages();

function listImports(page: string): RegExpExecArray[] {
  return [...read(page).matchAll(/import \{([^}]+)\} from 'ossify(\/\w+)?'/g)];
}

describe('doors', () => {
  it('are shown on several pages', () => {
    expect(PAGES.filter((page) => listImports(page).length > 0).length).toBeGreaterThan(5);
  });

  it.each(PAGES.filter((page) => listImports(page).length > 0))('hold what the code in %s imports', async (page) => {
    for (const [, names, door] of listImports(page)) {
      const wanted = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '));
      expect(await listNames(door ? `.${door}` : '.'), `${page}: ossify${door ?? ''}`).toEqual(
        expect.arrayContaining(wanted),
      );
    }
  });

  it('hold every call that docs/guide/draw.md lists', async () => {
    const calls = [...read('docs/guide/draw.md').matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
    expect(calls.length).toBeGreaterThan(5);
    expect(await listNames('./draw')).toEqual(expect.arrayContaining(calls));
  });
});
