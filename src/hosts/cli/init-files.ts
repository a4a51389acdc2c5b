// SPDX-License-Identifier: MIT
// Files that `ossify init` writes.

/** Runs the script assets into a temporary folder and compares its errors with those of the report that was committed. */
export const CHECK_SCRIPT = `// Written by ossify init: fails if the error of an asset has grown by more than 5 % since ossify-report.json was committed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const GROWTH = 1.05;
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'assets-'));
const report = join(folder, 'report.json');
const line = scripts.assets
  .replace(/--out ("[^"]*"|\\S+)/, \`--out "\${join(folder, 'out')}"\`)
  .replace(/--report \\S+/, \`--report "\${report}"\`);
const { status } = spawnSync('npx', ['--no-install', ...split(line)], { stdio: 'inherit', shell: process.platform === 'win32' });
const errorsOf = (path) =>
  new Map(JSON.parse(readFileSync(path, 'utf8')).result.rows.map((row) => [row.inputs.join(' '), row.metrics?.max ?? Infinity]));
let isWorse = status !== 0;
const before = errorsOf('ossify-report.json');
for (const [input, error] of errorsOf(report)) {
  const known = before.get(input);
  if (known === undefined) console.log(\`\${input}: new, error \${error}\`);
  else if (error > GROWTH * known) {
    isWorse = true;
    console.error(\`\${input}: the error has grown from \${known} to \${error}\`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = isWorse ? 1 : 0;

function split(text) {
  return [...text.matchAll(/"([^"]*)"|(\\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}
`;

/** A GitHub workflow that checks assets when they change. */
export function makeAssetsWorkflow(assets: string): string {
  const folder = assets.replace(/[*?[{].*$/, '');
  return `# Written by ossify init: fails if the error of an asset grows.
name: assets
on:
  push:
    branches: [main]
  pull_request:
    paths:
      - '${folder}**'
      - package.json
      - package-lock.json
      - ossify-report.json
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          lfs: true
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - run: npm run assets:check
`;
}
