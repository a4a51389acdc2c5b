// SPDX-License-Identifier: MIT
// Counts the operations of this process that change the disk, and makes one of them fail. Import it before anything that imports node:fs, or give it
// to node --import with OSSIFY_FAULT=SIGKILL:3.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Errors and signals that an operation can be hit by. */
export const ERRORS = ['ENOSPC', 'EIO', 'EACCES'];
export const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'];

let armed;
let count = 0;
const log = [];

/** Makes operation `at` (from 1) fail once. */
export function arm(kind, at) {
  armed = { kind, at };
  count = 0;
  log.length = 0;
}

/** Lets everything pass and returns the operations since arm(). */
export function disarm() {
  armed = undefined;
  return [...log];
}

/** Runs before an operation: throws its error, or signals the process. */
function meet(name) {
  count++;
  log.push(name);
  if (!armed || count !== armed.at) return;
  const { kind } = armed;
  if (kind.startsWith('SIG')) process.kill(process.pid, kind);
  else throw Object.assign(new Error(`${kind}: injected at ${name}`), { code: kind });
}

const WRITES = /[wa+]/;
const { promises } = fs;
const isWrite = (flags) => (typeof flags === 'string' ? WRITES.test(flags) : (flags ?? 0) !== 0);

for (const name of ['rename', 'link', 'copyFile', 'chmod', 'unlink', 'mkdir', 'rmdir', 'writeFile']) {
  const original = promises[name];
  promises[name] = async (...args) => {
    meet(name);
    return original.apply(promises, args);
  };
}

const originalOpen = promises.open;
promises.open = async (path, flags, mode) => {
  if (!isWrite(flags)) return originalOpen.call(promises, path, flags, mode);
  meet('open');
  const handle = await originalOpen.call(promises, path, flags, mode);
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async (bytes) => {
    // a full disk takes the first half
    try {
      meet('write');
    } catch (error) {
      await write(bytes.slice(0, Math.floor(bytes.length / 2)));
      throw error;
    }
    return write(bytes);
  };
  for (const name of ['sync', 'close']) {
    const original = handle[name].bind(handle);
    handle[name] = async () => {
      let failed;
      try {
        meet(name);
      } catch (error) {
        failed = error;
      }
      // a file that fails to close is closed all the same
      if (name === 'close' || !failed) await original();
      if (failed) throw failed;
    };
  }
  return handle;
};
syncBuiltinESMExports();

const [kind, at] = (process.env.OSSIFY_FAULT ?? '').split(':');
if (at) arm(kind, Number(at));
if (process.env.OSSIFY_FAULT_COUNT) process.on('exit', () => process.stderr.write(`operations: ${count}\n`));
