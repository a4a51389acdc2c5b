// SPDX-License-Identifier: MIT
// Versions that use one queue: a set in Redis with their names. Each has a queue of its own (queueNameOf), and this set finds those of the others.
import { buildId } from '../disk/index.ts';
import { connectionOf, loadBullMq, type QueuePlace, queueNameOf, type TaskQueue } from './open-queue.ts';

/** Jobs that no worker of this version takes. */
export interface OtherJobs {
  build: string;
  jobs: number;
}

/** Makes this version known, and returns all that have used the queue. */
export async function addBuild(place: QueuePlace): Promise<string[]> {
  const { Redis } = await import('ioredis');
  const client = new Redis(connectionOf(place));
  client.on('error', () => undefined);
  try {
    const key = `ossify:builds:${place.name}`;
    await client.sadd(key, buildId());
    return (await client.smembers(key)).sort();
  } finally {
    client.disconnect();
  }
}

/** Does something with the queue of each version, this one included. */
export async function forEachBuild(
  place: QueuePlace,
  act: (queue: TaskQueue, build: string) => Promise<void>,
): Promise<void> {
  const { Queue } = await loadBullMq();
  for (const build of await addBuild(place)) {
    const queue: TaskQueue = new Queue(queueNameOf(place, build), { connection: connectionOf(place) });
    queue.on('error', () => undefined);
    try {
      await act(queue, build);
    } finally {
      await queue.close();
    }
  }
}

/** Waiting jobs of other versions. */
export async function listOtherJobs(place: QueuePlace): Promise<OtherJobs[]> {
  const others: OtherJobs[] = [];
  await forEachBuild(place, async (queue, build) => {
    if (build === buildId()) return;
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed');
    const jobs = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (jobs > 0) others.push({ build, jobs });
  });
  return others;
}
