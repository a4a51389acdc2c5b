// SPDX-License-Identifier: MIT
export { checkJob } from './check-job.ts';
