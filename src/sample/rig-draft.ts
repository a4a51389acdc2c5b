// SPDX-License-Identifier: MIT
import type { CorrectiveShapes } from '../deform/corrective-shapes.ts';
import type { Deformer } from '../model/deformer.ts';
import type { Mesh } from '../model/mesh.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { Morphs } from '../model/morphs.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { Skin } from '../model/skin.ts';
import { type BonePlan, type BoneTurn, makePlanSkeleton, type Vector } from './bones.ts';

/** A sample rig with the bones it was planned with and a loop that shows it at work. Sample rigs always know their plain skin. */
export interface RigDraft {
  source: RigSource & { skin: Skin };
  plan: BonePlan[];
  /** How joint j stands at a phase of the loop, radians. */
  turnOf(j: number, phase: number): BoneTurn;
  /** The morph targets and what drives them, for a rig of corrective shapes. */
  corrected?: { morphs: Morphs; drivers: MorphDriver[]; deformer: CorrectiveShapes };
}

export function makeRigDraft(
  name: string,
  mesh: Mesh,
  plan: BonePlan[],
  skin: Skin,
  makeDeformer: (skeleton: Skeleton) => Deformer,
  turnOf: (j: number, phase: number) => BoneTurn,
): RigDraft {
  const skeleton = makePlanSkeleton(plan);
  return { source: { name, mesh, skeleton, skin, deformer: makeDeformer(skeleton) }, plan, turnOf };
}

/** Bones one after another along a line, the first the root. */
export function planChain(name: string, heads: readonly Vector[]): BonePlan[] {
  return heads.map((head, j) => ({ name: `${name}${j}`, parent: j - 1, head }));
}

/** Rises smoothly from 0 at low to 1 at high. */
export function smoothstep(x: number, low = 0, high = 1): number {
  const t = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
}
