// SPDX-License-Identifier: MIT
export { lodJob } from './lod-job.ts';
