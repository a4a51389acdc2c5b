// SPDX-License-Identifier: MIT
export { joinTakes, type TakeFile } from './join-takes.ts';
export { selectTakes, type TakeSelection } from './select-takes.ts';
