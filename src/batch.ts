// SPDX-License-Identifier: MIT
/**
 * Many jobs in processes of this machine: resumable, with limits on memory and time. Needs Node.
 *
 * @module ossify/batch
 */

export type { BatchJob, BatchTask, FileDigest, JobRecord, TaskProgress } from './batch/batch-job.ts';
export { identifyJob } from './batch/identify-job.ts';
export { JobPool, type PoolOptions, type TaskHooks } from './batch/job-pool.ts';
export { type PlanOptions, planJobs } from './batch/plan-jobs.ts';
export type { RemoteFiles } from './batch/remote-files.ts';
export { type BatchEvent, type BatchOptions, type BatchRow, runBatch, type TaskRunner } from './batch/run-batch.ts';
