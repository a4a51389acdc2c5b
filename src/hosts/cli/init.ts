// SPDX-License-Identifier: MIT
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { length, option, text } from '../../core/options/option.ts';
import { COMMON_OPTIONS } from '../../jobs/engine/index.ts';
import { makeFolder, version } from '../disk/index.ts';
import { defineCommand } from './command.ts';
import { CHECK_SCRIPT, makeAssetsWorkflow } from './init-files.ts';
import { EXIT_DONE } from './terminal/exit-status.ts';

const REPORT = 'ossify-report.json';

export const initCommand = defineCommand({
  name: 'init',
  summary: 'set up a project: scripts in package.json, and a CI job that fails if an error grows',
  description:
    'Adds the scripts assets and assets:check to the package.json of a folder, and writes ossify-check.mjs and .github/workflows/assets.yml. Existing scripts and files are kept.',
  arguments: [{ name: '[folder]', description: 'the project (default: this folder)' }],
  examples: [
    { line: "init --assets 'caches/**/*.abc' --max-error 0.5%", does: 'decompose all caches, and keep their errors' },
    { line: 'init', does: 'the same for assets/**/*.abc with 0.5 % of the size' },
  ],
  jsonHelp: 'print the names of the files as JSON',
  hasReport: false,
  options: {
    assets: option(text('<pattern>'), 'the files to decompose', { default: 'assets/**/*.abc' }),
    out: option(text('<folder>'), 'folder of the results', { default: 'public/assets' }),
    maxError: option(length, 'maximum vertex error: 0.01, 1mm or 0.5% (default: 0.5%)'),
    ...COMMON_OPTIONS,
  },
  async run(context) {
    const [folder = '.'] = context.args;
    const { assets, out } = context.options;
    const maxError = String(context.given.maxError ?? '0.5%');
    for (const [key, value] of Object.entries({ assets, out }))
      if (/["'`$\\\p{Cc}]/u.test(value))
        throw new UsageError(
          `--${key}`,
          'must not have quotes, backslashes or dollar signs: it becomes part of a script',
        );
    const line = `ossify batch "${assets}" --job decompose --max-error ${maxError} --out "${out}" --report ${REPORT}`;
    const at = (...names: string[]) => join(folder, ...names);
    const project = await readProject(at('package.json'));
    const scripts = { assets: line, 'assets:check': 'node ossify-check.mjs', ...project.scripts };
    if (project.scripts?.assets !== undefined && project.scripts.assets !== line)
      context.note('package.json has a script "assets" already, which was kept');
    const devDependencies = { ossify: `^${version}`, ...project.devDependencies };
    const wanted = [
      { path: at('package.json'), bytes: `${JSON.stringify({ ...project, scripts, devDependencies }, null, 2)}\n` },
      { path: at('ossify-check.mjs'), bytes: CHECK_SCRIPT, isKept: true },
      { path: at('.github', 'workflows', 'assets.yml'), bytes: makeAssetsWorkflow(assets), isKept: true },
    ];
    const files: { path: string; bytes: string }[] = [];
    for (const { path, bytes, isKept } of wanted) {
      if (isKept && (await readText(path)) !== undefined) context.note(`${path} exists and was kept`);
      else files.push({ path, bytes });
    }
    await makeFolder(at('.github', 'workflows'));
    await context.save(files, [], undefined);
    context.tell(files.map(({ path }) => path));
    const lines = files.map(({ path }) => `wrote  ${path}`);
    context.say([...lines, '', `Next: npm install, then npm run assets, and commit ${REPORT}.`].join('\n'));
    return EXIT_DONE;
  },
});

interface Project {
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

async function readProject(path: string): Promise<Project> {
  const known = await readText(path);
  if (known === undefined) return { private: true, type: 'module' } as Project;
  try {
    const value: unknown = JSON.parse(known);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw new InputError(path, 'is not a JSON object; correct it first');
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new InputError(path, `cannot be read (${error.code})`);
  });
}
