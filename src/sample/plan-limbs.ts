// SPDX-License-Identifier: MIT
import type { BonePlan, Vector } from './bones.ts';
import type { Lump } from './flesh.ts';

/** Bones and the flesh about them, as they are put together. */
export interface LimbPlan {
  plan: BonePlan[];
  lumps: Lump[];
  /** A bone with flesh along it, whose radius goes from one to the other; its index. */
  addLimb(name: string, parent: number, from: Vector, to: Vector, radii: [number, number], melt: number): number;
  /** More flesh on a bone. */
  addLump(bone: number, from: Vector, to: Vector, radii: [number, number], melt: number): void;
}

/** Starts a plan with nothing in it. */
export function planLimbs(): LimbPlan {
  const plan: BonePlan[] = [];
  const lumps: Lump[] = [];
  const addLump: LimbPlan['addLump'] = (bone, from, to, [fromRadius, toRadius], melt) => {
    lumps.push({ bone, from, to, fromRadius, toRadius, melt });
  };
  return {
    plan,
    lumps,
    addLump,
    addLimb(name, parent, from, to, radii, melt) {
      const bone = plan.push({ name, parent, head: from }) - 1;
      addLump(bone, from, to, radii, melt);
      return bone;
    },
  };
}
