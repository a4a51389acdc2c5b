// SPDX-License-Identifier: MIT
// Runs tests on mutants of the sources, in a copy of the tree. Terms: source-tree.mjs and mutation-places.mjs.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findReach, readImports, reverseImports } from '../shape/import-graph.mjs';

/** Maximum number of test files per mutant: of its own unit, then of others. */
const MAX_TESTS = 8;

/** Copies the files of the repository, the built ones included, to tmp/mutate. Packages are linked. The copy is removed when the process ends. */
export function copyTree(root) {
  const copy = join(root, 'tmp/mutate');
  rmSync(copy, { recursive: true, force: true });
  const list = (...options) =>
    execFileSync('git', ['ls-files', '-z', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split(
      '\0',
    );
  const built = list('--others', '--ignored', '--exclude-standard', '--', 'src', 'dist');
  for (const path of [...list('--cached', '--others', '--exclude-standard'), ...built].filter(Boolean)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true });
  }
  // A folder of links: Vitest writes its cache into node_modules
  mkdirSync(join(copy, 'node_modules'));
  for (const entry of readdirSync(join(root, 'node_modules'), { withFileTypes: true })) {
    if (entry.isFile() || entry.name.startsWith('.vite')) continue;
    symlinkSync(join(root, 'node_modules', entry.name), join(copy, 'node_modules', entry.name), 'junction');
  }
  process.once('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));
  return copy;
}

/** Writes a mutant into the copy; returns a function that restores the file. */
function apply(folder, place) {
  const path = join(folder, place.path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, place.start) + place.text + text.slice(place.end));
  return () => writeFileSync(path, text);
}

/** The places whose mutants have type errors in their own file. All mutants of different files are compiled together. */
export function findUncompilable(folder, places) {
  const failed = new Set();
  let left = [...places];
  while (left.length > 0) {
    const batch = left.filter((place, k) => left.findIndex(({ path }) => path === place.path) === k);
    left = left.filter((place) => !batch.includes(place));
    const restore = batch.map((place) => apply(folder, place));
    const errors = compile(folder);
    for (const undo of restore) undo();
    for (const place of batch) if (errors.some((line) => line.startsWith(`${place.path}(`))) failed.add(place);
  }
  return failed;
}

function compile(folder) {
  try {
    const bin = join(folder, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [bin, '-p', 'tsconfig.json', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return [];
  } catch (error) {
    return error.stdout.split('\n');
  }
}

/** Test files that reach a file by value: those of its unit, then those of others, each with the fewest imports between them first. */
export function makeTestFinder(files) {
  const users = reverseImports(readImports(files));
  const byPath = new Map(files.map((file) => [file.path, file]));
  return (path) => {
    const tests = [...findReach(users, path, { valuesOnly: true })]
      .map(([test, steps]) => ({ ...byPath.get(test), steps }))
      .filter(({ path: test }) => test.endsWith('.test.ts'))
      .sort((a, b) => a.steps - b.steps || (a.name < b.name ? -1 : 1));
    const isOwn = ({ unit }) => unit === byPath.get(path).unit;
    return [tests.filter(isOwn), tests.filter((test) => !isOwn(test))].map((group) =>
      group.slice(0, MAX_TESTS).map((test) => test.path),
    );
  };
}

/** A mutant that needs more than this multiple of the time without it does not end. */
const SLOW_DOWN = 3;

/**
 * Makes a function that runs the tests of a mutant, own unit first, and returns its result:
 *
 * - found: a test fails that passes without the mutant
 * - timed out: the tests of a group take longer than the limit and than three times their time without the mutant; counts as found
 * - survived: all tests pass
 * - undecided: tests take longer than the limit also without the mutant, and no other test fails
 */
export function makeRunner(folder, limitSeconds) {
  const clean = new Map();
  const runClean = async (tests) => {
    const key = tests.join();
    if (!clean.has(key)) clean.set(key, await runTests(folder, tests, limitSeconds));
    return clean.get(key);
  };
  const runMutated = async (place, tests, seconds) => {
    const undo = apply(folder, place);
    return runTests(folder, tests, seconds).finally(undo);
  };
  const runGroup = async (place, group) => {
    let tests = group;
    while (tests.length > 0) {
      let run = await runMutated(place, tests, limitSeconds);
      if (run.isLate) {
        const before = await runClean(tests);
        if (before.isLate) return { result: 'undecided' };
        run = await runMutated(place, tests, Math.max(limitSeconds, SLOW_DOWN * before.seconds));
        if (run.isLate) return { result: 'timed out' };
      }
      if (run.failed.length === 0) break;
      const before = await runClean(run.failed);
      if (before.isLate) return { result: 'undecided' };
      if (before.failed.length === 0) return { result: 'found', by: run.failed[0] };
      tests = tests.filter((test) => !before.failed.includes(test));
    }
    return { result: 'survived' };
  };
  return async (place, groups) => {
    const outcomes = [];
    for (const group of groups) {
      const outcome = await runGroup(place, group);
      if (outcome.result === 'found' || outcome.result === 'timed out') return outcome;
      outcomes.push(outcome.result);
    }
    return { result: outcomes.includes('undecided') ? 'undecided' : 'survived' };
  };
}

/** Runs test files in one process until the first failure. */
async function runTests(folder, tests, limitSeconds) {
  const report = join(folder, 'mutate-report.json');
  rmSync(report, { force: true });
  const bin = join(folder, 'node_modules/vitest/vitest.mjs');
  const options = ['--bail', '1', '--maxWorkers', '1', '--reporter', 'json', '--outputFile', report];
  const child = spawn(process.execPath, [bin, 'run', ...tests, ...options], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  // The test processes are in the group of the child
  const stop = () => (process.platform === 'win32' ? child.kill() : process.kill(-child.pid, 'SIGKILL'));
  process.once('exit', stop);
  const start = performance.now();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limitSeconds * 1000);
  const status = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  process.off('exit', stop);
  const seconds = (performance.now() - start) / 1000;
  if (status === 0 || isLate) return { failed: [], isLate, seconds };
  const failed = readFailed(report, folder);
  // An error outside of tests belongs to no file
  return { failed: failed.length > 0 ? failed : tests, isLate, seconds };
}

function readFailed(report, folder) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults.filter(({ status }) => status === 'failed');
    return failed.map(({ name }) => name.slice(folder.length + 1).replaceAll('\\', '/'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
