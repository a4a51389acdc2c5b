// SPDX-License-Identifier: MIT
/**
 * Many jobs in processes of this machine: resumable, with limits on memory and time. Needs Node.
 *
 * @module ossify/batch
 */

export {
  type BatchEvent,
  type BatchJob,
  type BatchOptions,
  type BatchRow,
  type BatchTask,
  type FileDigest,
  identifyJob,
  JobPool,
  type JobRecord,
  type PlanOptions,
  type PoolOptions,
  planJobs,
  type RemoteFiles,
  runBatch,
  type TaskHooks,
  type TaskProgress,
  type TaskRunner,
} from '../hosts/batch/index.ts';
