// SPDX-License-Identifier: MIT
export type { BatchJob, BatchTask, FileDigest, JobRecord, TaskProgress } from './batch-job.ts';
export { identifyJob } from './identify-job.ts';
export { type Ledger, openLedger } from './ledger/ledger.ts';
export { LedgerReader } from './ledger/ledger-reader.ts';
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
export { placeOutput } from './plan/place-output.ts';
export { type PlanOptions, planJobs } from './plan/plan-jobs.ts';
export { JobPool, type PoolOptions, type TaskHooks } from './process/job-pool.ts';
export { TaskError } from './process/task-error.ts';
export { isRemote, type RemoteFiles } from './remote-files.ts';
export { resolveJob } from './resolve-job.ts';
export { type BatchEvent, type BatchOptions, type BatchRow, runBatch, type TaskRunner } from './run-batch.ts';
