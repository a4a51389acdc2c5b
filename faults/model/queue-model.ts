// SPDX-License-Identifier: MIT
// Two batches that use one queue, and two workers. Steps and the code that does each of them at one moment, besides those of the lock (pool-model.ts):
//   remove, add      Queue.remove and Queue.add in QueueRunner.run: one script each, which Redis runs alone (queue-runner.ts)
//   add again        the same in QueueRunner.#sweep, for a task that Redis has lost
//   take             BullMQ's moveToActive: one script
//   look             LedgerReader.read in QueueWorker.#findFinished; then the job runs, and its files are written under temporary names
//   claim            Job.extendLock, one script, and the second LedgerReader.read, in QueueWorker.#claim
//   publish, record  as in pool-model.ts
//   complete         BullMQ's moveToFinished: one script, which fails if the lock of the task is lost
//   return           BullMQ's moveStalledJobsToWait: one script
//   learn            the completed event, or QueueRunner.#sweep
import { type FolderLockState, type Locker, lockSteps, type Mutation } from './folder-lock.ts';
import type { Model, Step } from './search-states.ts';

/** A job and the folder of its output. */
interface Place {
  folder: number;
  records: number;
  hasBytes: boolean;
}

interface Task {
  state: 'none' | 'waiting' | 'active' | 'completed';
  /** Its data: index of the place, and the worker that holds its lock. */
  place: number;
  worker: number;
}

interface Batch extends Locker {
  folder: number;
  hasRead: boolean;
  /** By place. */
  jobs: readonly ('other' | 'todo' | 'removed' | 'added' | 'settled')[];
}

interface QueueWorkerState {
  phase: 'idle' | 'taken' | 'running' | 'claimed' | 'half' | 'finished' | 'dead';
  task: number;
  place: number;
}

interface QueueState {
  batches: readonly Batch[];
  locks: readonly FolderLockState[];
  places: readonly Place[];
  tasks: readonly Task[];
  workers: readonly QueueWorkerState[];
  /** Faults that may still happen. */
  faults: number;
}

export interface QueueModelSize {
  jobs: number;
  /** One for both batches, or one each. */
  folders: 1 | 2;
  faults: number;
  mutation?: Mutation;
}

const IDLE: QueueWorkerState = { phase: 'idle', task: -1, place: -1 };
const NO_TASK: Task = { state: 'none', place: -1, worker: -1 };

const put = <T>(list: readonly T[], n: number, change: Partial<T>): T[] =>
  list.map((one, m) => (m === n ? { ...one, ...change } : one));
const isFinished = ({ records, hasBytes }: Place) => records > 0 && hasBytes;
const isWriting = ({ phase }: QueueWorkerState) => phase === 'claimed' || phase === 'half';

export function makeQueueModel({ jobs, folders, faults, mutation }: QueueModelSize): Model<QueueState> {
  const folderOf = (batch: number) => (folders === 1 ? 0 : batch);
  const places = Array.from({ length: folders * jobs }, (_, n) => ({
    ...{ folder: Math.floor(n / jobs), records: 0, hasBytes: false },
  }));
  const fresh = (folder: number): Batch => ({
    ...{ phase: 'want', isFresh: false, folder, hasRead: false },
    jobs: places.map((place) => (place.folder === folder ? 'todo' : 'other')),
  });
  // a task has the folder of its outputs in its name
  const taskOf = (place: number) => (mutation === 'one task for all folders' ? place % jobs : place);
  return {
    start: {
      ...{ places, faults, batches: [0, 1].map((n) => fresh(folderOf(n))), workers: [IDLE, IDLE] },
      locks: Array.from({ length: folders }, () => ({ owner: -1, isReleased: true })),
      tasks: places.map(() => NO_TASK),
    },
    next: (state) => [
      ...takeLocks(state, mutation),
      ...state.batches.flatMap((batch, n) => (batch.phase === 'held' ? follow(state, n, taskOf, mutation) : [])),
      ...state.workers.flatMap((_, w) => workOn(state, w, mutation)),
      ...returnTasks(state, mutation),
      ...happen(state, fresh),
    ],
    keyOf: (state) => nameState(state, folders),
    faultIn({ places: list, batches }) {
      if (list.some(({ records }) => records > 1)) return 'a job is recorded twice';
      if (list.some(({ records, hasBytes }) => records > 0 && !hasBytes)) return 'a record has no bytes';
      const isLost = batches.some(({ phase, folder }) =>
        list.some((place) => phase === 'ended' && place.folder === folder && !isFinished(place)),
      );
      return isLost ? 'a batch ends without one of its outputs' : undefined;
    },
    isDone: ({ batches }) => batches.every(({ phase }) => phase === 'ended' || phase === 'lost'),
  };
}

const TASK_STATES = ['none', 'waiting', 'active', 'completed'];
const JOB_PHASES = ['other', 'todo', 'removed', 'added', 'settled'];
const WORKER_PHASES = ['none', 'idle', 'taken', 'running', 'claimed', 'half', 'finished', 'dead'];
const LOCK_PHASES = ['want', 'looked', 'held', 'lost', 'ended', 'dead'];

/** Workers are equal, and so are jobs; the smallest of all names of a state is its name. Everything about a job in a folder is one number. */
function nameState({ batches, locks, places, tasks, workers, faults }: QueueState, folders: number): string {
  const jobs = places.length / folders;
  let head = faults;
  for (const { owner, isReleased } of locks) head = (head * 3 + owner + 1) * 2 + Number(isReleased);
  for (const { phase, isFresh, hasRead } of batches)
    head = (head * 6 + LOCK_PHASES.indexOf(phase)) * 4 + 2 * Number(isFresh) + Number(hasRead);
  const name = (first: number) => {
    let idle = 0;
    for (const w of [first, 1 - first])
      idle = idle * 8 + (workers[w].place < 0 ? WORKER_PHASES.indexOf(workers[w].phase) : 0);
    const columns: number[] = [];
    for (let j = 0; j < jobs; j++) {
      let column = 0;
      for (let n = j; n < places.length; n += jobs) {
        const task = tasks[n];
        column = (column * 3 + places[n].records) * 2 + Number(places[n].hasBytes);
        column =
          (column * 4 + TASK_STATES.indexOf(task.state)) * 3 + (task.place < 0 ? 0 : 1 + Math.floor(task.place / jobs));
        column = column * 3 + (task.worker < 0 ? 0 : task.worker === first ? 1 : 2);
        for (const batch of batches) column = column * 5 + JOB_PHASES.indexOf(batch.jobs[n]);
        for (const w of [first, 1 - first]) {
          const { place, task: t, phase } = workers[w];
          column = column * 16 + (place === n ? 2 * WORKER_PHASES.indexOf(phase) + Math.floor(t / jobs) : 0);
        }
      }
      columns.push(column);
    }
    return `${idle} ${columns.sort((one, other) => one - other).join(' ')}`;
  };
  const [a, b] = [name(0), name(1)];
  return `${head} ${a < b ? a : b}`;
}

function takeLocks(state: QueueState, mutation: Mutation | undefined): Step<QueueState>[] {
  return state.locks.flatMap((lock, folder) => {
    const numbers = state.batches.flatMap((batch, n) => (batch.folder === folder ? [n] : []));
    const lockers = numbers.map((n) => state.batches[n]);
    const inside = { ...lock, owner: numbers.indexOf(lock.owner) };
    // a batch that follows a queue writes no file: it may be silent at any moment
    const rules = { isLocked: mutation !== 'no folder lock', mayTakeOver: () => state.faults > 0 };
    return lockSteps(lockers, inside, rules).map(({ n, name, lockers: changed, lock: made, isTakeover }) => ({
      name: `batch ${numbers[n] + 1}: ${name}`,
      isFault: isTakeover,
      to: {
        ...state,
        faults: state.faults - (isTakeover ? 1 : 0),
        batches: state.batches.map((batch, m) => changed[numbers.indexOf(m)] ?? batch),
        locks: put(state.locks, folder, { ...made, owner: made.owner < 0 ? -1 : numbers[made.owner] }),
      },
    }));
  });
}

function follow(
  state: QueueState,
  n: number,
  taskOf: (place: number) => number,
  mutation: Mutation | undefined,
): Step<QueueState>[] {
  const batch = state.batches[n];
  const say = (text: string, to: QueueState): Step<QueueState> => ({ name: `batch ${n + 1}: ${text}`, to });
  const change = (own: Partial<Batch>, more: Partial<QueueState> = {}): QueueState => ({
    ...state,
    ...more,
    batches: put(state.batches, n, own),
  });
  const { owner } = state.locks[batch.folder];
  if (owner !== n && mutation !== 'no folder lock') return [say('find the lock lost', change({ phase: 'lost' }))];
  if (!batch.hasRead) {
    const jobs = batch.jobs.map((one, p) => (one === 'todo' && isFinished(state.places[p]) ? 'settled' : one));
    return [say('read the ledger', change({ hasRead: true, jobs }))];
  }
  const steps: Step<QueueState>[] = [];
  for (const [p, phase] of batch.jobs.entries()) {
    const t = taskOf(p);
    const task = state.tasks[t];
    const turn = (to: Batch['jobs'][number]) => ({ jobs: batch.jobs.map((one, m) => (m === p ? to : one)) });
    const added = { tasks: put(state.tasks, t, { state: 'waiting', place: p, worker: -1 }) };
    if (phase === 'todo') {
      const isRemoved = task.state === 'waiting' || task.state === 'completed';
      steps.push(
        say(`remove job ${p + 1}`, change(turn('removed'), isRemoved ? { tasks: put(state.tasks, t, NO_TASK) } : {})),
      );
    } else if (phase === 'removed')
      steps.push(say(`add job ${p + 1}`, change(turn('added'), task.state === 'none' ? added : {})));
    else if (phase === 'added' && task.state === 'none') steps.push(say(`add job ${p + 1} again`, change({}, added)));
    else if (phase === 'added' && task.state === 'completed')
      steps.push(say(`learn of the end of job ${p + 1}`, change(turn('settled'))));
  }
  if (batch.jobs.every((one) => one === 'other' || one === 'settled')) {
    const locks = owner === n ? put(state.locks, batch.folder, { isReleased: true }) : state.locks;
    steps.push(say('release the lock', change({ phase: 'ended' }, { locks })));
  }
  return steps;
}

function workOn(state: QueueState, w: number, mutation: Mutation | undefined): Step<QueueState>[] {
  const { phase, task: t, place: p } = state.workers[w];
  const step = (text: string, own: Partial<QueueWorkerState>, more: Partial<QueueState> = {}): Step<QueueState> => ({
    name: `worker ${w + 1}: ${text} job ${p + 1}`,
    to: { ...state, ...more, workers: put(state.workers, w, own) },
  });
  if (phase === 'dead')
    return [{ name: `worker ${w + 1}: start again`, to: { ...state, workers: put(state.workers, w, IDLE) } }];
  if (phase === 'idle')
    return state.tasks.flatMap((task, n) => {
      if (task.state !== 'waiting') return [];
      const tasks = put(state.tasks, n, { state: 'active', worker: w });
      return [step('take', { phase: 'taken', task: n, place: task.place }, { tasks })];
    });
  const place = state.places[p];
  const isHeld = state.tasks[t].state === 'active' && state.tasks[t].worker === w;
  const isRecordFirst = mutation === 'record before bytes';
  if (phase === 'taken') {
    const isKept = isFinished(place) && mutation !== 'no look into the ledger';
    return [step('look for', { phase: isKept ? 'finished' : 'running' })];
  }
  if (phase === 'running') {
    if (!isHeld && mutation !== 'no check before files get their names') return [step('give up', IDLE)];
    if (isFinished(place) && !mutation?.includes('look into the ledger'))
      return [step('find the record of', { phase: 'finished' })];
    // between its claim and its record, a live process is not suspended for as long as another one needs to run the same job
    const isBusy = state.workers.some((other, v) => v !== w && other.place === p && isWriting(other));
    return isBusy && mutation !== 'long pauses while files are written' ? [] : [step('claim', { phase: 'claimed' })];
  }
  const publish = { places: put(state.places, p, { hasBytes: true }) };
  const record = { places: put(state.places, p, { records: place.records + 1 }) };
  if (phase === 'claimed')
    return [isRecordFirst ? step('record', { phase: 'half' }, record) : step('publish', { phase: 'half' }, publish)];
  if (phase === 'half')
    return [
      isRecordFirst ? step('publish', { phase: 'finished' }, publish) : step('record', { phase: 'finished' }, record),
    ];
  return [step('complete', IDLE, isHeld ? { tasks: put(state.tasks, t, { state: 'completed', worker: -1 }) } : {})];
}

/** Tasks of workers that show no sign of life return to the queue: those of dead workers by themselves, those of suspended ones by a fault. */
function returnTasks(state: QueueState, mutation: Mutation | undefined): Step<QueueState>[] {
  return state.tasks.flatMap((task, t) => {
    if (task.state !== 'active') return [];
    const holder = state.workers[task.worker];
    const isAlive = holder.task === t && holder.phase !== 'dead';
    const isLong = isWriting(holder) && mutation !== 'long pauses while files are written';
    if (isAlive && (state.faults === 0 || isLong)) return [];
    const tasks = put(state.tasks, t, { state: 'waiting', worker: -1 });
    const to = { ...state, tasks, faults: state.faults - (isAlive ? 1 : 0) };
    return [{ name: `queue: return the task of worker ${task.worker + 1}`, to, isFault: isAlive }];
  });
}

/** kill -9 of a batch or a worker at any step, and a Redis that loses everything. */
function happen(state: QueueState, fresh: (folder: number) => Batch): Step<QueueState>[] {
  const steps: Step<QueueState>[] = [];
  const faults = state.faults - 1;
  for (const [n, { phase, folder }] of state.batches.entries()) {
    if (phase === 'dead')
      steps.push({
        name: `batch ${n + 1}: start again`,
        to: { ...state, batches: put(state.batches, n, fresh(folder)) },
      });
    else if (faults >= 0 && phase !== 'ended' && phase !== 'lost') {
      const batches = put(state.batches, n, { ...fresh(folder), phase: 'dead' as const });
      steps.push({ name: `batch ${n + 1}: is killed`, to: { ...state, faults, batches }, isFault: true });
    }
  }
  for (const [w, { phase }] of state.workers.entries())
    if (faults >= 0 && phase !== 'dead' && phase !== 'idle') {
      const workers = put(state.workers, w, { ...IDLE, phase: 'dead' as const });
      steps.push({ name: `worker ${w + 1}: is killed`, to: { ...state, faults, workers }, isFault: true });
    }
  if (faults >= 0 && state.tasks.some((task) => task.state !== 'none'))
    steps.push({
      name: 'Redis: loses everything',
      to: { ...state, faults, tasks: state.tasks.map(() => NO_TASK) },
      isFault: true,
    });
  return steps;
}
