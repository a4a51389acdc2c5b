// SPDX-License-Identifier: MIT
export type { NameRule, Setting, Target, TargetName } from './target.ts';
