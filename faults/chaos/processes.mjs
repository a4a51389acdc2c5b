// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Characters of stderr that are kept. */
const MAX_STDERR = 2000;

/** Starts the command line. @param imports modules that the process loads first */
export function startProcess(dist, words, imports = []) {
  const line = [...imports.flatMap((path) => ['--import', path]), join(dist, 'hosts/cli/main.js'), ...words];
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
  const one = { pid: child.pid, out: '', err: '', isEnded: false, kill: () => child.kill('SIGKILL') };
  child.stdout.on('data', (text) => {
    one.out = (one.out + text).slice(-MAX_STDERR);
  });
  child.stderr.on('data', (text) => {
    one.err = (one.err + text).slice(-MAX_STDERR);
  });
  one.ended = new Promise((resolve) => {
    child.on('exit', (status) => {
      one.isEnded = true;
      resolve(status);
    });
  });
  return one;
}

/** Sends a signal to a process, if it is still there. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // it ended meanwhile
  }
}

export function listChildren(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
