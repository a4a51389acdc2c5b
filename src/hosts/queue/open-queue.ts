// SPDX-License-Identifier: MIT
// BullMQ and ioredis are optional peer dependencies: they are loaded when a queue is used.
import type { Queue } from 'bullmq';
import { faultOf, InputError } from '../../core/model/errors.ts';
import type { BatchTask, JobRecord } from '../batch/index.ts';
import { describeQueueAddress, type QueueAddress } from './queue-address.ts';

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
export type TaskQueue = Queue<BatchTask, JobRecord>;

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

/** Opens a queue. Throws an InputError if it cannot be reached. */
export async function openQueue(place: QueuePlace): Promise<TaskQueue> {
  const { Queue: QueueClass } = await loadBullMq();
  await checkConnection(place);
  const queue: TaskQueue = new QueueClass(place.name, { connection: connectionOf(place) });
  // connections are made again by themselves
  queue.on('error', () => undefined);
  await queue.waitUntilReady();
  return queue;
}

/** Connects once: the connections of a queue try for ever. */
async function checkConnection({ address }: QueuePlace): Promise<void> {
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
  } catch (error) {
    const fault = `the queue cannot be reached: ${describeConnectionError(cause ?? error)}`;
    throw new InputError(describeQueueAddress(address), fault);
  } finally {
    probe.disconnect();
  }
}

/** A refused connection to several addresses of one name has no message of its own. */
function describeConnectionError(error: unknown): string {
  const { errors, code } = error as { errors?: unknown[]; code?: string };
  const text = faultOf(errors?.[0] ?? error) || code || 'no answer';
  if (/^NOAUTH/.test(text))
    return 'it needs a password; set OSSIFY_QUEUE_PASSWORD, or OSSIFY_QUEUE to the whole address';
  return text.replace(/\s+/g, ' ').trim();
}
