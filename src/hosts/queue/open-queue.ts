// SPDX-License-Identifier: MIT
// BullMQ and ioredis are optional peer dependencies: they are loaded when a queue is used.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { faultOf, InputError } from '../../core/model/errors.ts';
import type { BatchTask, JobRecord } from '../batch/index.ts';
import { buildId } from '../disk/index.ts';
import { describeQueueAddress, type QueueAddress } from './queue-address.ts';
import { addBuild } from './queue-builds.ts';

/** A queue by its address and name. */
export interface QueuePlace {
  address: QueueAddress;
  name: string;
}

/** Milliseconds to wait for the first connection. */
const CONNECT_TIMEOUT = 10_000;

/** Milliseconds between attempts to connect again. */
const MAX_RECONNECT_DELAY = 2000;

export type BullMq = typeof import('bullmq');
/** A task with the version and the kernels of the batch that added it. */
export interface QueuedTask extends BatchTask {
  build: string;
}

export type TaskQueue = Queue<QueuedTask, JobRecord>;

/**
 * The name of the queue in Redis. Each version with its kernels has its own, so that a worker never takes a job whose identity promises other bytes than
 * it makes.
 */
export function queueNameOf({ name }: QueuePlace, build = buildId()): string {
  return `${name}@${build}`;
}

/** Loads BullMQ. Throws an InputError with the command that installs it. */
export async function loadBullMq(): Promise<BullMq> {
  try {
    // BullMQ loads ioredis when it connects; a missing one is reported here
    await import('ioredis');
    return await import('bullmq');
  } catch (error) {
    const fault = 'needs the packages bullmq and ioredis, which are not installed; run npm install bullmq ioredis';
    throw new InputError('--queue', fault, { cause: error });
  }
}

/** Options of every connection: commands wait until Redis is back after a restart. */
export function connectionOf({ address }: QueuePlace) {
  return {
    ...address,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(100 * 2 ** Math.min(times, 10), MAX_RECONNECT_DELAY),
  };
}

/** How a queue that cannot be reached is waited for. */
export interface QueueWait {
  /** Called once with the reason. */
  onWait(fault: string): void;
  signal: AbortSignal;
}

/**
 * Opens the queue of this version. Throws an InputError if it cannot be reached.
 * @param wait tries again until it can be reached; a wrong password is an error at once
 */
export async function openQueue(place: QueuePlace, wait?: QueueWait): Promise<TaskQueue> {
  const { Queue: QueueClass } = await loadBullMq();
  for (let attempt = 0; ; attempt++) {
    const fault = await checkConnection(place);
    if (fault === undefined) break;
    const where = describeQueueAddress(place.address);
    if (!wait || fault.isFinal) throw new InputError(where, `the queue cannot be reached: ${fault.text}`);
    if (attempt === 0) wait.onWait(`${where}: the queue cannot be reached: ${fault.text}`);
    await sleep(MAX_RECONNECT_DELAY, undefined, { signal: wait.signal });
  }
  const queue: TaskQueue = new QueueClass(queueNameOf(place), { connection: connectionOf(place) });
  // connections are made again by themselves
  queue.on('error', () => undefined);
  await queue.waitUntilReady();
  await addBuild(place);
  return queue;
}

/** Why a queue cannot be reached. */
interface ConnectionFault {
  text: string;
  /** Whether another attempt gives the same answer. */
  isFinal: boolean;
}

/** Connects once: the connections of a queue try for ever. Undefined if Redis answers. */
async function checkConnection({ address }: QueuePlace): Promise<ConnectionFault | undefined> {
  const { Redis } = await import('ioredis');
  const probe = new Redis({
    ...address,
    ...{ lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, connectTimeout: CONNECT_TIMEOUT },
  });
  // the event has the cause; the promise only tells that the connection is closed
  let cause: unknown;
  probe.on('error', (error) => {
    cause ??= error;
  });
  try {
    await probe.connect();
    await probe.ping();
    return undefined;
  } catch (error) {
    const fault = cause ?? error;
    return { text: describeConnectionError(fault), isFinal: FINAL_REPLIES.has(replyCodeOf(fault)) };
  } finally {
    probe.disconnect();
  }
}

/** Replies to the log-in that stay the same. ERR: an old Redis refuses a password, or the database does not exist. */
const FINAL_REPLIES = new Set(['ERR', 'NOAUTH', 'NOPERM', 'WRONGPASS']);

/** The code of an error that Redis replied, which its protocol writes as the first word; empty for other errors. */
function replyCodeOf(error: unknown): string {
  return error instanceof Error && error.name === 'ReplyError' ? error.message.split(' ', 1)[0] : '';
}

/** A refused connection to several addresses of one name has no message of its own. */
function describeConnectionError(error: unknown): string {
  if (replyCodeOf(error) === 'NOAUTH')
    return 'it needs a password; set OSSIFY_QUEUE_PASSWORD, or OSSIFY_QUEUE to the whole address';
  const { errors, code } = error as { errors?: unknown[]; code?: string };
  const text = faultOf(errors?.[0] ?? error) || code || 'no answer';
  return text.replace(/\s+/g, ' ').trim();
}
