// SPDX-License-Identifier: MIT
// One batch at a time works on an output folder. Locks of the system are no help: folders are shared over a network, and a lock must end with a process that is killed. A
// holder therefore changes its file every few seconds. Another one takes over when the process of the holder has ended on the same machine, or when it has seen the same
// file many times. It counts looks, not seconds: clocks jump, and machines and processes are suspended.
import { randomBytes } from 'node:crypto';
import { open, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../../../core/model/errors.ts';
import { describeWriteError } from '../../disk/index.ts';
import {
  formatHolder,
  isOverlapping,
  isYielding,
  type LockHolder,
  type LockState,
  listLocks,
  listOlder,
  lockName,
  scopeOf,
} from './lock-file.ts';
import { hasEnded, machineId, startOf } from './process-facts.ts';

/** Times in milliseconds, and the number of equal looks after which a holder is dead. */
export interface LockTimes {
  beat: number;
  look: number;
  looks: number;
}

const TIMES: LockTimes = { beat: 2000, look: 1000, looks: 20 };

export interface LockOptions {
  /** Ends the wait. */
  signal?: AbortSignal;
  /** Called once if another one holds the lock. */
  onWait?(holder: string): void;
  times?: LockTimes;
}

/** The lock of an output folder. */
export interface FolderLock {
  /** Throws if another one has taken over. Called before anything gets its final name. */
  check(): Promise<void>;
  /** Called when the lock is found to be lost. */
  onLost?: () => void;
  release(): Promise<void>;
}

/**
 * Waits until no other batch works on the same jobs of a folder, and holds the lock until it is released or the process ends.
 * @param writer which jobs: '' for all, or the name of a part (lock-file.ts)
 */
export async function lockFolder(
  folder: string,
  writer: string,
  { signal, onWait, times = TIMES }: LockOptions = {},
): Promise<FolderLock> {
  const name = writer.replace(/[^\w.-]/g, '_');
  const watch = new Watch();
  const wait = async (state: LockState) => {
    if (watch.looks === 0) onWait?.(describeHolder(state));
    watch.looks++;
    await sleep(times.look, undefined, { signal });
  };
  for (;;) {
    signal?.throwIfAborted();
    const states = await listLocks(folder);
    const own = states.find((state) => state.writer === name);
    if (own && watch.isHeld(own, times.looks)) {
      await wait(own);
      continue;
    }
    const held = await HeldLock.make(folder, name, (own?.generation ?? 0) + 1, times);
    // another one was faster
    if (!held) continue;
    if (await passOthers(folder, name, { watch, wait, looks: times.looks })) return held;
    await held.release();
    await sleep(times.look, undefined, { signal });
  }
}

/** Waits for locks of other writers that overlap. Returns false if this one has to give way. Both have made their files before they look, so one of them sees the other. */
async function passOthers(
  folder: string,
  name: string,
  { watch, wait, looks }: { watch: Watch; wait(state: LockState): Promise<void>; looks: number },
): Promise<boolean> {
  const scope = scopeOf(name);
  for (;;) {
    const others = (await listLocks(folder)).filter(
      ({ writer }) => writer !== name && isOverlapping(scope, scopeOf(writer)),
    );
    const held = others.filter((state) => watch.isHeld(state, looks));
    if (held.length === 0) return true;
    if (held.some(({ writer }) => isYielding(scope, scopeOf(writer)))) return false;
    await wait(held[0]);
  }
}

/** Remembers what it saw in locks of others. */
class Watch {
  looks = 0;
  readonly #seen = new Map<string, { text: string; times: number }>();

  /** Whether somebody holds a lock: its file is not released, its process has not ended, and it has changed within a number of looks. */
  isHeld({ writer, generation, text, holder }: LockState, looks: number): boolean {
    if (holder?.isReleased) return false;
    if (holder && holder.machine === machineId() && hasEnded(holder.pid, holder.start)) return false;
    const key = `${writer}.${generation}`;
    const last = this.#seen.get(key);
    const times = last?.text === text ? last.times + 1 : 0;
    this.#seen.set(key, { text, times });
    return times < looks;
  }
}

class HeldLock implements FolderLock {
  readonly #folder: string;
  readonly #writer: string;
  readonly #generation: number;
  readonly #holder: LockHolder;
  readonly #timer: NodeJS.Timeout;
  /** The last write: a beat that is under way must not undo the release. */
  #writing: Promise<void> = Promise.resolve();
  onLost?: () => void;

  private constructor(folder: string, writer: string, generation: number, holder: LockHolder, beat: number) {
    this.#folder = folder;
    this.#writer = writer;
    this.#generation = generation;
    this.#holder = holder;
    this.#timer = setInterval(() => {
      this.#beat().catch(() => undefined);
    }, beat);
    this.#timer.unref();
  }

  /** Makes the file of a generation; undefined if it exists. */
  static async make(
    folder: string,
    writer: string,
    generation: number,
    times: LockTimes,
  ): Promise<HeldLock | undefined> {
    const path = join(folder, lockName(writer, generation));
    const holder: LockHolder = {
      ...{ token: randomBytes(12).toString('hex'), host: hostname(), machine: machineId() },
      ...{ pid: process.pid, start: startOf(process.pid), isReleased: false, beat: 0 },
    };
    try {
      await writeText(path, 'wx', formatHolder(holder));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
      // on a full disk the file is there and has no content, which others would take for a holder
      await unlink(path).catch(() => undefined);
      throw describeWriteError(path, error);
    }
    const newest = (await listLocks(folder)).find((state) => state.writer === writer)?.generation ?? generation;
    if (newest > generation) {
      // this generation was used and removed since the caller looked
      await unlink(path).catch(() => undefined);
      return undefined;
    }
    // the oldest first: while a file of a holder is there, so is the one that took over from it
    for (const older of await listOlder(folder, writer, generation)) await unlink(older).catch(() => undefined);
    return new HeldLock(folder, writer, generation, holder, times.beat);
  }

  async check(): Promise<void> {
    const [isNext, isOwn] = await Promise.all([this.#isThere(this.#generation + 1), this.#isThere(this.#generation)]);
    if (!isNext && isOwn) return;
    clearInterval(this.#timer);
    this.onLost?.();
    const why = isNext
      ? 'another batch took this output folder over, because this one showed no sign of life'
      : 'the lock of this output folder was removed while the batch ran';
    throw new InputError(this.#folder, `${why}; finished jobs are kept, run the batch again`);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write({ isReleased: true }).catch(() => undefined);
  }

  async #beat(): Promise<void> {
    await this.check();
    // on a full disk nothing changes; others may take over then, which the next check finds
    await this.#write({ beat: this.#holder.beat + 1 });
  }

  #write(change: Partial<LockHolder>): Promise<void> {
    Object.assign(this.#holder, change);
    const path = join(this.#folder, lockName(this.#writer, this.#generation));
    // opened anew each time: network drives show a file to others when it is closed
    this.#writing = this.#writing.catch(() => undefined).then(() => writeText(path, 'r+', formatHolder(this.#holder)));
    return this.#writing;
  }

  #isThere(generation: number): Promise<boolean> {
    return stat(join(this.#folder, lockName(this.#writer, generation))).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    );
  }
}

async function writeText(path: string, flags: 'wx' | 'r+', text: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.write(text, 0);
  } finally {
    await handle.close();
  }
}

function describeHolder({ holder }: LockState): string {
  return holder ? `process ${holder.pid} of ${holder.host}` : 'another process';
}
