// SPDX-License-Identifier: MIT
// Requirements of jobs on files. They return the fault, or undefined if a file meets them.
import type { AssetFacts } from './inspect.ts';

export function needsMotion({ clips, animations }: AssetFacts): string | undefined {
  return clips.length + animations.length > 0 ? undefined : 'This file does not move.';
}

/**
 * @param refused models that are not supported beside the plain skin
 * @param fault the message if the file has one of them
 */
export function needsSkin(
  refused: readonly ('ddm' | 'twoLayer')[] = [],
  fault = '',
): (facts: AssetFacts) => string | undefined {
  return (facts) => {
    if (refused.some((key) => facts[key])) return `${fault} Start from the rig that it was made of.`;
    return facts.rig?.joints ? undefined : 'This file has no skin. Decompose it first, or open a rig.';
  };
}

export function needsSkinOrShapes(facts: AssetFacts): string | undefined {
  return facts.rig?.joints || facts.morphTargets > 0 ? undefined : needsMotion(facts);
}
