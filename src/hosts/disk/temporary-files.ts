// SPDX-License-Identifier: MIT
// Names of temporary files say which process of which machine made them, so that the next run can remove those that a killed one left behind.
import { createHash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Folders may be shared: numbers of processes mean something on one machine only. */
export const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const PATTERN = /^\.ossify-([0-9a-f]{8})-(\d+)-\d+\.tmp(\.old)?$/;

/** Temporary files that exist now; a signal handler has only synchronous time to remove them. */
const temporaries = new Set<string>();
let temporaryCount = 0;

/** Whether files are half written now. */
export function hasTemporaries(): boolean {
  return temporaries.size > 0;
}

/** A new name in a folder. */
export function nameTemporary(folder: string): string {
  return join(folder, `.ossify-${MACHINE}-${process.pid}-${temporaryCount++}.tmp`);
}

/** Adds a file to those that removeTemporaries removes. */
export function addTemporary(path: string): void {
  temporaries.add(path);
}

/** Leaves a file alone: it has its final name, or is gone. */
export function dropTemporary(path: string): void {
  temporaries.delete(path);
}

/** Removes what an interrupted write left behind. Safe to call at any moment. */
export function removeTemporaries(): void {
  for (const path of temporaries) {
    try {
      unlinkSync(path);
    } catch {
      // It was renamed, or never made: nothing is left behind either way.
    }
  }
  temporaries.clear();
}

/**
 * Removes temporary files from a folder that killed processes left there: those of this machine and this user whose process has ended. A folder
 * that cannot be read is left alone.
 */
export async function sweepTemporaries(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, machine, pid] = PATTERN.exec(name) ?? [];
    const path = join(folder, name);
    if (machine !== MACHINE || temporaries.has(path) || isRunning(Number(pid))) continue;
    const facts = await lstat(path).catch(() => undefined);
    const isOwn = facts?.isFile() && (process.getuid === undefined || facts.uid === process.getuid());
    if (isOwn) await unlink(path).catch(() => undefined);
  }
}

/** Whether another process has this number. */
export function isRunning(pid: number): boolean {
  // in a container, every run may have the same number
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // a process of another user may not be signalled, but it is there
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
