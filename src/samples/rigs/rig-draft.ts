// SPDX-License-Identifier: MIT

import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { CorrectiveShapes } from '../../deformers/rig-sources/index.ts';
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
