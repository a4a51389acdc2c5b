// SPDX-License-Identifier: MIT
// The rest of the nodes of a humanoid in a T-pose or an A-pose. Let u be the direction to a side of the body (up x front), d that of a bone of an arm at rest. In a T-pose every bone of the arm points along e = u, in an A-pose along
// e = (u − y) / √2, and A(next) = swing(A(previous) d → e) A(previous) as in align-rests.ts. Fingers follow the hand. The bind pose, the weights and the keys of animations are not touched, so that every frame stays what it was: only nodes
// at rest, and joints that an animation does not turn, are elsewhere. Legs stay.
import { multiplyQuaternions } from '../../core/math/quaternion.ts';
import { makeRestRig, nextJoint, type RetargetRig } from './rest-rig.ts';
import { TargetPose } from './target-pose.ts';
import { cross, minus, rotateInto, swingBetween, unitOf, type Vector } from './vectors.ts';

const ARM = ['upperArm', 'lowerArm', 'hand'] as const;

/**
 * Local rotations of the arms in a pose: by node, x y z w. Empty if the rig has no arms.
 * @param pose t: arms to the side; a: arms down by 45°
 */
export function poseArms(from: RetargetRig, pose: 't' | 'a'): Map<number, Float64Array> {
  const rig = makeRestRig(from);
  const { slots, places, turns } = rig;
  const arms = (['left', 'right'] as const).flatMap((side) =>
    ARM.flatMap((part) => slots.get(`${part}.${side}`)?.slice(0, 1) ?? []),
  );
  const [hips] = slots.get('hips') ?? [];
  if (hips === undefined) return new Map();
  const target = new TargetPose(rig, arms, hips);
  const left = unitOf(cross([0, 1, 0], rig.front)) ?? [1, 0, 0];
  for (const side of ['left', 'right'] as const) {
    const out: Vector = side === 'left' ? left : [-left[0], -left[1], -left[2]];
    const goal = unitOf(pose === 't' ? out : [out[0], out[1] - 1, out[2]]) ?? out;
    const turned = Float64Array.of(0, 0, 0, 1);
    for (const part of ARM) {
      const node = slots.get(`${part}.${side}`)?.[0];
      if (node === undefined) continue;
      const next = nextJoint(rig, node);
      const d = next === undefined ? undefined : unitOf(minus(places.subarray(3 * next), places.subarray(3 * node)));
      if (d) {
        rotateInto(turned, d, d);
        multiplyQuaternions(swingBetween(d, goal), turned, turned);
      }
      const world = new Float64Array(4);
      multiplyQuaternions(turned, turns, world, 0, 4 * node);
      target.turn(node, world);
    }
  }
  target.update();
  return new Map(arms.map((node) => [node, target.locals.slice(4 * node, 4 * node + 4)]));
}
