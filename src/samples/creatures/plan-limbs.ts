// SPDX-License-Identifier: MIT
import type { BonePlan, Vector } from '../rigs/bones.ts';
import type { Lump } from '../rigs/flesh.ts';

/** Bones and their lumps, for building a body. */
export interface LimbPlan {
  plan: BonePlan[];
  lumps: Lump[];
  /** Adds a bone with a lump along it, with a radius at each end; returns its index. */
  addLimb(name: string, parent: number, from: Vector, to: Vector, radii: [number, number], melt: number): number;
  /** Adds a lump to a bone. */
  addLump(bone: number, from: Vector, to: Vector, radii: [number, number], melt: number): void;
}

/** Makes an empty plan. */
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
