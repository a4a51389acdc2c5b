// SPDX-License-Identifier: MIT
export { connectS3 } from './connect-s3.ts';
export { openQueue, type QueuePlace, type QueueWait, queueNameOf } from './open-queue.ts';
export { describeQueueAddress } from './queue-address.ts';
export { forEachBuild, type OtherJobs } from './queue-builds.ts';
export { QueueRunner } from './queue-runner.ts';
export { QueueWorker, type WorkerEvent } from './queue-worker.ts';
