// SPDX-License-Identifier: MIT
export { type CheckCharacterOptions, checkCharacter } from './check-character.ts';
export { checkJob } from './check-job.ts';
