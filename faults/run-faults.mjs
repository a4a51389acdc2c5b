// SPDX-License-Identifier: MIT
// Attacks the writes of every command. Needs `npm run build`.
// Usage: npm run faults -- [--kills 60] [--commands decompose,compress,convert] [--seed 7] [--jobs 2] [--dist folder] [--json]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failEveryWrite } from './fail-every-write.mjs';
import { killAtRandom } from './kill-at-random.mjs';
import { INPUT_LINES, makeCases } from './make-cases.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    commands: { type: 'string', default: 'decompose,compress,convert' },
    errors: { type: 'string', default: '' },
    seed: { type: 'string', default: '7' },
    jobs: { type: 'string', default: '2' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
  },
});
const dist = resolve(values.dist);
if (!existsSync(join(dist, 'hosts/cli/main.js'))) {
  console.error('faults: the command line is not built; run npm run build first');
  process.exit(2);
}
const kills = Number(values.kills);
const commands = values.commands.split(',').filter(Boolean);
const folder = mkdtempSync(join(tmpdir(), 'ossify-faults-'));
try {
  const inputs = join(folder, 'inputs');
  mkdirSync(inputs);
  for (const line of INPUT_LINES)
    execFileSync(process.execPath, [join(dist, 'hosts/cli/main.js'), ...line, '--quiet'], { cwd: inputs });
  const cases = makeCases(inputs).filter(
    ({ command }) => values.errors === '' || values.errors.split(',').includes(command),
  );
  const errors = await failEveryWrite(dist, inputs, cases);
  const signals =
    kills === 0
      ? []
      : await killAtRandom(dist, inputs, {
          ...{ commands, seed: Number(values.seed), jobs: Number(values.jobs) },
          kills: Math.ceil(kills / commands.length),
          // a thousand kills take long: each command's rows are printed when it is done
          onRows: (rows) => {
            if (!values.json) printRows(rows);
          },
          onProgress: (command, n) => {
            if (!values.json && n % 50 === 49) console.error(`${command}: ${n + 1}`);
          },
        });
  const defects = [...errors, ...signals].flatMap(({ command, defects: found }) =>
    found.map((text) => `${command}: ${text}`),
  );
  if (values.json) console.log(JSON.stringify({ errors, signals, defects }));
  else {
    printRows(errors);
    for (const text of defects) console.log(text);
  }
  process.exitCode = defects.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function printRows(rows) {
  console.table(rows.map(({ defects: found, ...row }) => ({ ...row, defects: found.length })));
}
