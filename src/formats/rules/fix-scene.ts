// SPDX-License-Identifier: MIT
import type { Scene } from '../gltf/index.ts';
import { RULES } from './catalog/list-rules.ts';
import type { Rule, Subject } from './rule.ts';

/** A scene after its fixes. */
export interface FixedScene {
  scene: Scene;
  /** The rules whose fix was made. */
  fixed: string[];
}

/** Repairs a scene, rule by rule: places that break a rule and that its fix repairs. The scene is not changed. */
export function fixScene(subject: Subject, rules: readonly Rule[] = RULES): FixedScene {
  const fixed: string[] = [];
  let { scene } = subject;
  for (const rule of rules) {
    const own = { ...subject, scene };
    if (!rule.fix || !rule.check(own).some(({ canFix = true }) => canFix)) continue;
    scene = rule.fix(own);
    fixed.push(rule.id);
  }
  return { scene, fixed };
}
