// SPDX-License-Identifier: MIT
// Runs the jobs of the corpus with a built package and collects what they give: files, reports, printed text, exit statuses. Only package.json names the places in the
// package (bin, man, exports), so that any build can be run.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseWords } from './coverage.mjs';

/** The version of every copy, so that a new version changes nothing. */
const VERSION = '0.0.0';
const TOKEN = 'the-token-of-the-corpus';
const TIME_LIMIT = 300_000;
/** Fields of reports that differ from run to run. */
const UNSTEADY = [
  ...['seconds', 'totalSeconds', 'lightSeconds', 'controllerMicroseconds', 'peakMemory', 'threads'],
  // the checksum of a line of a ledger, which has seconds
  'check',
];

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A text as a hash, and three letters per line, which tell the first line that differs. */
function digestText(text) {
  const marks = text.split('\n').map((line) => createHash('sha256').update(line).digest('base64').slice(0, 3));
  return `${sha256(text).slice(0, 16)} ${marks.join('')}`;
}

/** Copies a package, with its version replaced. Returns the folder and package.json. */
export function copyPackage(source, dist, folder) {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const version = manifest.version;
  manifest.version = VERSION;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  cpSync(dist ?? join(source, 'dist'), join(folder, 'dist'), { recursive: true });
  let home = resolve(source);
  while (!existsSync(join(home, 'node_modules', 'commander')) && dirname(home) !== home) home = dirname(home);
  symlinkSync(join(home, 'node_modules'), join(folder, 'node_modules'));
  return { folder, manifest, version, bin: join(folder, Object.values(manifest.bin)[0]) };
}

/** Imports an entry of a package: '.', './batch'. */
export function importEntry({ folder, manifest }, entry) {
  return import(pathToFileURL(join(folder, manifest.exports[entry].default)).href);
}

/** A value without times, memory and threads. */
function steady(value) {
  if (Array.isArray(value)) return value.map(steady);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (UNSTEADY.includes(key) ? [] : [[key, steady(one)]])),
  );
}

function steadyJson(text) {
  try {
    return JSON.stringify(steady(JSON.parse(text)), null, 1);
  } catch {
    return undefined;
  }
}

/** Makes functions that remove folders, times and versions from texts. */
export function makeNormalizer(pack, work) {
  return (text) => {
    const whole = /^[{[]/.test(text) ? steadyJson(text) : undefined;
    return (
      (whole ?? text)
        .replaceAll(pack.folder, '<package>')
        .replaceAll(work, '<work>')
        .replaceAll(process.execPath, '<node>')
        .replaceAll(/[\d.]+ µs per controller/g, '<time> per controller')
        // the seconds of a job on the page of a batch
        .replaceAll(/"[\d.e-]+">[\d.e-]+(<\/td><td>(?:done|failed))/g, '"<time>">$1')
        .split('\n')
        .map((line) => {
          if (line.startsWith('{')) return steadyJson(line)?.replaceAll(/\n */g, '') ?? line;
          if (!/\d threads?\b.*memory|total [\d.e-]+ (ms|s|min)\b/.test(line)) return line;
          return line
            .replaceAll(/[\d.e-]+ (ms|s|min)\b/g, '<time>')
            .replace(/\d+ threads?/, '<threads>')
            .replace(/[\d.]+ [kMG]?B of memory/, '<memory>');
        })
        .join('\n')
    );
  };
}

/** Runs the command line in a folder. */
export function runBin({ bin }, words, cwd) {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: '1', TZ: 'UTC', LC_ALL: 'C.UTF-8' };
    for (const name of ['OSSIFY_QUEUE', 'OSSIFY_TOKEN', 'FORCE_COLOR']) delete env[name];
    const child = spawn(process.execPath, [bin, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (bytes) => texts[name].push(bytes));
    const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      const [stdout, stderr] = [texts.stdout, texts.stderr].map((all) => Buffer.concat(all).toString('utf8'));
      done({ status: status ?? signal, stdout, stderr });
    });
  });
}

function listFiles(folder, under = folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [];
      return entry.isDirectory() ? listFiles(path, under) : [relative(under, path)];
    })
    .sort();
}

/** Files that name folders, times or processes; they are compared as text. */
const isText = (name) => /\.(jsonl|html|sh|json)$/.test(name);

/** The digests of the files in a folder, by name. Texts are stored normalized. */
export function digestFolder(folder, normalize) {
  const digests = {};
  for (const name of listFiles(folder)) {
    const path = join(folder, name);
    // a lock names its process
    if (name.includes('.ossify-lock')) continue;
    if (!isText(name)) {
      digests[name] = sha256(readFileSync(path));
      continue;
    }
    const text = normalize(readFileSync(path, 'utf8'));
    writeFileSync(path, text);
    digests[name] = digestText(text);
  }
  return digests;
}

/** Runs tasks, some at a time. */
async function runAll(tasks, count) {
  const left = [...tasks];
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (let task = left.shift(); task; task = left.shift()) await task();
    }),
  );
}

/** Writes the inputs of all jobs into a folder. Steps of one stage do not need each other. */
export async function makeInputs(pack, folder, { folders, texts, stages }, threads, jobs) {
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, content] of Object.entries(texts)) writeFileSync(join(folder, name), content);
  for (const stage of stages) {
    const tasks = stage.map((words) => async () => {
      const { status, stderr } = await runBin(pack, [...words, '--quiet', '--threads', String(threads)], folder);
      if (status !== 0) throw new Error(`input of the corpus: ossify ${words.join(' ')}: ${stderr}`);
    });
    await runAll(tasks, jobs);
  }
}

/**
 * Runs jobs, each in a folder of its own beside the inputs. Returns digests by job and field.
 * @param isReporting true for commands with --report and --threads
 */
export async function runJobs(pack, work, list, { threads, jobs, data, isReporting, onDone }) {
  const normalize = makeNormalizer(pack, work);
  const record = {};
  await runAll(
    list.map(({ name, words }) => async () => {
      const cwd = join(work, name);
      mkdirSync(cwd, { recursive: true });
      symlinkSync(join(work, 'in'), join(cwd, 'in'));
      if (existsSync(data)) symlinkSync(data, join(cwd, 'data'));
      const extra = isReporting(words) ? ['--report', 'report.json', '--threads', String(threads)] : [];
      const began = performance.now();
      const { status, stdout, stderr } = await runBin(pack, [...words, ...extra], cwd);
      const seconds = (performance.now() - began) / 1000;
      const texts = { stdout: normalize(stdout), stderr: normalize(stderr) };
      const fields = { status: String(status), ...digestFolder(cwd, normalize) };
      for (const [field, text] of Object.entries(texts)) {
        writeFileSync(join(cwd, `${field}.txt`), text);
        if (text !== '') fields[field] = digestText(text);
      }
      writeFileSync(join(cwd, 'status.txt'), `${status}\n`);
      for (const link of ['in', 'data']) rmSync(join(cwd, link), { force: true });
      record[name] = fields;
      onDone(name, seconds);
    }),
    jobs,
  );
  return record;
}

/** The identities of jobs, by name. An identity that is refused is its message. */
export async function identifyJobs(pack, work, list, data) {
  const { JOBS } = await importEntry(pack, '.');
  const { identifyJob } = await importEntry(pack, './batch');
  const record = {};
  const folder = join(work, 'identify');
  mkdirSync(folder);
  symlinkSync(join(work, 'in'), join(folder, 'in'));
  if (existsSync(data)) symlinkSync(data, join(folder, 'data'));
  const before = process.cwd();
  process.chdir(folder);
  for (const { name, words } of list) {
    const spec = JOBS.find((one) => one.name === words[0]);
    if (!spec) continue;
    const { places, options } = parseWords(spec, words.slice(1));
    const inputs = places.slice(0, spec.inputs.length);
    const job = { command: spec.name, inputs, output: places[spec.inputs.length], options };
    try {
      record[name] = { identity: await identifyJob(job) };
    } catch (error) {
      record[name] = { identity: `error: ${error.message.replaceAll(work, '<work>')}` };
    }
  }
  process.chdir(before);
  return record;
}

/** Texts of the package: help, completion, the man page, schemas, the names that entries export. */
export async function readPackage(pack, work, jobs) {
  const normalize = makeNormalizer(pack, work);
  const folder = join(work, 'package');
  mkdirSync(folder, { recursive: true });
  const texts = {};
  const help = (await runBin(pack, ['--help'], work)).stdout;
  const commands = [...help.slice(help.indexOf('\nCommands:')).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  const lines = [
    ['version.txt', ['--version']],
    ['help.txt', ['--help']],
    ...commands.filter((name) => name !== 'help').map((name) => [`help-${name}.txt`, [name, '--help']]),
    ...['bash', 'zsh', 'fish', 'powershell'].map((shell) => [`completion-${shell}.txt`, ['completion', shell]]),
  ];
  await runAll(
    lines.map(([file, words]) => async () => {
      const { status, stdout, stderr } = await runBin(pack, words, work);
      texts[file] = normalize(`${stdout}${stderr}${status}\n`);
    }),
    jobs,
  );
  const man = readFileSync(join(pack.folder, pack.manifest.man), 'utf8');
  texts['man.txt'] = man.replaceAll(pack.version, VERSION);
  const schemas = join(pack.folder, dirname(pack.manifest.exports['./schema/*.json']));
  for (const name of readdirSync(schemas).sort()) {
    const schema = JSON.parse(readFileSync(join(schemas, name), 'utf8').replaceAll(pack.version, VERSION));
    texts[`schema-${name}.txt`] = JSON.stringify(schema, null, 1);
  }
  for (const [entry, to] of Object.entries(pack.manifest.exports)) {
    if (!to.default) continue;
    const names = Object.keys(await importEntry(pack, entry));
    texts[`entry-${entry.replaceAll(/\W/g, '') || 'main'}.txt`] = names.sort().join('\n');
  }
  texts['openapi.txt'] = JSON.stringify(await readOpenApi(pack, work), null, 1);
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text);
  return Object.fromEntries(Object.keys(texts).map((file) => [file, digestText(texts[file])]));
}

/** Starts a server on a free port and reads its description. */
async function readOpenApi({ bin }, cwd) {
  const words = [bin, 'serve', '--port', '0', '--json', '--token', TOKEN, '--jobs', '1'];
  const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    let text = '';
    for await (const bytes of child.stdout) {
      text += bytes;
      if (/http:\/\/[^"\s]+/.test(text)) break;
    }
    const [address] = /http:\/\/[^"\s/]+/.exec(text) ?? [];
    if (!address) throw new Error('ossify serve: it printed no address');
    const answer = await fetch(`${address}/openapi.json`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return JSON.parse((await answer.text()).replaceAll(address, '<address>'));
  } finally {
    child.kill('SIGTERM');
  }
}

/** True if all files of a data set that a job names are present. */
export function hasData(words, data) {
  return words
    .filter((word) => word.startsWith('data/'))
    .every((word) => statSync(join(data, word.slice(5)), { throwIfNoEntry: false }) !== undefined);
}
