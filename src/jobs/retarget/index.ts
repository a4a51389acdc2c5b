// SPDX-License-Identifier: MIT
export { retargetJob } from './retarget-job.ts';
