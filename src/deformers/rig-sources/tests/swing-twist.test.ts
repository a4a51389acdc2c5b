// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply, transformPoint } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { listBoneAxes } from '../../posing/bone-axes.ts';
import { makeSwingTwist } from '../swing-twist.ts';
import { acrossOf, swingTwistInto } from '../swing-twist-angles.ts';

/** Upright bones at heights 0, 1, 2, and a branch to the side of the second. */
const HEADS = [
  [0, 0, 0],
  [0, 1, 0],
  [0, 2, 0],
  [0.5, 1.5, 0],
];
const SKELETON: Skeleton = {
  names: ['a', 'b', 'c', 'd'],
  parents: Int32Array.of(-1, 0, 1, 1),
  bindMatrices: Float64Array.from(HEADS.flatMap((head) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...head, 1])),
};

/** Rest-to-posed matrices from a rotation per joint. */
function pose(rotations: { axis: number[]; angle: number }[]): Float64Array {
  const bones = makeIdentities(4);
  const local = new Float64Array(16);
  const away = new Float64Array(16);
  rotations.forEach(({ axis, angle }, j) => {
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle(axis, angle, q);
    compose(HEADS[j], q, [1, 1, 1], local);
    compose(
      HEADS[j].map((x) => -x),
      [0, 0, 0, 1],
      [1, 1, 1],
      away,
    );
    multiply(local, away, local);
    if (SKELETON.parents[j] >= 0) multiply(bones, local, bones, 16 * SKELETON.parents[j], 0, 16 * j);
    else bones.set(local, 16 * j);
  });
  return bones;
}

function randomMesh(seed: number, vertexCount = 12) {
  const random = makeRandom(seed);
  const mesh = makeMesh(
    Float32Array.from({ length: 3 * vertexCount }, () => 2 * random.next() - 0.5),
    Uint32Array.of(0, 1, 2),
  );
  const skin = makeSkin(
    Array.from({ length: 4 * vertexCount }, (_, e) => e % 4),
    Array.from({ length: 4 * vertexCount }, () => random.next()),
    4,
  );
  return { mesh, skin, random };
}

const across = (x: number, z: number, angle: number) => ({ axis: [x, 0, z], angle });
const about = (angle: number) => ({ axis: [0, 1, 0], angle });

describe('swing/twist', () => {
  it('divides a rotation so that the twist followed by the swing gives it back', () => {
    const random = makeRandom(5);
    for (const division of ['quaternion', 'euler'] as const) {
      for (let n = 0; n < 50; n++) {
        const q = new Float64Array(4);
        quaternionFromAxisAngle([random.normal(), random.normal(), random.normal()], 6 * random.next(), q);
        const swing = new Float64Array(4);
        const axis = [0.6, 0, 0.8];
        const angle = swingTwistInto(q, axis, division, swing);
        const twist = [0, 0, 0, 1];
        quaternionFromAxisAngle(axis, angle, twist);
        const [a, b] = [new Float64Array(16), new Float64Array(16)];
        compose([0, 0, 0], swing, [1, 1, 1], a);
        compose([0, 0, 0], twist, [1, 1, 1], b);
        multiply(a, b, a);
        compose([0, 0, 0], q, [1, 1, 1], b);
        for (let c = 0; c < 16; c++) expect(a[c]).toBeCloseTo(b[c], 10);
        // the rotation axis of a swing lies across the bone
        if (division === 'quaternion') expect(swing[0] * axis[0] + swing[2] * axis[2]).toBeCloseTo(0, 10);
      }
    }
  });

  it('flips the Euler twist by half a turn where the swing passes 90 degrees, and not the quaternion twist', () => {
    const angleAt = (degrees: number, division: 'euler' | 'quaternion') => {
      const q = new Float64Array(4);
      // the middle axis of the angles for a bone along y: the first of the two across it
      quaternionFromAxisAngle([1, 0, 0], (degrees * Math.PI) / 180, q);
      return swingTwistInto(q, [0, 1, 0], division, new Float64Array(4));
    };
    expect(angleAt(89, 'euler')).toBeCloseTo(0, 10);
    expect(Math.abs(angleAt(91, 'euler'))).toBeCloseTo(Math.PI, 10);
    for (const degrees of [89, 91, 179]) expect(angleAt(degrees, 'quaternion')).toBeCloseTo(0, 10);
  });

  it('equals linear blend skinning where nothing twists', () => {
    const { mesh, skin } = randomMesh(1);
    const { axes } = listBoneAxes(mesh, SKELETON, skin);
    const swing = (j: number, angle: number) => ({ axis: acrossOf(axes.subarray(3 * j, 3 * j + 3))[1], angle });
    const bones = pose([about(0.5), swing(1, -0.9), swing(2, 1.1), swing(3, 0.7)]);
    const a = new Float32Array(36),
      b = new Float32Array(36);
    makeLinearBlend(mesh, skin, 4).deformInto({ bones }, a);
    makeSwingTwist(mesh, SKELETON, skin).deformInto({ bones }, b);
    for (let c = 0; c < 36; c++) expect(b[c]).toBeCloseTo(a[c], 5);
  });

  it('moves vertices of one bone rigidly', () => {
    const { mesh, random } = randomMesh(2);
    const skin = makeSkin(
      Array.from({ length: 12 }, (_, i) => i % 4),
      new Array(12).fill(1),
      1,
    );
    const turn = () => ({ axis: [random.normal(), random.normal(), random.normal()], angle: 2 * random.next() });
    const bones = pose([turn(), turn(), turn(), turn()]);
    const out = new Float32Array(36);
    makeSwingTwist(mesh, SKELETON, skin).deformInto({ bones }, out);
    const expected = new Float64Array(3);
    for (let i = 0; i < 12; i++) {
      transformPoint(bones, mesh.positions, expected, 16 * (i % 4), 3 * i);
      for (let c = 0; c < 3; c++) expect(out[3 * i + c]).toBeCloseTo(expected[c], 5);
    }
  });

  it('is the deformer of the paper for one joint: twist by the share of the angle, then blend the swing', () => {
    const mesh = makeMesh(Float32Array.of(0.3, 1.2, 0.4), new Uint32Array(0));
    const skeleton: Skeleton = {
      names: ['a', 'b'],
      parents: Int32Array.of(-1, 0),
      bindMatrices: SKELETON.bindMatrices.slice(0, 32),
    };
    // bone b along y: its vertices' center is above its joint
    const centered = makeMesh(Float32Array.of(0.3, 1.2, 0.4, -0.3, 1.2, -0.4), new Uint32Array(0));
    const swing = makeSkin([0, 1, 0, 1], [0.4, 0.6, 0.4, 0.6], 2);
    const twist = makeSkin([0, 1, 0, 1], [0.7, 0.3, 0.7, 0.3], 2);
    const [angle, bend] = [1.4, 0.8];
    const joint = pose([about(0), across(0, 1, bend), about(0), about(0)]).slice(0, 32);
    const spin = pose([about(0), about(angle), about(0), about(0)]).slice(0, 32);
    multiply(joint, spin, joint, 16, 16, 16);
    const out = new Float32Array(6);
    makeSwingTwist(centered, skeleton, swing, { twist }).deformInto({ bones: joint }, out);
    const [x, y, z] = mesh.positions;
    const t = 0.3 * angle;
    const [tx, ty, tz] = [Math.cos(t) * x + Math.sin(t) * z, y, Math.cos(t) * z - Math.sin(t) * x];
    const bent = [
      Math.cos(bend) * tx - Math.sin(bend) * (ty - 1),
      Math.sin(bend) * tx + Math.cos(bend) * (ty - 1) + 1,
      tz,
    ];
    [tx, ty, tz].forEach((value, c) => {
      expect(out[c]).toBeCloseTo(0.4 * value + 0.6 * bent[c], 5);
    });
  });

  it('rejects bones with scale', () => {
    const { mesh, skin } = randomMesh(3);
    const bones = makeIdentities(4);
    bones[16] = 1.1;
    expect(() => makeSwingTwist(mesh, SKELETON, skin).deformInto({ bones }, new Float32Array(36))).toThrow(
      'bone 1 is scaled',
    );
  });
});
