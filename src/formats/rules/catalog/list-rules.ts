// SPDX-License-Identifier: MIT
import type { Rule } from '../rule.ts';
import { ANIMATION_RULES } from './animation-rules.ts';
import { BIND_RULES } from './bind-rules.ts';
import { LOOK_RULES } from './look-rules.ts';
import { MESH_RULES } from './mesh-rules.ts';
import { MORPH_RULES } from './morph-rules.ts';
import { NAME_RULES } from './name-rules.ts';
import { NODE_RULES } from './node-rules.ts';
import { SIZE_RULES } from './size-rules.ts';
import { SKIN_RULES } from './skin-rules.ts';

/** All rules about scenes, in the order of their fixes: bind poses before what is measured by them, names of what is left. */
export const RULES: readonly Rule[] = [
  ...BIND_RULES,
  ...NODE_RULES,
  ...SIZE_RULES,
  ...SKIN_RULES,
  ...MESH_RULES,
  ...MORPH_RULES,
  ...ANIMATION_RULES,
  ...LOOK_RULES,
  ...NAME_RULES,
];
