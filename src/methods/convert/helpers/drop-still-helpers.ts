// SPDX-License-Identifier: MIT
import type { LearnedHelpers } from '../controllers/learn-controllers.ts';

export interface KeptHelpers extends LearnedHelpers {
  /** By bone of the input, its bone in the result: itself, or the parent of a dropped helper. */
  boneOf: Int32Array;
}

/** Drops helpers whose controllers have only zero coefficients: they move rigidly with their parents. */
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
