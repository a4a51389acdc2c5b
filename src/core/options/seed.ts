// SPDX-License-Identifier: MIT
import { count, option } from './option.ts';

/** The seed of everything random in a method. */
export const SEED = option(count(0, 2 ** 32 - 1), 'random seed', {
  default: 0,
  form: { label: 'Seed', note: 'Random seed. The same seed gives the same bytes.', isFine: true },
});
