// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { type DrivenBone, makeDrivenBones } from '../driven-bones.ts';
import { type Muscle, makeMuscles } from '../muscles.ts';
import type { PosedRig } from '../pose-space.ts';

/** A tube of radius 0.1 along x, 0 to 2, on two bones that slide: the first half follows the first. */
function makeRig(): PosedRig {
  const positions: number[] = [],
    triangles: number[] = [],
    bones: number[] = [];
  for (let n = 0; n <= 40; n++) {
    for (let m = 0; m < 8; m++) {
      const angle = (2 * Math.PI * m) / 8;
      positions.push(n / 20, 0.1 * Math.cos(angle), 0.1 * Math.sin(angle));
      bones.push(n < 20 ? 0 : 1);
      if (n < 40) {
        const [a, b] = [8 * n + m, 8 * n + ((m + 1) % 8)];
        triangles.push(a, b, b + 8, a, b + 8, a + 8);
      }
    }
  }
  const skeleton: Skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
  skeleton.bindMatrices[28] = 1;
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles));
  return {
    mesh,
    skeleton,
    skin: makeSkin(
      bones,
      bones.map(() => 1),
      1,
    ),
  };
}

const MUSCLE: Muscle = {
  name: 'one',
  origin: { joint: 0, point: [0, 0, 0] },
  insertion: { joint: 1, point: [2, 0, 0] },
  radius: 0.2,
  reach: 0.1,
};

/** The second bone moved along x, and turned about z at (1, 0, 0). */
function pose(slide: number, degrees = 0): Float64Array {
  const bones = makeIdentities(2);
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  bones.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, 1 - c + slide, -s, 0, 1], 16);
  return bones;
}

/** y of the vertex on top of the middle ring. */
const TOP = 3 * 8 * 20;

describe('makeMuscles', () => {
  const rig = makeRig();
  const out = new Float32Array(rig.mesh.positions.length);

  it('keeps the volume of the belly: half as long, √2 as wide', () => {
    const deformer = makeMuscles(rig, [MUSCLE]);
    deformer.deformInto({ bones: pose(-1) }, out);
    expect(out[TOP]).toBeCloseTo(0.5, 6);
    expect(out[TOP + 1]).toBeCloseTo(0.1 * Math.SQRT2, 6);
    deformer.deformInto({ bones: pose(2) }, out);
    expect(out[TOP + 1]).toBeCloseTo(0.1 / Math.SQRT2, 6);
  });

  it('swells more with exaggeration, but within a bound', () => {
    makeMuscles(rig, [{ ...MUSCLE, swell: 3 }]).deformInto({ bones: pose(-1) }, out);
    expect(out[TOP + 1]).toBeCloseTo(0.1 * (1 + 3 * (Math.SQRT2 - 1)), 6);
    makeMuscles(rig, [{ ...MUSCLE, swell: 0 }]).deformInto({ bones: pose(-1) }, out);
    expect(out[TOP + 1]).toBeCloseTo(0.1, 6);
    // attachments that meet, and a muscle drawn out to a hundred times its length
    for (const slide of [-2, 200]) {
      makeMuscles(rig, [{ ...MUSCLE, swell: 3 }]).deformInto({ bones: pose(slide) }, out);
      expect(out.every(Number.isFinite)).toBe(true);
      expect(out[TOP + 1]).toBeGreaterThan(0.01);
      expect(out[TOP + 1]).toBeLessThan(0.5);
    }
  });

  it('rotates the belly with the line between its attachments', () => {
    makeMuscles(rig, [MUSCLE]).deformInto({ bones: pose(0, 90) }, out);
    // the middle of (0, 0) and (1, 1), out along the line's normal, as wide as 2 / √2 long allows
    const wide = 0.1 * Math.sqrt(2 / Math.SQRT2);
    expect(out[TOP]).toBeCloseTo(0.5 - wide * Math.SQRT1_2, 6);
    expect(out[TOP + 1]).toBeCloseTo(0.5 + wide * Math.SQRT1_2, 6);
  });

  it('does not move the skin beyond its reach and at its tendons', () => {
    const bones = pose(-0.5, 30);
    const plain = new Float32Array(out.length);
    makeLinearBlend(rig.mesh, rig.skin, 2).deformInto({ bones }, plain);
    makeMuscles(rig, [{ ...MUSCLE, radius: 0.01, reach: 0.05 }]).deformInto({ bones }, out);
    expect(out).toEqual(plain);
    makeMuscles(rig, [MUSCLE]).deformInto({ bones }, out);
    expect(out.subarray(0, 24)).toEqual(plain.subarray(0, 24));
    expect(out.subarray(-24)).toEqual(plain.subarray(-24));
    expect(out).not.toEqual(plain);
  });

  it('shares a vertex between muscles whose weights exceed one', () => {
    const bones = pose(-1, 20);
    const once = new Float32Array(out.length);
    makeMuscles(rig, [MUSCLE]).deformInto({ bones }, once);
    makeMuscles(rig, [MUSCLE, { ...MUSCLE, name: 'two' }]).deformInto({ bones }, out);
    for (let c = TOP; c < TOP + 24; c++) expect(out[c]).toBeCloseTo(once[c], 6);
  });

  it('is at rest in the rest pose, with normals', () => {
    const normals = new Float32Array(out.length);
    makeMuscles(rig, [{ ...MUSCLE, swell: 5, hold: 0.7 }]).deformInto({ bones: makeIdentities(2) }, out, normals);
    out.forEach((x, c) => {
      expect(x).toBeCloseTo(rig.mesh.positions[c], 6);
    });
    expect(Math.hypot(normals[TOP], normals[TOP + 1], normals[TOP + 2])).toBeCloseTo(1, 5);
  });

  it('rejects invalid muscles', () => {
    const make = (change: Partial<Muscle>) => () => makeMuscles(rig, [{ ...MUSCLE, ...change }]);
    expect(make({ insertion: MUSCLE.origin })).toThrow('attachments of "one" are at the same point');
    expect(make({ origin: { joint: 2, point: [0, 0, 0] } })).toThrow('the origin of "one" is on joint 2; there are 2');
    expect(make({ origin: { joint: 0, point: [0, Number.NaN, 0] } })).toThrow(
      'the origin of "one" must be three numbers',
    );
    expect(make({ radius: 0 })).toThrow('the radius of "one" must be above 0, got 0');
    expect(make({ reach: -1 })).toThrow('the reach of "one" must be at least 0, got -1');
    expect(make({ swell: Number.NaN })).toThrow('the swell of "one" must be at least 0, got NaN');
    expect(make({ hold: 2 })).toThrow('the hold of "one" must be from 0 to 1, got 2');
  });
});

describe('makeDrivenBones', () => {
  const rig = makeRig();
  const out = new Float32Array(rig.mesh.positions.length);
  const bindMatrix = Float64Array.of(0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1);
  /** All vertices follow the helper. */
  const skin = makeSkin(
    Array.from(rig.skin.boneIndices, () => 2),
    Array.from(rig.skin.boneIndices, () => 1),
    1,
  );
  const helper: DrivenBone = {
    name: 'helper',
    parent: 0,
    bindMatrix,
    drive(turns, parts) {
      // its own x is the model's y
      parts[0] = turns[6];
      parts[6] = 3;
    },
  };

  it('moves and scales a helper in its own frame by joint rotations', () => {
    makeDrivenBones({ ...rig, skin }, [helper]).deformInto({ bones: pose(0, 60) }, out);
    // sin 30° along y, and y grown threefold
    expect(out[TOP]).toBeCloseTo(1, 6);
    expect(out[TOP + 1]).toBeCloseTo(3 * 0.1 + 0.5, 6);
  });

  it('attaches it to its parent', () => {
    const bones = pose(0, 90);
    makeDrivenBones({ ...rig, skin }, [{ ...helper, parent: 1, drive: () => {} }]).deformInto({ bones }, out);
    expect(out[TOP]).toBeCloseTo(0.9, 6);
    expect(out[TOP + 1]).toBeCloseTo(0, 6);
  });

  it('rejects invalid helpers', () => {
    const make = (change: Partial<DrivenBone>) => () => makeDrivenBones({ ...rig, skin }, [{ ...helper, ...change }]);
    expect(make({ parent: 2 })).toThrow('the parent of "helper" is joint 2; there are 2 joints');
    expect(make({ bindMatrix: [1] })).toThrow('must have 16 numbers');
    expect(make({ bindMatrix: new Float64Array(16) })).toThrow('the bind matrix of "helper" has no inverse');
  });
});
