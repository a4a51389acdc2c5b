// SPDX-License-Identifier: MIT

import { length, type OptionsOf, option } from '../../core/options/option.ts';

/** Options of the elimination. */
export const ELIMINATE_OPTIONS = {
  /** Displacements of vertices below this length are not visible. */
  eliminate: option(
    length,
    'only remove joints, helper bones, shapes and triangles whose largest effect on any vertex is below this length, such as 0.1%; animations are kept',
    { conflicts: ['helpers', 'bones', 'skeleton', 'cage', 'maxError'] },
  ),
};

export type EliminateOptions = OptionsOf<typeof ELIMINATE_OPTIONS>;
