// SPDX-License-Identifier: MIT
import { makeTimes } from '../model/clip.ts';
import type { Mesh } from '../model/mesh.ts';
import { makeSkin, type Skin } from '../model/skin.ts';
import { type BonePlan, makeBlendClip, makePlanMotion, makePlanSkeleton } from './bones.ts';
import { makeRoundedBox } from './rounded-box.ts';
import { phaseOf, SAMPLE_FPS, type SampleBody, type SampleOptions } from './sample.ts';

const LENGTH = 4;
const JOINTS = [0, 1.2, 2, 2.8];
/** Half of the stretch over which one bone's weight passes to the next. */
const REACH = 0.4;
const MOST_BEND = (40 * Math.PI) / 180;
const MOST_TWIST = Math.PI;

/** An upright bar on four bones that bends to either side, 40 degrees in each of three joints. */
export function makeBarBend(options: Required<SampleOptions>): SampleBody {
  const mesh = makeBar(options.resolution, 'bar-bend');
  const plan: BonePlan[] = JOINTS.map((y, j) => ({ name: `bone${j}`, parent: j - 1, head: [0, y, 0] }));
  const skin = makeBarSkin(mesh);
  const motion = makePlanMotion('bend', plan, options.frames, (j, k) => ({
    z: j === 0 ? 0 : MOST_BEND * Math.sin(phaseOf(k, options.frames)),
  }));
  return {
    clip: makeBlendClip(mesh, skin, motion),
    skeleton: makePlanSkeleton(plan),
    skin,
    motion,
    isExact: true,
  };
}

/** An upright bar whose sections turn about its axis, up to half a turn at the top: no few bones say this exactly. */
export function makeBarTwist(options: Required<SampleOptions>): SampleBody {
  const mesh = makeBar(options.resolution, 'bar-twist');
  const rest = mesh.positions;
  const positions = new Float32Array(options.frames * rest.length);
  for (let k = 0; k < options.frames; k++) {
    const most = MOST_TWIST * Math.sin(phaseOf(k, options.frames));
    for (let c = 0; c < rest.length; c += 3) {
      const angle = most * smoothstep(rest[c + 1] / LENGTH);
      const o = k * rest.length + c;
      positions[o] = Math.cos(angle) * rest[c] + Math.sin(angle) * rest[c + 2];
      positions[o + 1] = rest[c + 1];
      positions[o + 2] = Math.cos(angle) * rest[c + 2] - Math.sin(angle) * rest[c];
    }
  }
  return {
    clip: { name: 'twist', mesh, positions, times: makeTimes(options.frames, SAMPLE_FPS) },
    isExact: false,
  };
}

/** Stands on the ground: y from 0 to LENGTH. */
function makeBar(resolution: number, name: string): Mesh {
  const mesh = makeRoundedBox([1, LENGTH, 0.7], 0.18, resolution, name);
  for (let c = 1; c < mesh.positions.length; c += 3) mesh.positions[c] += LENGTH / 2;
  return mesh;
}

/** Along the bar one bone hands over to the next around each joint: at most two influences. */
function makeBarSkin(mesh: Mesh): Skin {
  const bones: number[] = [],
    weights: number[] = [];
  for (let c = 1; c < mesh.positions.length; c += 3) {
    const y = mesh.positions[c];
    let bone = 0;
    while (bone + 1 < JOINTS.length - 1 && y > (JOINTS[bone + 1] + JOINTS[bone + 2]) / 2) bone++;
    const next = smoothstep((y - JOINTS[bone + 1] + REACH) / (2 * REACH));
    bones.push(bone, bone + 1);
    weights.push(1 - next, next);
  }
  return makeSkin(bones, weights, 2);
}

function smoothstep(x: number): number {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
}
