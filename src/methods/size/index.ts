// SPDX-License-Identifier: MIT
export { DisplacementFit } from './displacement-fit.ts';
export { RoundedFit } from './rounded-fit.ts';
