// SPDX-License-Identifier: MIT
// The door ossify/batch: many jobs in processes of this machine. Needs Node.
export type { BatchJob, BatchTask, FileDigest, JobRecord, TaskProgress } from './batch/batch-job.ts';
export { identifyJob } from './batch/identify-job.ts';
export { JobPool, type PoolOptions, type TaskHooks } from './batch/job-pool.ts';
export { type PlanOptions, planJobs } from './batch/plan-jobs.ts';
export type { RemoteFiles } from './batch/remote-files.ts';
export { type BatchEvent, type BatchOptions, type BatchRow, runBatch, type TaskRunner } from './batch/run-batch.ts';
export type { Gate, Job } from './recipe/job.ts';
export type { Json } from './recipe/option.ts';
