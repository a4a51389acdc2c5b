// SPDX-License-Identifier: MIT
// What files must have for a job: an undefined answer means that they do.
import type { AssetFacts } from '../metric/inspect.ts';

export function needsMotion({ clips, animations }: AssetFacts): string | undefined {
  return clips.length + animations.length > 0 ? undefined : 'This file does not move.';
}

/** @param refused models that a file must not have beside its plain skin, and what to say then */
export function needsSkin(
  refused: readonly ('ddm' | 'twoLayer')[] = [],
  fault = '',
): (facts: AssetFacts) => string | undefined {
  return (facts) => {
    if (refused.some((key) => facts[key])) return `${fault} Start from the rig that it was made of.`;
    return facts.rig?.joints ? undefined : 'This file has no skin. Decompose it first, or open a rig.';
  };
}
