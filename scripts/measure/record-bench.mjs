// SPDX-License-Identifier: MIT
// Appends one row of quality and speed to bench/results/<machine>.csv, once per release. Takes about a minute; needs `npm run build` first.
// Usage: node scripts/measure/record-bench.mjs [--machine NAME] [--cli dist/cli/main.js of another version]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { machine: { type: 'string' }, cli: { type: 'string', default: join(root, 'dist/cli/main.js') } },
});
const data = resolve(root, process.env.OSSIFY_DATA ?? '../shared', 'datasets');
/** Other processes disturb a run: the fastest of a few is kept. */
const RUNS = 3;
const work = mkdtempSync(join(tmpdir(), 'ossify-record-'));

const ossify = (...args) =>
  execFileSync(process.execPath, [resolve(values.cli), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

try {
  const printed = JSON.parse(ossify('bench', 'kernels', '--json', '--quiet'));
  // 0.1.0 printed the result without a report around it
  const { machine, suites } = printed.result ?? printed;
  const name = values.machine ?? slugOf(`${machine.cpu} ${machine.cores} cores`);
  const row = {
    version: ossify('--version').trim(),
    date: new Date().toISOString().slice(0, 10),
    machine: name,
    cpu: machine.cpu,
    cores: machine.cores,
    node: machine.node,
    load: machine.load,
    ...measureDecomposition('horse-gallop', 20, 'rest.obj', 'motion.pc2', join(data, 'horse-gallop')),
    ...measureSample('quadruped', 24),
    ...Object.fromEntries(
      suites.kernels.map((one) => [`kernel ${one.case}: ratio`, one.figures.ratioOneThread.toFixed(2)]),
    ),
  };
  const file = join(root, 'bench/results', `${name}.csv`);
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(file, appendRow(existsSync(file) ? readFileSync(file, 'utf8') : '', row));
  console.log(file);
  for (const [key, value] of Object.entries(row)) console.log(`  ${key}: ${value}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function measureSample(sample, bones) {
  ossify('sample', sample, join(work, `${sample}.pc2`), '--quiet');
  return measureDecomposition(sample, bones, `${sample}.obj`, `${sample}.pc2`, work);
}

/** E_RMS of the written file and seconds of solving, the minimum of several runs; empty where the data is missing. */
function measureDecomposition(name, bones, rest, motion, folder) {
  const label = `${name} ${bones} bones`;
  if (!existsSync(join(folder, rest))) return { [`${label}: E_RMS`]: '', [`${label}: seconds`]: '' };
  const [input, report] = [`${join(folder, rest)}+${join(folder, motion)}`, join(work, 'report.json')];
  const runs = Array.from({ length: RUNS }, () => {
    ossify('decompose', input, join(work, 'out.glb'), '--bones', String(bones), '--report', report, '--quiet');
    return JSON.parse(readFileSync(report, 'utf8'));
  });
  const seconds = Math.min(...runs.map((run) => run.seconds.solve));
  return { [`${label}: E_RMS`]: runs[0].metrics.eRms.toFixed(4), [`${label}: seconds`]: seconds.toFixed(2) };
}

/** The table with one more row. Columns that are new leave earlier rows empty. */
function appendRow(text, row) {
  const cells = text.split('\n').filter((line) => line !== '');
  const [head = [], ...rows] = cells.map((line) => line.split(','));
  const columns = [...new Set([...head, ...Object.keys(row)])];
  const lines = [columns, ...rows, columns.map((column) => String(row[column] ?? '').replaceAll(',', ';'))];
  return `${lines.map((line) => columns.map((_, n) => line[n] ?? '').join(',')).join('\n')}\n`;
}

function slugOf(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
