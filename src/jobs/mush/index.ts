// SPDX-License-Identifier: MIT

export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from './mush.ts';
export { mushJob } from './mush-job.ts';
export { checkDdmOptions, DDM_OPTIONS, DDM_STORE_OPTIONS, ddmOptionsOf, smoothingSteps } from './mush-options.ts';
