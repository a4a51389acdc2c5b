// SPDX-License-Identifier: MIT
export { eliminateDriven } from './eliminate-driven.ts';
export { findInert } from './find-inert.ts';
