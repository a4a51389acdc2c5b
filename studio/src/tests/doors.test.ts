// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = new URL('..', import.meta.url);

describe('the studio', () => {
  it('imports public doors of the library only, and no package but three, uplot and the validator', () => {
    const exported = JSON.parse(readFileSync(new URL('../../package.json', folder), 'utf8')).exports as Record<
      string,
      unknown
    >;
    const doors = Object.keys(exported).map((door) => (door === '.' ? 'index' : door.slice(2)));
    const wrong: string[] = [];
    let count = 0;
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    for (const name of names.filter((one) => one.endsWith('.ts') && !one.endsWith('.test.ts'))) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      for (const [, target] of text.matchAll(/(?:\bfrom\s+|\bimport\(\s*)['"]([^'"]+)['"]/g)) {
        count++;
        // as seen from the repository: studio/src/<name> or src/entry/<door>.ts
        const path = posix.join('studio/src', posix.dirname(name), target);
        const door = /^src\/entry\/([\w-]+)\.ts$/.exec(path)?.[1];
        const isOwn = target.startsWith('.') && /^studio\/src\/[\w./-]+\.ts$/.test(path);
        const isPackage = /^(three(\/examples\/.*)?|uplot|gltf-validator)$/.test(target);
        if (!isOwn && !isPackage && !(door !== undefined && doors.includes(door)))
          wrong.push(`${name} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });
});
