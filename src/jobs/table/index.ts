// SPDX-License-Identifier: MIT

export { isJobName, JOB_NAMES, loadJob } from './job-table.ts';
export { findJob, JOBS } from './jobs.ts';
export { checkJob, runJob } from './run-job.ts';
