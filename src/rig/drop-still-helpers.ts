// SPDX-License-Identifier: MIT
import type { LearnedHelpers } from './learn-controllers.ts';

export interface KeptHelpers extends LearnedHelpers {
  /** By bone before, the bone that moves as it does: itself, or the parent of a helper that was left out. */
  boneOf: Int32Array;
}

/** Leaves out helpers whose controllers have no coefficient other than zero: these move with their parents, as the parents do. */
export function dropStillHelpers(learned: LearnedHelpers, jointCount: number): KeptHelpers {
  const isKept = learned.controllers.map(({ coefficients }) => coefficients.some((value) => value !== 0));
  const boneOf = Int32Array.from({ length: jointCount + isKept.length }, (_, bone) => bone);
  let next = jointCount;
  learned.controllers.forEach(({ bone, parent }, h) => {
    boneOf[bone] = isKept[h] ? next++ : parent;
  });
  const keep = <T>(list: readonly T[]): T[] => list.filter((_, h) => isKept[h]);
  return {
    controllers: keep(learned.controllers).map((controller) => ({ ...controller, bone: boneOf[controller.bone] })),
    binds: keep(learned.binds),
    facts: keep(learned.facts),
    boneOf,
  };
}
