// SPDX-License-Identifier: MIT
export { findJob, JOBS } from './jobs.ts';
export { JOB_NAMES, loadJob } from './load-job.ts';
export { checkJob, runJob } from './run-job.ts';
