// SPDX-License-Identifier: MIT
export { moveRoot, type RootMotion } from './move-root.ts';
