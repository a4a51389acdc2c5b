// SPDX-License-Identifier: MIT
import type { QueuePlace } from '../../queue/index.ts';
import type { CliIo } from '../command.ts';

/** The queue of --queue or of OSSIFY_QUEUE; undefined if there is none. A password can also be in OSSIFY_QUEUE_PASSWORD. */
export async function findQueuePlace(
  { queue, queueName }: { queue?: string; queueName: string },
  { environment }: CliIo,
): Promise<QueuePlace | undefined> {
  const text = queue ?? environment.OSSIFY_QUEUE;
  if (text === undefined || text === '') return undefined;
  const { parseQueueAddress } = await import('../../queue/queue-address.ts');
  const address = parseQueueAddress(text, environment.OSSIFY_QUEUE_PASSWORD);
  // Lists of processes show the command line: replace it, because it contains the password.
  if (queue !== undefined && address.password !== undefined) process.title = 'ossify';
  return { address, name: queueName };
}
