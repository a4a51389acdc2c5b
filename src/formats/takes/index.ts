// SPDX-License-Identifier: MIT
export { joinTakes, type TakeFile } from './join-takes.ts';
