// SPDX-License-Identifier: MIT
/**
 * Many jobs in processes of this machine: resumable, with limits on memory and time. Needs Node.
 *
 * @module ossify/batch
 */

export type { BatchJob, BatchTask, FileDigest, JobRecord, TaskProgress } from '../hosts/batch/batch-job.ts';
export { identifyJob } from '../hosts/batch/identify-job.ts';
export { type PlanOptions, planJobs } from '../hosts/batch/plan-jobs.ts';
export { JobPool, type PoolOptions, type TaskHooks } from '../hosts/batch/process/job-pool.ts';
export type { RemoteFiles } from '../hosts/batch/queue/remote-files.ts';
export {
  type BatchEvent,
  type BatchOptions,
  type BatchRow,
  runBatch,
  type TaskRunner,
} from '../hosts/batch/run-batch.ts';
