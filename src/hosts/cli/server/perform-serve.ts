// SPDX-License-Identifier: MIT
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { JobPool } from '../../batch/index.ts';
import { makeFolder, makeTemporaryFolder, removeTemporaryFolder } from '../../disk/index.ts';
import { QueueRunner } from '../../queue/index.ts';
import { ServedJobs } from '../../serve/index.ts';
import { chooseLimits } from '../batch/choose-limits.ts';
import { findQueuePlace } from '../batch/queue-place.ts';
import { EXIT_DONE } from '../terminal/exit-status.ts';
import { startJobServer } from './job-server.ts';
import type { ServeContext } from './serve.ts';

const DEFAULT_SIZE = 256e6;

const DEFAULT_STORAGE = 10e9;

/** Characters of the shortest token. */
const MIN_TOKEN = 16;

/** Attempts on a job of the queue that crashes. */
const ATTEMPTS = 3;

/** Runs `ossify serve`. Returns the exit status. */
export async function performServe(context: ServeContext): Promise<number> {
  const { options, io } = context;
  const { port, host, maxJobs, keep, timeLimit, maxSize = DEFAULT_SIZE, maxStorage = DEFAULT_STORAGE } = options;
  if (maxStorage < maxSize)
    throw new UsageError(
      '--max-storage',
      'must not be smaller than --max-size: no file of that size would be accepted',
    );
  const given = options.token ?? io.environment.OSSIFY_TOKEN;
  if (given !== undefined && given.length < MIN_TOKEN)
    throw new UsageError('--token', `is too short; give ${MIN_TOKEN} characters or more`);
  // lists of processes show the command line
  if (options.token !== undefined) process.title = 'ossify';
  const token = given ?? randomBytes(24).toString('base64url');
  const place = await findQueuePlace(options, io);
  if (place && options.folder === undefined)
    throw new UsageError('--folder', 'is needed with a queue: give a folder that all workers see');
  const parent = resolve(options.folder ?? tmpdir());
  await makeFolder(parent);
  const folder = await makeTemporaryFolder(parent, 'serve');
  const pool = new JobPool({ ...chooseLimits(options), timeLimit });
  let queue: QueueRunner | undefined;
  let jobs: ServedJobs | undefined;
  try {
    queue = place && (await QueueRunner.connect(place, ATTEMPTS));
    jobs = new ServedJobs({ runner: queue ?? pool, folder, maxJobs, keep, maxStorage });
    const server = await listen({ jobs, token, host, port, maxSize });
    context.tell({ url: server.url, ...(given === undefined ? { token } : {}) });
    context.say(`serving jobs at ${server.url} (Ctrl-C ends it)`);
    if (given === undefined) context.say(`token: ${token}`);
    await untilStopped(io.signal);
    await server.close();
  } finally {
    await jobs?.close();
    pool.close();
    await queue?.close();
    await removeTemporaryFolder(folder);
  }
  return EXIT_DONE;
}

/** Ctrl-C, or SIGTERM as of a service manager. */
function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) end();
    signal.addEventListener('abort', () => end(), { once: true });
    process.once('SIGTERM', () => end());
  });
}

async function listen(options: Parameters<typeof startJobServer>[0]): ReturnType<typeof startJobServer> {
  try {
    return await startJobServer(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`;
    throw new InputError('serve', `port ${options.port} of ${options.host} ${why}; give another --port`, {
      cause: error,
    });
  }
}
