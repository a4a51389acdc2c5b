// SPDX-License-Identifier: MIT

export { levelsMethod, MEASURED_POSES } from './levels-method.ts';
export { LEVEL_DEFAULTS, type LevelOptions, makeLevels } from './make-levels.ts';
export { LEVEL_OPTIONS, LEVEL_RATIOS } from './options.ts';
