// SPDX-License-Identifier: MIT
// The golden corpus: runs every command of the built package on small generated inputs, on 1 and 4 threads, and compares files, reports, printed texts and exit
// statuses with the stored record, scripts/corpus/record.json. A change of code that must not change results runs it before and after. Needs `npm run build`.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listUncovered } from './coverage.mjs';
import { INPUTS } from './inputs.mjs';
import { LIST } from './jobs.mjs';
import {
  copyPackage,
  digestFolder,
  hasData,
  identifyJobs,
  importEntry,
  makeInputs,
  makeNormalizer,
  readPackage,
  runJobs,
} from './run.mjs';

const USAGE = `Usage: npm run corpus -- [options]

  --record         write the record instead of comparing with it
  --only <text>    jobs whose name or command line contains this text
  --threads <n>    1 or 4 (default: both)
  --jobs <n>       jobs that run at once (default: 2)
  --package <dir>  a package of another build: a folder with package.json and dist
  --dist <dir>     another dist for this package.json
  --keep <dir>     keep all outputs, for diff -r with those of another build
  --times          print the seconds of each job
  --coverage       list the options that no job uses, and stop
  --list           list the jobs, and stop`;

const root = fileURLToPath(new URL('../..', import.meta.url));
const RECORD = join(root, 'scripts/corpus/record.json');
/** The digest of a file that is made on another number of threads only. */
const ABSENT = 'absent';
const { values } = parseArgs({
  options: {
    record: { type: 'boolean' },
    only: { type: 'string' },
    threads: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    package: { type: 'string', default: root },
    dist: { type: 'string' },
    keep: { type: 'string' },
    times: { type: 'boolean' },
    coverage: { type: 'boolean' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

const isWanted = ({ name, words }) => !values.only || `${name} ${words.join(' ')}`.includes(values.only);
const data = resolve(process.env.OSSIFY_DATA ?? join(root, '../shared'));
const wanted = LIST.filter(isWanted);
const present = wanted.filter(({ words }) => hasData(words, data));
const skipped = wanted.filter((job) => !present.includes(job));
const threadCounts = values.threads ? [Number(values.threads)] : [1, 4];

if (values.help) console.log(USAGE);
else if (values.list) for (const { name, words } of wanted) console.log(`${name}: ossify ${words.join(' ')}`);
else {
  const fault = findFault();
  if (fault) {
    console.error(`corpus: ${fault}`);
    process.exitCode = 2;
  } else await main();
}

/** What is wrong with the options, as a sentence. */
function findFault() {
  if (wanted.length === 0) return `--only: no job contains "${values.only}"; --list prints all`;
  for (const [name, text] of Object.entries({ threads: values.threads ?? '1', jobs: values.jobs }))
    if (!/^[1-9]\d*$/.test(text)) return `--${name}: must be a whole number above zero, not "${text}"`;
  for (const path of [join(values.package, 'package.json'), values.dist ?? join(values.package, 'dist')])
    if (!existsSync(path)) return `${path}: does not exist; run npm run build, or give --package or --dist`;
  return undefined;
}

async function main() {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'ossify-corpus-')));
  try {
    const dist = values.dist && resolve(values.dist);
    const pack = copyPackage(resolve(values.package), dist, join(work, 'package'));
    if (values.coverage) {
      const { JOBS } = await importEntry(pack, '.');
      const lines = listUncovered(JOBS, LIST);
      console.log(lines.length ? lines.join('\n') : 'all options are used');
      return;
    }
    const began = performance.now();
    const flat = await runCorpus(pack, work);
    if (skipped.length > 0)
      console.log(
        `skipped ${skipped.length} jobs: their data sets are not in ${data}: ${skipped.map(({ name }) => name).join(', ')}`,
      );
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(
      `${present.length} jobs on ${threadCounts.join(' and ')} ${threadCounts.join() === '1' ? 'thread' : 'threads'} in ${seconds} s`,
    );
    if (values.keep) keepOutputs(work, resolve(values.keep));
    if (values.record) writeRecord(flat);
    else compareRecord(flat, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs everything. Returns digests by "job field"; a field that differs on 4 threads has a second entry with "@4". */
async function runCorpus(pack, work) {
  const { JOBS } = await importEntry(pack, '.');
  const reporting = new Set([...JOBS.map(({ name }) => name), 'demo']);
  const isReporting = (words) => reporting.has(words[0]) && !words.includes('--report') && !words.includes('--help');
  let count = 0;
  const total = present.length * threadCounts.length;
  const onDone = (name, seconds) => {
    count++;
    if (values.times) console.log(`${seconds.toFixed(2)} s ${name}`);
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${count} of ${total}: ${name}`);
  };
  const flat = {};
  for (const threads of threadCounts) {
    const folder = join(work, `t${threads}`);
    mkdirSync(join(folder, 'in'), { recursive: true });
    const jobs = Number(values.jobs);
    await makeInputs(pack, join(folder, 'in'), INPUTS, threads, jobs);
    const record = await runJobs(pack, folder, present, { threads, jobs, data, isReporting, onDone });
    for (const [name, fields] of Object.entries(await identifyJobs(pack, folder, present, data)))
      Object.assign(record[name], fields);
    if (!values.only) {
      record.in = digestFolder(join(folder, 'in'), makeNormalizer(pack, folder));
      record.package = await readPackage(pack, folder, jobs);
    }
    const digests = Object.fromEntries(
      Object.entries(record).flatMap(([name, fields]) =>
        Object.entries(fields).map(([field, digest]) => [`${name} ${field}`, digest]),
      ),
    );
    if (threads === threadCounts[0]) Object.assign(flat, digests);
    else
      for (const key of Object.keys({ ...flat, ...digests }))
        if (flat[key] !== digests[key] && !key.includes(' @')) flat[`${key} @${threads}`] = digests[key] ?? ABSENT;
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return flat;
}

function keepOutputs(work, to) {
  for (const threads of threadCounts)
    cpSync(join(work, `t${threads}`), join(to, `t${threads}`), {
      recursive: true,
      filter: (path) => !path.endsWith('/identify'),
    });
  console.log(`kept all outputs in ${to}`);
}

function readRecord() {
  return existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : undefined;
}

/** True if this run makes the entry, with --only and data sets that are absent. */
function isExpected(key) {
  const [name] = key.split(' ');
  if (['in', 'package'].includes(name)) return !values.only;
  return present.some((job) => job.name === name) || (!values.only && !skipped.some((job) => job.name === name));
}

function machine() {
  return `node ${process.versions.node.split('.')[0]}, ${process.platform} ${process.arch}`;
}

function writeRecord(flat) {
  const old = Object.entries(readRecord()?.digests ?? {}).filter(([key]) => !isExpected(key));
  const digests = Object.fromEntries([...old, ...Object.entries(flat)].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(RECORD, `${JSON.stringify({ machine: machine(), digests }, null, 2)}\n`);
  console.log(`wrote ${Object.keys(digests).length} digests to scripts/corpus/record.json`);
  for (const key of Object.keys(flat).filter((one) => / @\d+$/.test(one)))
    console.error(`${key}: differs from that on ${threadCounts[0]} thread`);
}

function compareRecord(flat, work) {
  const record = readRecord();
  if (!record) throw new Error('scripts/corpus/record.json: no such file; write it with npm run corpus -- --record');
  if (record.machine !== machine())
    console.log(`note: the record was made with ${record.machine}; this is ${machine()}, so digits may differ`);
  const faults = [];
  for (const key of Object.keys({ ...record.digests, ...flat }).sort()) {
    if (!isExpected(key) || (threadCounts.length === 1 && key.includes(' @'))) continue;
    const own = threadCounts.length === 1 ? record.digests[`${key} @${threadCounts[0]}`] : undefined;
    const [before, after] = [own ?? record.digests[key], flat[key]];
    if (before === after) continue;
    const isThreads = / @\d+$/.test(key) && before === undefined;
    if (after === undefined) faults.push(`${key}: is in the record, and was not made`);
    else if (isThreads) faults.push(`${key}: ${explain(key, flat[key.replace(/ @\d+$/, '')], after, work)}`);
    else if (before === undefined) faults.push(`${key}: is not in the record`);
    else faults.push(`${key}: ${explain(key, before, after, work)}`);
  }
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) {
    console.log(
      `\n${faults.length} ${faults.length === 1 ? 'difference' : 'differences'}. Keep the outputs of two builds with --keep, and compare them with diff -r.`,
    );
    process.exitCode = 1;
  } else console.log('no difference from scripts/corpus/record.json');
}

/** The first line of a text that differs, or that the bytes differ. */
function explain(key, before = '', after, work) {
  if (after === ABSENT) return `is not made on ${key.split('@')[1]} threads`;
  const [name, field, at = `@${threadCounts[0]}`] = key.split(' ');
  const [was, now] = [before, after].map((digest) => digest.split(' ')[1]?.match(/.{3}/g));
  if (['status', 'identity'].includes(field)) return `was ${before}, is ${after}`;
  if (!was || !now) return 'other bytes';
  let line = 0;
  while (line < now.length && was[line] === now[line]) line++;
  const file = ['stdout', 'stderr'].includes(field) ? `${field}.txt` : field;
  const text = readFileSync(join(work, at.replace('@', 't'), name, file), 'utf8').split('\n')[line];
  const lengths = was.length === now.length ? '' : `, ${now.length} lines instead of ${was.length}`;
  return `line ${line + 1}${lengths}: ${text === undefined ? 'is missing' : text.trim().slice(0, 160)}`;
}
