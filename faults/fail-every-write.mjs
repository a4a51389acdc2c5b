// SPDX-License-Identifier: MIT
// Every operation on the disk of every command fails once, in every way. Errors are injected into this process, so that a case takes milliseconds.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listLeftovers, resetOutputs, stateOf } from './check-folder.mjs';
import { arm, disarm, ERRORS } from './inject-faults.mjs';

/**
 * @param {string} dist folder of the compiled library
 * @param {string} folder with the inputs; outputs are written there
 * @returns rows { command, writes, faults, defects }
 */
export async function failEveryWrite(dist, folder, cases) {
  const { runCli } = await import(pathToFileURL(join(dist, 'hosts/cli/run-cli.js')).href);
  const run = async (words) => {
    let err = '';
    const stream = (write) => ({ write, isTerminal: false });
    const io = {
      stdout: stream(() => undefined),
      stderr: stream((text) => {
        err += text;
      }),
      environment: {},
      signal: new AbortController().signal,
    };
    const status = await runCli(words, io);
    return { status, err };
  };
  const inputs = readdirSync(folder);
  const rows = [];
  for (const { command, words, outputs } of cases) {
    const defects = [];
    const known = [...inputs, ...outputs];
    resetOutputs(folder, outputs, true);
    arm('', 0);
    const clean = await run(words);
    const operations = disarm();
    if (clean.status !== 0) throw new Error(`${command}: ${clean.err}`);
    const expected = outputs.map((name) => readFileSync(join(folder, name)));
    const first = listLeftovers(folder, known);
    if (first.length > 0) defects.push(`a clean run leaves ${first.join(', ')}`);
    let faults = 0;
    for (const hasOld of [true, false]) {
      for (const kind of ERRORS) {
        for (let at = 1; at <= operations.length + 1; at++) {
          resetOutputs(folder, outputs, hasOld);
          arm(kind, at);
          const { status, err } = await run(words);
          const done = disarm();
          const place = `${kind} at operation ${at} (${done[at - 1] ?? 'none'}), ${hasOld ? 'old files' : 'no files'}`;
          const isHit = done.length >= at;
          faults += isHit ? 1 : 0;
          const states = outputs.map((name, n) => stateOf(folder, name, expected[n]));
          const before = hasOld ? 'old' : 'none';
          const isDone = states.every((state) => state === 'new' || state === 'best');
          const isUndone = states.every((state) => state === before);
          if (!isDone && !isUndone) defects.push(`${place}: ${states.join(', ')}`);
          if (isDone !== (status === 0)) defects.push(`${place}: status ${status}, files ${states.join(', ')}`);
          if (status !== 0 && !/^ossify: \S.*: .+\n$/.test(err)) defects.push(`${place}: ${JSON.stringify(err)}`);
          const left = listLeftovers(folder, known);
          // an unlink that fails leaves its file; the next run takes it away
          if (left.length > 0 && done[at - 1] !== 'unlink') defects.push(`${place}: left ${left.join(', ')}`);
          if (left.length > 0) {
            await run(words);
            const after = listLeftovers(folder, known);
            if (after.length > 0) defects.push(`${place}: left ${after.join(', ')} after the next run`);
          }
        }
      }
    }
    resetOutputs(folder, outputs, false);
    rows.push({ command, writes: operations.length, faults, defects });
  }
  return rows;
}
