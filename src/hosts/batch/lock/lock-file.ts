// SPDX-License-Identifier: MIT
// The files of the lock of an output folder. Their names have a generation, which only grows: whoever makes the next one holds the lock, and no file system lets two make
// the same file. A released lock keeps its file, so that its generation is never given out again.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PATTERN = /^\.ossify-lock(?:-([\w.-]+?))?\.(\d{1,15})$/;

/** Which jobs of a folder a lock covers: all, those of a part of a list, or those of a writer that the caller tells apart. */
export interface LockScope {
  /** Empty for all jobs. */
  writer: string;
  /** Part of a list. */
  part?: { n: number; of: number };
}

/** What the file of a lock says. */
export interface LockHolder {
  /** Random; no two runs have the same. */
  token: string;
  /** Name of the machine, for people. */
  host: string;
  /** Changes when the machine starts again, and is another one in each container. */
  machine: string;
  pid: number;
  /** When the process started, by the clock of the kernel; numbers of processes are used again. */
  start: string;
  isReleased: boolean;
  /** Grows while the holder is alive. */
  beat: number;
}

/** The newest file of a lock. */
export interface LockState {
  writer: string;
  generation: number;
  /** As they are in the file: any change is a sign of life. */
  text: string;
  /** Undefined if the file is not complete: its process is writing it, or was killed meanwhile. */
  holder?: LockHolder;
}

export function lockName(writer: string, generation: number): string {
  return `.ossify-lock${writer === '' ? '' : `-${writer}`}.${generation}`;
}

/** The scope of a writer, by its name. */
export function scopeOf(writer: string): LockScope {
  const match = /^part-(\d+)-of-(\d+)$/.exec(writer);
  return match ? { writer, part: { n: Number(match[1]), of: Number(match[2]) } } : { writer };
}

/** Whether two writers may run the same jobs. Parts of one division have no common jobs, and other writers are told apart by their callers. */
export function isOverlapping(a: LockScope, b: LockScope): boolean {
  if (a.writer === b.writer || a.writer === '' || b.writer === '') return true;
  return a.part !== undefined && b.part !== undefined && (a.part.of !== b.part.of || a.part.n === b.part.n);
}

/** Of two that want overlapping locks at once, whether the first gives way: the one with the smaller part of the jobs. */
export function isYielding(a: LockScope, b: LockScope): boolean {
  const [p, q] = [a, b].map(({ writer, part }) => (writer === '' ? 0 : (part?.of ?? 1)));
  return p === q ? a.writer > b.writer : p > q;
}

/** The newest file of each writer. */
export async function listLocks(folder: string): Promise<LockState[]> {
  const newest = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const [, writer = '', digits] = PATTERN.exec(name) ?? [];
    if (digits !== undefined) newest.set(writer, Math.max(newest.get(writer) ?? 0, Number(digits)));
  }
  return Promise.all(
    [...newest].map(async ([writer, generation]) => {
      const text = await readFile(join(folder, lockName(writer, generation)), 'utf8').catch(() => '');
      return { writer, generation, text, holder: parseHolder(text) };
    }),
  );
}

/** Generations of a writer before one, oldest first. */
export async function listOlder(folder: string, writer: string, generation: number): Promise<string[]> {
  const older: number[] = [];
  for (const name of await readdir(folder)) {
    const [, own = '', digits] = PATTERN.exec(name) ?? [];
    if (digits !== undefined && own === writer && Number(digits) < generation) older.push(Number(digits));
  }
  return older.sort((a, b) => a - b).map((one) => join(folder, lockName(writer, one)));
}

/** Bytes of a lock's file: always the same number, so that it is written in place. */
const LENGTH = 512;

export function formatHolder(holder: LockHolder): string {
  return `${JSON.stringify({ ...holder, host: holder.host.slice(0, 100) }).padEnd(LENGTH - 1)}\n`;
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { token, host, machine, pid, start, isReleased, beat } = JSON.parse(text) as Partial<LockHolder>;
    if (typeof token !== 'string' || typeof host !== 'string' || typeof machine !== 'string') return undefined;
    if (typeof pid !== 'number' || typeof start !== 'string' || typeof beat !== 'number') return undefined;
    return { token, host, machine, pid, start, isReleased: isReleased === true, beat };
  } catch {
    return undefined;
  }
}
