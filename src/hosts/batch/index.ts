// SPDX-License-Identifier: MIT
export type { BatchJob, BatchTask, FileDigest, JobRecord, TaskProgress } from './batch-job.ts';
export { identifyJob } from './identify-job.ts';
export { makeBatchPage } from './pages/batch-page.ts';
export {
  BATCH_COLUMNS,
  type BatchCounts,
  badnessOf,
  countRows,
  makeBatchReport,
  summarizeRow,
} from './pages/batch-report.ts';
export { emitScript } from './pages/emit-script.ts';
export { writePage } from './pages/write-page.ts';
export { type PlanOptions, planJobs } from './plan-jobs.ts';
export { JobPool, type PoolOptions, type TaskHooks } from './process/job-pool.ts';
export { connectS3 } from './queue/connect-s3.ts';
export { openQueue, type QueuePlace } from './queue/open-queue.ts';
export { describeQueueAddress } from './queue/queue-address.ts';
export { QueueRunner } from './queue/queue-runner.ts';
export { QueueWorker, type WorkerEvent } from './queue/queue-worker.ts';
export { isRemote, type RemoteFiles } from './queue/remote-files.ts';
export { resolveJob } from './resolve-job.ts';
export { type BatchEvent, type BatchOptions, type BatchRow, runBatch, type TaskRunner } from './run-batch.ts';
export { makeOpenApi } from './server/open-api.ts';
export { type JobRequest, type ServedJob, ServedJobs } from './server/served-jobs.ts';
export { serveMetrics, WorkerMetrics } from './server/worker-metrics.ts';
