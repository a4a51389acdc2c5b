// SPDX-License-Identifier: MIT
export { type FinishedFacts, finishOutputs } from './finish-outputs.ts';
