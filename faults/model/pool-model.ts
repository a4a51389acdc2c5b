// SPDX-License-Identifier: MIT
// Two batches on one output folder of one machine, each with two processes. Steps and the code that does each of them at one moment:
//   find the lock free/silent   readdir and readFile in listLocks (lock-file.ts)
//   make the next lock file     open with 'wx' in HeldLock.make (lock-folder.ts)
//   read the ledger             LedgerReader.read after the lock is held (run-batch.ts)
//   start                       a process gets the task (job-pool.ts); its files are written under temporary names, which nobody else sees
//   claim                       FolderLock.check and a second LedgerReader.read, asked for by writeOutputs before the first rename (run-batch.ts, write-output.ts)
//   publish                     rename (write-output.ts)
//   record                      the append of one line (ledger.ts)
//   release                     the write of the released lock file
import { type FolderLockState, type Locker, lockSteps, type Mutation } from './folder-lock.ts';
import type { Model, Step } from './search-states.ts';

type JobPhase = 'todo' | 'running' | 'claimed' | 'half' | 'settled';

interface Coordinator extends Locker {
  hasRead: boolean;
}

interface JobState {
  records: number;
  hasBytes: boolean;
  /** By coordinator. */
  phases: readonly JobPhase[];
}

interface PoolState {
  coordinators: readonly Coordinator[];
  lock: FolderLockState;
  jobs: readonly JobState[];
  crashes: number;
  pauses: number;
}

export interface ModelSize {
  jobs: number;
  crashes: number;
  pauses: number;
  mutation?: Mutation;
}

/** Processes of a batch. */
const LANES = 2;

const NEW: Coordinator = { phase: 'want', isFresh: false, hasRead: false };

export function makePoolModel({ jobs, crashes, pauses, mutation }: ModelSize): Model<PoolState> {
  const isRecordFirst = mutation === 'record before bytes';
  return {
    start: {
      coordinators: [NEW, NEW],
      lock: { owner: -1, isReleased: true },
      jobs: Array.from({ length: jobs }, () => ({ records: 0, hasBytes: false, phases: ['todo', 'todo'] })),
      crashes,
      pauses,
    },
    next: (state) => [
      ...takeLock(state, mutation),
      ...state.coordinators.flatMap((one, c) => (one.phase === 'held' ? work(state, c, mutation, isRecordFirst) : [])),
      ...crash(state, isRecordFirst),
    ],
    keyOf: ({ coordinators, lock, jobs: list, crashes: left, pauses: still }) => {
      const name = (order: readonly number[]) =>
        JSON.stringify([
          order.map((c) => Object.values(coordinators[c])),
          [order.indexOf(lock.owner), lock.isReleased, left, still],
          list.map((job) => [job.records, job.hasBytes, order.map((c) => job.phases[c])].join()).sort(),
        ]);
      const [a, b] = [name([0, 1]), name([1, 0])];
      return a < b ? a : b;
    },
    faultIn: ({ jobs: list }) => {
      if (list.some(({ records }) => records > 1)) return 'a job is recorded twice';
      if (list.some(({ records, hasBytes }) => records > 0 && !hasBytes)) return 'a record has no bytes';
      return undefined;
    },
    isDone: ({ coordinators, jobs: list }) =>
      list.every(({ records, hasBytes }) => records === 1 && hasBytes) &&
      coordinators.every(({ phase }) => phase === 'ended' || phase === 'lost'),
  };
}

/** Between its claim and its record, a live process is not suspended for as long as others wait before they take over. */
function isWriting(state: PoolState, c: number): boolean {
  return state.jobs.some(({ phases }) => phases[c] === 'claimed' || phases[c] === 'half');
}

function takeLock(state: PoolState, mutation: Mutation | undefined): Step<PoolState>[] {
  const mayTakeOver = (owner: number) =>
    state.pauses > 0 && (mutation === 'long pauses while files are written' || !isWriting(state, owner));
  const isLocked = mutation !== 'no folder lock';
  return lockSteps(state.coordinators, state.lock, { isLocked, mayTakeOver }).map(
    ({ n, name, lockers, lock, isTakeover }) => ({
      name: `batch ${n + 1}: ${name}`,
      to: { ...state, coordinators: lockers, lock, pauses: state.pauses - (isTakeover ? 1 : 0) },
      isFault: isTakeover,
    }),
  );
}

function work(state: PoolState, c: number, mutation: Mutation | undefined, isRecordFirst: boolean): Step<PoolState>[] {
  const one = state.coordinators[c];
  const say = (text: string, to: PoolState): Step<PoolState> => ({ name: `batch ${c + 1}: ${text}`, to });
  const withCoordinator = (change: Partial<Coordinator>, base = state): PoolState => ({
    ...base,
    coordinators: base.coordinators.map((other, n) => (n === c ? { ...other, ...change } : other)),
  });
  const withJob = (n: number, phase: JobPhase, change: Partial<JobState> = {}): PoolState => ({
    ...state,
    jobs: state.jobs.map((job, m) =>
      m === n ? { ...job, ...change, phases: job.phases.map((own, d) => (d === c ? phase : own)) } : job,
    ),
  });
  const reset = (isKept: (job: JobState) => boolean): PoolState => ({
    ...state,
    jobs: state.jobs.map((job) => ({
      ...job,
      phases: job.phases.map((own, d): JobPhase => (d === c ? (isKept(job) ? 'settled' : 'todo') : own)),
    })),
  });
  if (!one.hasRead)
    return [
      say(
        'read the ledger',
        withCoordinator(
          { hasRead: true },
          reset((job) => job.records > 0 && job.hasBytes),
        ),
      ),
    ];
  const steps: Step<PoolState>[] = [];
  const busy = state.jobs.filter(({ phases }) => !['todo', 'settled'].includes(phases[c])).length;
  for (const [n, job] of state.jobs.entries()) {
    const phase = job.phases[c];
    if (phase === 'todo' && busy < LANES) steps.push(say(`start job ${n + 1}`, withJob(n, 'running')));
    if (phase === 'running') {
      const isHeld = state.lock.owner === c || mutation === 'no folder lock';
      const isFinished = job.records > 0 && job.hasBytes;
      // between its claim and its record, a live process is not suspended for as long as another one needs to run the same job
      const isBusy = ['claimed', 'half'].includes(job.phases[1 - c]) && state.coordinators[1 - c].phase === 'held';
      if (isHeld && isFinished && mutation !== 'no second look into the ledger')
        steps.push(say(`find the record of job ${n + 1}`, withJob(n, 'settled')));
      else if (isHeld || mutation === 'no check before files get their names') {
        if (!isBusy || mutation?.startsWith('no folder') || mutation?.startsWith('long pauses'))
          steps.push(say(`claim job ${n + 1}`, withJob(n, 'claimed')));
      }
      // the batch ends; what its processes did is dropped
      else
        steps.push(
          say(
            'find the lock lost',
            withCoordinator(
              { phase: 'lost' },
              reset(() => false),
            ),
          ),
        );
    }
    const publish = { hasBytes: true };
    const record = { records: job.records + 1 };
    if (phase === 'claimed')
      steps.push(
        say(
          `${isRecordFirst ? 'record' : 'publish'} job ${n + 1}`,
          withJob(n, 'half', isRecordFirst ? record : publish),
        ),
      );
    if (phase === 'half')
      steps.push(
        say(
          `${isRecordFirst ? 'publish' : 'record'} job ${n + 1}`,
          withJob(n, 'settled', isRecordFirst ? publish : record),
        ),
      );
  }
  if (state.jobs.every(({ phases }) => phases[c] === 'settled')) {
    const lock = state.lock.owner === c ? { ...state.lock, isReleased: true } : state.lock;
    steps.push(say('release the lock', withCoordinator({ phase: 'ended' }, { ...state, lock })));
  }
  return steps;
}

/** kill -9 of a batch at any step, and its next start. Its processes end by themselves; one that was told that it may write may still rename its files. */
function crash(state: PoolState, isRecordFirst: boolean): Step<PoolState>[] {
  const steps: Step<PoolState>[] = [];
  for (const [c, one] of state.coordinators.entries()) {
    if (one.phase === 'dead') {
      const coordinators = state.coordinators.map((other, d) => (d === c ? NEW : other));
      steps.push({ name: `batch ${c + 1}: start again`, to: { ...state, coordinators } });
      continue;
    }
    if (state.crashes === 0 || one.phase === 'ended' || one.phase === 'lost') continue;
    const coordinators = state.coordinators.map(
      (other, d): Coordinator => (d === c ? { phase: 'dead', isFresh: false, hasRead: false } : other),
    );
    for (const isRenamed of [false, true]) {
      if (isRenamed && (isRecordFirst || !state.jobs.some(({ phases }) => phases[c] === 'claimed'))) continue;
      const jobs = state.jobs.map((job) => ({
        ...job,
        hasBytes: job.hasBytes || (isRenamed && job.phases[c] === 'claimed'),
        phases: job.phases.map((own, d): JobPhase => (d === c ? 'todo' : own)),
      }));
      steps.push({
        name: `batch ${c + 1}: is killed${isRenamed ? ', its processes rename their files' : ''}`,
        to: { ...state, coordinators, jobs, crashes: state.crashes - 1 },
        isFault: true,
      });
    }
  }
  return steps;
}
