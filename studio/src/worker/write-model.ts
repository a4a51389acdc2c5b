// SPDX-License-Identifier: MIT
// Loaded when a version is written for the first time.
export { writeGlb } from '../../../src/entry/index.ts';
