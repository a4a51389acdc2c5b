// SPDX-License-Identifier: MIT
export type { NameRule, Setting, StoredForm, Target, TargetName } from './target.ts';
export { TARGET_NAMES, TARGETS } from './targets.ts';
