// SPDX-License-Identifier: MIT
// Writes docs/reference/api.md, the exported names with their sentences, so that they can be read without a build: npm run docs:names.
// reference.test.ts fails if the page is not that of the sources.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, ReflectionKind } from 'typedoc';

const HEADINGS = [
  [ReflectionKind.Function, 'Functions'],
  [ReflectionKind.Variable, 'Variables'],
  [ReflectionKind.Class, 'Classes'],
  [ReflectionKind.Interface | ReflectionKind.TypeAlias, 'Types'],
];

const INTRODUCTION = `# API

All exported names, by entry point, with the first sentence of their comments; \`npm run docs:names\` makes this page. Comments with all parameters and examples are beside the code, and in the API reference of the site
(\`npm run docs:api\` writes it to \`out/api\`).
`;

/** The page of a converted project. */
export function makeNamesPage(project) {
  const modules = (project.children ?? []).map((module) => {
    const parts = HEADINGS.flatMap(([kind, heading]) => {
      const names = (module.children ?? []).filter((one) => one.kindOf(kind));
      const rows = names
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((one) => `| \`${one.name}\` | ${sentenceOf(one)} |`);
      return rows.length === 0 ? [] : [`| ${heading} | |\n|---|---|\n${rows.join('\n')}\n`];
    });
    return `## ${module.name}\n\n${parts.join('\n')}`;
  });
  return [INTRODUCTION, ...modules].join('\n');
}

function sentenceOf(one) {
  const documented = one.signatures?.[0] ?? one;
  const parts = documented.comment?.summary ?? one.comment?.summary ?? [];
  const text = parts
    .map((part) => part.text)
    .join('')
    .replace(/\s+/g, ' ');
  const [sentence] = /^.*?[.:](?=\s+[A-Z`]|$)/.exec(text) ?? [text];
  return sentence.replace(/^`/, '`').replaceAll('|', '\\|').replaceAll('<', '\\<').trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = fileURLToPath(new URL('typedoc.json', import.meta.url));
  const application = await Application.bootstrap({ options, logLevel: 'Error' });
  const project = await application.convert();
  if (!project) throw new Error('TypeDoc could not read the entry points');
  writeFileSync(new URL('../reference/api.md', import.meta.url), makeNamesPage(project));
}
