// SPDX-License-Identifier: MIT
// The lock of an output folder in the models: src/hosts/batch/lock/lock-folder.ts. The file with the highest generation is all that counts.

/** How far a coordinator is with the lock. 'lost' is one that was told that another has taken over: it ends with an error. */
export type LockPhase = 'want' | 'looked' | 'held' | 'lost' | 'ended' | 'dead';

/** A coordinator and the lock. */
export interface Locker {
  phase: LockPhase;
  /** Whether the generation that it saw is still the highest: only then the file of the next one can be made. */
  isFresh: boolean;
}

/** The lock of the folder: who made the newest file, and whether it is released. */
export interface FolderLockState {
  owner: number;
  isReleased: boolean;
}

/** A deviation from the code, for tests of the models. */
export type Mutation =
  | 'no folder lock'
  | 'no check before files get their names'
  | 'record before bytes'
  | 'no look into the ledger'
  | 'no second look into the ledger'
  | 'one task for all folders'
  | 'long pauses while files are written';

/** Steps of all coordinators that want the lock: listLocks, and then the exclusive creation of the next file. */
export function lockSteps<C extends Locker>(
  lockers: readonly C[],
  lock: FolderLockState,
  { isLocked, mayTakeOver }: { isLocked: boolean; mayTakeOver(owner: number): boolean },
): { n: number; name: string; lockers: C[]; lock: FolderLockState; isTakeover: boolean }[] {
  const found: ReturnType<typeof lockSteps<C>> = [];
  for (const [n, one] of lockers.entries()) {
    if (one.phase === 'want') {
      const holder = lock.owner < 0 || lock.isReleased ? undefined : lockers[lock.owner];
      const isTakeover = holder !== undefined && holder.phase === 'held' && isLocked;
      const isFree = !isLocked || holder === undefined || holder.phase !== 'held' || mayTakeOver(lock.owner);
      if (isFree)
        found.push({
          ...{ n, name: isTakeover ? 'find the holder silent' : 'find the lock free', lock, isTakeover },
          lockers: lockers.map((other, m) => (m === n ? { ...other, phase: 'looked', isFresh: true } : other)),
        });
    } else if (one.phase === 'looked') {
      const isMade = one.isFresh || !isLocked;
      found.push({
        ...{ n, name: isMade ? 'make the next lock file' : 'fail to make the lock file', isTakeover: false },
        lock: isMade ? { owner: n, isReleased: false } : lock,
        lockers: lockers.map((other, m) => {
          if (m === n) return { ...other, phase: isMade ? 'held' : 'want', isFresh: false };
          return isMade ? { ...other, isFresh: false } : other;
        }),
      });
    }
  }
  return found;
}
