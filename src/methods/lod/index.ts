// SPDX-License-Identifier: MIT
export { LEVEL_DEFAULTS, type LevelOptions, MEASURED_POSES, makeLevels } from './make-levels.ts';
