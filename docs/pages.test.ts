// SPDX-License-Identifier: MIT
// The shape of the documentation: lengths, the order of a method's page, an index page per folder, and links between Markdown files.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listMethodPages, listPages, ROOT } from './list-pages.ts';

const METHOD_WORDS = 1500;
const README_WORDS = 600;
const FOLDERS = ['docs', ...['guide', 'methods', 'formats', 'reference', 'benchmarks'].map((name) => `docs/${name}`)];

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

/** Words with a letter or a digit, in prose and tables. */
const countWords = (text: string): number => (withoutCode(text).match(/\S*[\p{L}\p{N}]\S*/gu) ?? []).length;

const listHeadings = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^(#+) (.+)$/gm)].map(([, level, title]) => `${level} ${title}`);

/** Anchors as GitHub and the site make them. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

describe('the pages', () => {
  it(`of methods have at most ${METHOD_WORDS} words`, () => {
    const long = listMethodPages()
      .filter((page) => page !== 'src/methods/README.md')
      .map((page) => `${page}: ${countWords(textOf(page))}`)
      .filter((line) => Number(line.split(': ')[1]) > METHOD_WORDS);
    expect(long).toEqual([]);
  });

  it('of methods show the use first, then how it works, limits, figures', () => {
    for (const page of listMethodPages().filter((one) => one !== 'src/methods/README.md')) {
      const text = textOf(page);
      const sections = listHeadings(text).filter((line) => line.startsWith('## '));
      expect(sections, page).toEqual(['## How it works', '## Limits', '## Figures']);
      const start = text.slice(0, text.indexOf('\n## '));
      expect(start, page).toMatch(/^```(sh|ts)$/m);
    }
  });

  it('exist for every method', () => {
    const units = readdirSync(join(ROOT, 'src/methods'), { withFileTypes: true });
    const bare = units.filter(
      (one) => one.isDirectory() && !existsSync(join(ROOT, 'src/methods', one.name, 'README.md')),
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it(`are introduced by a README of at most ${README_WORDS} words`, () => {
    expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(README_WORDS);
  });

  it('are all named by the index page of their folder', () => {
    const faults = FOLDERS.flatMap((folder) => {
      const index = textOf(`${folder}/README.md`);
      return readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`](${name})`))
        .map((name) => `${folder}/${name}`);
    });
    const methods = textOf('docs/methods/README.md');
    faults.push(...listMethodPages().filter((page) => page !== 'src/methods/README.md' && !methods.includes(page)));
    expect(faults).toEqual([]);
  });

  it('link to files and headings that exist', () => {
    const faults: string[] = [];
    for (const page of listPages()) {
      for (const [, href] of withoutCode(textOf(page)).matchAll(/\]\(([^()\s]+)\)/g)) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path, anchor] = href.split('#');
        const target = path === '' ? page : posix.join(dirname(page), path);
        if (!existsSync(join(ROOT, target))) faults.push(`${page}: ${href}`);
        else if (anchor && statSync(join(ROOT, target)).isFile()) {
          const anchors = listHeadings(textOf(target)).map((line) => anchorOf(line.replace(/^#+ /, '')));
          if (!anchors.includes(anchor)) faults.push(`${page}: ${href} has no such heading`);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});
