// SPDX-License-Identifier: MIT
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Field 22 of /proc/<pid>/stat, counted from the end of the name of the program, which may contain spaces. */
const START_FIELD = 19;

const attempt = (read: () => string): string => {
  try {
    return read();
  } catch {
    return '';
  }
};

/** A name of this machine that changes when it starts again; in a container, one of the container. */
export function machineId(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return [hostname(), boot, attempt(() => readlinkSync('/proc/self/ns/pid'))].join(' ').trim();
}

/** When a process of this machine started; '' where that is not known. */
export function startOf(pid: number): string {
  const facts = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[START_FIELD] ?? '';
}

/** Whether a process of this machine has ended. Its number may belong to another process by now. */
export function hasEnded(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // a process of another user may not be signalled, but it is there
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = startOf(pid);
  return start !== '' && now !== '' && now !== start;
}
