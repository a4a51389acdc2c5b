// SPDX-License-Identifier: MIT
// Motions of a figure whose parts come to touch, stay and part again. Joints are set by angles in model space; the last one closes until the parts touch, found on the posed surface.

import { makeIdentities } from '../../src/core/math/mat4.ts';
import { quaternionFromAxisAngle, quaternionFromMatrix, slerpInto } from '../../src/core/math/quaternion.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { PointGrid } from '../../src/core/mesh/geometry/point-grid.ts';
import { type Clip, makeTimes } from '../../src/core/model/clip/clip.ts';
import type { Deformer } from '../../src/core/model/deformed/deformer.ts';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import type { Skeleton } from '../../src/core/model/skin/skeleton.ts';
import type { Skin } from '../../src/core/model/skin/skin.ts';
import { PoseEditor } from '../../src/entry/deform.ts';

/** A figure that faces +z, y up, arms spread along x at rest. */
export interface Figure {
  mesh: Mesh;
  skeleton: Skeleton;
  skin?: Skin;
  deformer: Deformer;
}

/** A joint by the end of its name, without its side, an axis in model space, and degrees. Joints of the right side turn mirrored. */
type Turn = readonly [joint: RegExp, axis: readonly [number, number, number], degrees: number];

interface TouchMotion {
  /** The pose at both ends. */
  open: readonly Turn[];
  /** The pose in the middle, before parts touch. */
  closed: readonly Turn[];
  /** The turn that goes on until parts touch, and its maximum in degrees; 0 if they touch already. */
  closing: Turn;
  /** Joints whose surface touches other parts: they and all below them. */
  touching: RegExp;
  /** Joints whose surface does not count, since it is beside the touching one. */
  beside: RegExp;
  /** Degrees of the closing turn beyond the first contact. */
  press: number;
  /** How far the pose is closed in each frame. Default: parts come, stay, and leave. */
  profile?: readonly number[];
}

const COME_AND_LEAVE = [0, 0.25, 0.55, 0.85, 1, 1, 1, 0.85, 0.5, 0.2];
/** Parts touch in most frames: the frame nearest to all others is one where they are fused. */
const LEAVE = [1, 1, 1, 1, 1, 1, 0.85, 0.6, 0.3, 0.1];

const [X, Y, Z] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
const ARM = /(Left|Right)Arm$/;
const FORE = /ForeArm$/;
const HAND = /Hand$/;
const THIGH = /(Thigh|UpLeg)$/;
const SHANK = /(Shank|(Left|Right)Leg)$/;
const WAIST = /Waist$|Spine1$/;

const HANDS_ON_HIPS: TouchMotion = {
  open: [
    [ARM, Z, -45],
    [FORE, Z, -12],
    [THIGH, Z, 6],
  ],
  closed: [
    [THIGH, Z, 6],
    [ARM, Z, -48],
    [ARM, Y, 12],
    [FORE, Z, -50],
    [HAND, Z, 55],
  ],
  closing: [FORE, Z, -100],
  ...{ touching: HAND, beside: /Arm$/, press: 2 },
};

export const TOUCH_MOTIONS: Record<string, TouchMotion> = {
  'hands on hips': HANDS_ON_HIPS,
  'hands leave hips': { ...HANDS_ON_HIPS, profile: LEAVE },
  // the legs come together, too
  'hands on thighs': {
    open: [
      [ARM, Z, -45],
      [FORE, Z, -12],
      [THIGH, Z, 12],
    ],
    closed: [
      [ARM, Z, -62],
      [ARM, Y, -35],
      [FORE, Y, -60],
    ],
    closing: [FORE, Y, -90],
    ...{ touching: FORE, beside: /Arm$|Collar$|Shoulder$/, press: 2 },
  },
  'arms folded': {
    open: [
      [ARM, Z, -45],
      [FORE, Z, -12],
      [THIGH, Z, 6],
    ],
    closed: [
      [ARM, Z, -68],
      [ARM, X, -15],
      [FORE, Z, -20],
      [FORE, X, -75],
      [FORE, Y, -30],
      [THIGH, Z, 6],
      [/RightForeArm$/, X, -14],
    ],
    closing: [FORE, Y, -80],
    ...{ touching: FORE, beside: /Arm$|Collar$|Shoulder$/, press: 2 },
  },
  // calves touch the thighs, and thighs the belly
  crouch: {
    open: [
      [ARM, Z, -50],
      [THIGH, Z, 8],
      [THIGH, X, -10],
      [SHANK, X, 15],
    ],
    closed: [
      [ARM, Z, -50],
      [WAIST, X, 30],
      [THIGH, Z, 8],
      [THIGH, X, -100],
      [SHANK, X, 135],
    ],
    closing: [SHANK, X, 0],
    ...{ touching: SHANK, beside: THIGH, press: 0 },
  },
};

/** Distance of vertices at which parts touch, relative to the box diagonal; and the step of the search in degrees. */
const CONTACT = 0.006;
const STEP = 2;
const FPS = 24;
/** The search compares every third vertex. */
const STRIDE = 3;

/** Frames of a motion of a figure. */
export function makeTouchClip(figure: Figure, name: string): Clip {
  const { mesh, skeleton, deformer } = figure;
  const motion = TOUCH_MOTIONS[name];
  const [joint, axis, most] = motion.closing;
  const start = makePose(skeleton, motion.open);
  const isTouching = listVertices(figure, motion.touching);
  const isBeside = listVertices(figure, motion.beside);
  const shape = new Float32Array(mesh.positions.length);
  const { diagonal } = measureBounds(mesh.positions);
  const poseAt = (degrees: number): PoseEditor =>
    makePose(skeleton, [...motion.closed, [joint, axis, Math.sign(most) * degrees]]);
  let degrees = 0;
  for (; degrees < Math.abs(most); degrees += STEP) {
    deformer.deformInto({ bones: poseAt(degrees).bones() }, shape);
    if (measureGap(shape, isTouching, isBeside) < CONTACT * diagonal) break;
  }
  const end = poseAt(degrees + motion.press);
  const { profile = COME_AND_LEAVE } = motion;
  const positions = new Float32Array(profile.length * shape.length);
  for (const [k, part] of profile.entries())
    deformer.deformInto(
      { bones: blendPoses(skeleton, start, end, part) },
      positions.subarray(k * shape.length, (k + 1) * shape.length),
    );
  return { kind: 'clip', name, mesh, positions, times: makeTimes(profile.length, FPS) };
}

function makeEditor({ parents, bindMatrices }: Skeleton): PoseEditor {
  const ranges = Float64Array.from({ length: 6 * parents.length }, (_, c) => (c % 2 === 0 ? -4 : 4));
  const editor = new PoseEditor({ parents, binds: bindMatrices, ranges });
  editor.take(makeIdentities(parents.length));
  return editor;
}

function makePose(skeleton: Skeleton, turns: readonly Turn[]): PoseEditor {
  const editor = makeEditor(skeleton);
  for (const [joint, axis, degrees] of turns)
    for (const [j, name] of skeleton.names.entries()) {
      if (!joint.test(name)) continue;
      // a mirror image across x turns the other way about y and z
      const sign = /Right/.test(name) && axis[0] === 0 ? -1 : 1;
      const by = [0, 0, 0, 1];
      quaternionFromAxisAngle(axis, (sign * degrees * Math.PI) / 180, by);
      editor.turnBy(j, by);
    }
  return editor;
}

/** A pose between two: the rotations of all joints in model space are interpolated. */
function blendPoses(skeleton: Skeleton, from: PoseEditor, to: PoseEditor, part: number): Float64Array {
  const editor = makeEditor(skeleton);
  const [a, b, q] = [
    [0, 0, 0, 1],
    [0, 0, 0, 1],
    [0, 0, 0, 1],
  ];
  for (let j = 0; j < skeleton.parents.length; j++) {
    quaternionFromMatrix(from.frameOf(j), a);
    quaternionFromMatrix(to.frameOf(j), b);
    slerpInto(a, b, part, q);
    editor.setRotation(j, q);
  }
  return editor.bones();
}

/** Vertices that joints, or joints below them, move most. */
function listVertices({ skeleton, skin }: Figure, joints: RegExp): Uint8Array {
  if (!skin) throw new Error('a figure needs a skin, which tells the vertices of its hands');
  const isBelow = skeleton.names.map((name) => joints.test(name));
  for (const [j, parent] of skeleton.parents.entries()) if (parent >= 0 && isBelow[parent]) isBelow[j] = true;
  return Uint8Array.from({ length: skin.rowStart.length - 1 }, (_, i) => {
    let sum = 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      if (isBelow[skin.boneIndices[e]]) sum += skin.weights[e];
    return sum > 0.5 ? 1 : 0;
  });
}

/** The smallest distance between touching vertices and others that are not beside them. */
function measureGap(shape: Float32Array, isTouching: Uint8Array, isBeside: Uint8Array): number {
  const pick = (isPicked: (i: number) => boolean): Float32Array =>
    Float32Array.from([...isTouching.keys()].filter(isPicked).flatMap((i) => [...shape.subarray(3 * i, 3 * i + 3)]));
  const own = pick((i) => isTouching[i] === 1);
  const others = pick((i) => isTouching[i] === 0 && isBeside[i] === 0);
  const grid = new PointGrid(others);
  let least = Number.POSITIVE_INFINITY;
  for (let o = 0; o < own.length; o += 3 * STRIDE) {
    const at = 3 * grid.findNearest(own[o], own[o + 1], own[o + 2]);
    least = Math.min(least, Math.hypot(own[o] - others[at], own[o + 1] - others[at + 1], own[o + 2] - others[at + 2]));
  }
  return least;
}
