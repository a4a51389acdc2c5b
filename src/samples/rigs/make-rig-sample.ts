// SPDX-License-Identifier: MIT

import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { phaseOf, type SampleBody, type SampleMorphs } from '../sample.ts';
import { makePlanMotion } from './bones.ts';
import { makePoseSpaceArm } from './rig-arm.ts';
import { makeCorrectiveBody } from './rig-body.ts';
import type { RigDraft } from './rig-draft.ts';
import { makeHelperBar } from './rig-helper.ts';
import { makeLinearBranch, makeLinearSerial } from './rig-linear.ts';
import { makeMuscleArm } from './rig-muscle-arm.ts';
import { makeMuscleLeg } from './rig-muscle-leg.ts';
import { makeMushPole } from './rig-pole.ts';

const MAKERS: [string, string, () => RigDraft][] = [
  ['lbs-branch', 'a trunk with two boughs on six joints, linear blend skinning', makeLinearBranch],
  ['lbs-serial', 'a tube on six joints in a row, linear blend skinning', makeLinearSerial],
  ['helper-bone', 'a bar on three joints whose side swells by a helper bone with scale', makeHelperBar],
  ['delta-mush-pole', 'a square pole with thorns on three joints, Delta Mush', makeMushPole],
  ['pose-space-arm', 'an arm with wrinkles on three joints, pose space deformation', makePoseSpaceArm],
  ['corrective-body', 'a body on 42 joints with corrective shapes driven by them', makeCorrectiveBody],
  ['muscle-leg', "a monster's leg on twenty joints with eleven muscles", makeMuscleLeg],
  ['muscle-arm', 'an arm on ten joints with a biceps that swells', makeMuscleArm],
];

/** All sample rigs with a description. */
export const RIG_SAMPLES: readonly { name: string; description: string }[] = MAKERS.map(([name, description]) => ({
  name,
  description,
}));

/**
 * Makes a sample rig by name: a deformer to convert, as a black box. The same name gives the same bytes.
 * @example
 * ```ts
 * import { convert } from 'ossify';
 * import { makeRigSample } from 'ossify/sample';
 *
 * const { model } = await convert({ kind: 'rig', rig: makeRigSample('muscle-arm') }, { helpers: 4 });
 * ```
 */
export function makeRigSample(name: string): RigSource {
  return makeRigDraftOf(name).source;
}

/** The rig with its plan and its animation loop. */
export function makeRigDraftOf(name: string): RigDraft {
  const found = MAKERS.find(([known]) => known === name);
  if (!found)
    throw new InputError(
      'sample',
      `there is no rig "${name}"; choose one of ${MAKERS.map(([known]) => known).join(', ')}`,
    );
  return found[2]();
}

/** The baked animation loop of a rig, with the skeleton, the plain skin and the motion. */
export function makeRigClip(name: string, frames: number): SampleBody {
  const draft = makeRigDraftOf(name);
  const { mesh, skeleton, skin, deformer } = draft.source;
  const motion = makePlanMotion('loop', draft.plan, frames, (j, k) => draft.turnOf(j, phaseOf(k, frames)));
  const stride = mesh.positions.length;
  const positions = new Float32Array(frames * stride);
  for (let k = 0; k < frames; k++) {
    deformer.deformInto({ bones: poseOf(motion, k) }, positions.subarray(k * stride, (k + 1) * stride));
  }
  return {
    clip: { kind: 'clip', name: motion.name, mesh, positions, times: motion.times },
    skeleton,
    skin,
    motion,
    isExact: name.startsWith('lbs-'),
    morphs: draft.corrected && bakeMorphs(draft.corrected, motion),
  };
}

/** The morph targets of corrective shapes, their drivers, and their weights in each frame. */
function bakeMorphs(corrected: NonNullable<RigDraft['corrected']>, motion: Motion): SampleMorphs {
  const { morphs, drivers, deformer } = corrected;
  const targetCount = morphs.targets.length;
  const weights = new Float32Array(motion.times.length * targetCount);
  for (let k = 0; k < motion.times.length; k++) {
    deformer.weighInto(poseOf(motion, k), weights.subarray(k * targetCount, (k + 1) * targetCount));
  }
  return { morphs, drivers, weights };
}
