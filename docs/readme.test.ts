// SPDX-License-Identifier: MIT
// The command lines of the first block of README.md run as written, one after another, in a folder that holds nothing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { captureCli } from '../src/hosts/cli/capture-cli.ts';
import { ROOT } from './list-pages.ts';

const page = readFileSync(join(ROOT, 'README.md'), 'utf8');
const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
const lines = block
  .split('\n')
  .map((line) => line.replace(/#.*$/, '').trim())
  .filter(Boolean);

describe('README.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-readme-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  // a page in place of the studio, which is built apart
  mkdirSync(at('page'));
  writeFileSync(at('page/index.html'), '<title>studio</title>');

  it('starts with command lines', () => {
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) expect(line).toMatch(/^ossify /);
  });

  it.each(lines)(
    'runs %s',
    async (line) => {
      const words = line.split(/\s+/).slice(1);
      const placed = words.map((word) => (/^\w+\.\w+$/.test(word) ? at(word) : word));
      if (words[0] !== 'view') {
        const { status, err } = await captureCli(placed);
        expect(status, err).toBe(0);
        return;
      }
      // it runs until it is interrupted
      const control = new AbortController();
      const { status, out } = await captureCli([...placed, '--no-open'], {
        ...{ signal: control.signal, environment: { OSSIFY_STUDIO: at('page') } },
        onOutput: () => control.abort(),
      });
      expect(status).toBe(130);
      expect(out).toContain('http://');
    },
    300_000,
  );
});
