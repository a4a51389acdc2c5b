// SPDX-License-Identifier: MIT

export { makeCentersOfRotation } from './centers-of-rotation.ts';
export { CENTERS_DEFAULTS, type CentersOptions, solveCentersOfRotation } from './centers-of-rotation-solve.ts';
