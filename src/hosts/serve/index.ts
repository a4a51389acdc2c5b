// SPDX-License-Identifier: MIT
export { makeOpenApi } from './open-api.ts';
export { type JobRequest, type ServedJob, ServedJobs, StorageFault } from './served-jobs.ts';
export { serveMetrics, WorkerMetrics } from './worker-metrics.ts';
