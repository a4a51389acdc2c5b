// SPDX-License-Identifier: MIT
// The tables of the page of engines are those of the code. A failure prints the text to put there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSettings, TARGET_NAMES, TARGETS } from '../src/formats/targets/index.ts';
import { ROOT } from './list-pages.ts';

const page = readFileSync(join(ROOT, 'docs/guide/engines.md'), 'utf8');

describe('docs/guide/engines.md', () => {
  it.each(TARGET_NAMES)('has the settings of %s', (name) => {
    const cell = (text: string): string => text.replaceAll('|', '\\|');
    const rows = listSettings(TARGETS[name]).map(
      ({ name: setting, value, reason, source }) =>
        `| ${setting} | ${cell(value)} | ${cell(reason)}${source ? ` [source](${source})` : ''} |`,
    );
    const table = ['| setting | value | reason |', '|---|---|---|', ...rows].join('\n');
    const [, section = ''] = page.split(`\n## ${TARGETS[name].title}\n`);
    expect(section.split('\n## ')[0]).toContain(table);
  });
});
