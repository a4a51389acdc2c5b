// SPDX-License-Identifier: MIT
// Signals at random: half of them at a random moment of the run, half at a random operation on the disk.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listLeftovers, resetOutputs, stateOf } from './check-folder.mjs';
import { SIGNALS } from './inject-faults.mjs';
import { makeCases } from './make-cases.mjs';

const INJECT = fileURLToPath(new URL('./inject-faults.mjs', import.meta.url));

/** Runs between two checks that the next run leaves nothing behind. */
const SWEEP_EVERY = 25;

/**
 * @param {string} dist folder of the compiled library
 * @param {string} source folder with the inputs
 * @returns rows { command, signal, kills, none, old, new, best, broken, left, defects }
 */
export async function killAtRandom(dist, source, { commands, kills, seed, jobs, onProgress, onRows }) {
  const work = mkdtempSync(join(source, '../kills-'));
  const random = mulberry32(seed);
  const rows = [];
  try {
    for (const command of commands) {
      const lanes = [];
      for (let lane = 0; lane < jobs; lane++)
        lanes.push(await openLane(dist, source, join(work, `${command}-${lane}`), command));
      const each = Object.fromEntries(
        SIGNALS.map((signal) => [
          signal,
          { command, signal, kills: 0, old: 0, none: 0, new: 0, best: 0, broken: 0, left: 0, defects: [] },
        ]),
      );
      const plans = Array.from({ length: kills }, (_, n) => ({
        row: each[SIGNALS[n % SIGNALS.length]],
        moment: random(),
        isAtWrite: random() < 0.5,
        hasOld: random() < 0.5,
      }));
      await Promise.all(
        lanes.map(async (lane, index) => {
          for (let n = index; n < kills; n += jobs) {
            await killOnce(lane, plans[n]);
            if (Math.floor(n / jobs) % SWEEP_EVERY === SWEEP_EVERY - 1) await checkNextRun(lane, plans[n].row);
            onProgress?.(command, n);
          }
          await checkNextRun(lane, plans[kills - 1].row);
        }),
      );
      rows.push(...Object.values(each));
      onRows?.(Object.values(each));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return rows;
}

/** A folder of its own, with what a clean run makes there and how long it takes. */
async function openLane(dist, source, folder, command) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(source)) copyFileSync(join(source, name), join(folder, name));
  const inputs = readdirSync(folder);
  const one = makeCases(folder).find((found) => found.command === command);
  const lane = { dist, folder, ...one, known: [...inputs, ...one.outputs] };
  const start = performance.now();
  const { status, err } = await run(lane);
  if (status !== 0) throw new Error(`${command}: ${err}`);
  lane.milliseconds = performance.now() - start;
  lane.expected = one.outputs.map((name) => readFileSync(join(folder, name)));
  const { err: counted } = await run(lane, { env: { OSSIFY_FAULT: 'count:1e9', OSSIFY_FAULT_COUNT: '1' } });
  lane.operations = Number(/operations: (\d+)/.exec(counted)?.[1] ?? 12);
  return lane;
}

async function killOnce(lane, { row, moment, isAtWrite, hasOld }) {
  const { folder, outputs, expected, operations, milliseconds } = lane;
  resetOutputs(folder, outputs, hasOld);
  const before = listLeftovers(folder, lane.known).length;
  const at = 1 + Math.floor(moment * operations);
  if (isAtWrite) await run(lane, { env: { OSSIFY_FAULT: `${row.signal}:${at}` } });
  else await run(lane, { signal: row.signal, after: moment * 1.05 * milliseconds });
  row.kills++;
  for (const [n, name] of outputs.entries()) {
    const state = stateOf(folder, name, expected[n]);
    row[state]++;
    const isExpected = hasOld ? state !== 'none' : state !== 'old';
    if (state === 'broken' || !isExpected)
      row.defects.push(`${isAtWrite ? `at operation ${at}` : `at ${moment}`}: ${name} is ${state}`);
  }
  if (listLeftovers(folder, lane.known).length > before) row.left++;
}

async function checkNextRun(lane, row) {
  const { status, err } = await run(lane);
  if (status !== 0) row.defects.push(`the next run failed: ${err}`);
  const left = listLeftovers(lane.folder, lane.known);
  if (left.length > 0) row.defects.push(`left after the next run: ${left.join(', ')}`);
  for (const [n, name] of lane.outputs.entries()) {
    const state = stateOf(lane.folder, name, lane.expected[n]);
    if (state !== 'new' && !(state === 'best' && name.endsWith('.json')))
      row.defects.push(`the next run leaves ${name} ${state}`);
  }
}

function run({ dist, words }, { env, signal, after } = {}) {
  return new Promise((resolve, reject) => {
    const args = [...(env ? ['--import', INJECT] : []), join(dist, 'hosts/cli/main.js'), ...words, '--threads', '1'];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    });
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    const timer = signal && setTimeout(() => child.kill(signal), after);
    child.on('error', reject);
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve({ status, err });
    });
  });
}

/** Small seeded generator, so that a run can be repeated. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
