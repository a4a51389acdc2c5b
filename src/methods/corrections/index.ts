// SPDX-License-Identifier: MIT
export { CORRECT_DEFAULTS, type CorrectOptions, type CorrectResult, correctModel } from './correct-model.ts';
