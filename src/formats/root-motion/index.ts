// SPDX-License-Identifier: MIT
export { moveRoot, ROOT_WORDS, type RootMotion } from './move-root.ts';
