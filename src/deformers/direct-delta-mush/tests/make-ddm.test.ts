// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compose, IDENTITY, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { DdmVariant, DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { skinOfMultiWeights } from '../../../methods/compress/virtual-bones/skin-of-multi-weights.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeCentersOfRotation } from '../../centers-of-rotation/centers-of-rotation.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeDdmCentered } from '../ddm-centered.ts';
import { makeDdmPatches } from '../ddm-patches.ts';
import { makeDdm } from '../make-ddm.ts';

const VARIANTS: DdmVariant[] = [0, 1, 2, 3, 4, 5];

/** A rigid matrix about an axis by an angle, then moved. */
function makeRigid(axis: number[], angle: number, move: number[]): Float64Array {
  const q = [0, 0, 0, 1];
  quaternionFromAxisAngle(axis, angle, q);
  const m = new Float64Array(16);
  compose(move, q, [1, 1, 1], m);
  return m;
}

/** Random rigid bones, turns of up to the given angle; bone 1 turns by more than half a turn from bone 0 where asked. */
function makePose(boneCount: number, seed: number, angle: number): Float64Array {
  const random = makeRandom(seed);
  const bones = new Float64Array(16 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    const axis = [random.normal(), random.normal(), random.normal()];
    const move = [random.normal(), random.normal(), random.normal()].map((x) => 0.05 * x);
    bones.set(makeRigid(axis, (2 * random.next() - 1) * angle, move), 16 * j);
  }
  return bones;
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]));
  return worst;
}

let model: DirectDeltaMush;
let size = 0;
beforeAll(async () => {
  const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 500, frames: 1 });
  if (!skeleton || !skin) throw new Error('the bar has bones');
  model = await precomputeDdm(clip.mesh, skeleton, skin);
  size = measureBounds(clip.mesh.positions).diagonal;
});

describe('Direct Delta Mush', () => {
  it.each(VARIANTS)('v%i returns the rest shape and its normals for the identity pose', (variant) => {
    const n = model.mesh.positions.length;
    const positions = new Float64Array(n);
    const normals = new Float64Array(n);
    const bones = makeIdentities(model.skeleton.names.length);
    const mesh = { ...model.mesh, normals: Float32Array.from({ length: n }, (_, c) => (c % 3 === 0 ? 1 : 0)) };
    makeDdm({ ...model, mesh }, variant).deformInto({ bones }, positions, normals);
    expect(farthest(positions, mesh.positions)).toBeLessThan(1e-11 * size);
    expect(farthest(normals, mesh.normals)).toBeLessThan(1e-9);
  });

  it.each(VARIANTS)('v%i moves rigidly when all bones do, on top of any pose', (variant) => {
    const boneCount = model.skeleton.names.length;
    const deformer = makeDdm(model, variant);
    const n = model.mesh.positions.length;
    const before = new Float64Array(n);
    const after = new Float64Array(n);
    const normals = new Float64Array(n);
    const turned = new Float64Array(n);
    fc.assert(
      fc.property(fc.nat(10000), (seed) => {
        const bones = makePose(boneCount, seed, 0.6);
        const all = makePose(1, seed + 1, 3);
        const moved = bones.slice();
        for (let j = 0; j < boneCount; j++) multiply(all, bones, moved, 0, 16 * j, 16 * j);
        deformer.deformInto({ bones }, before, normals);
        deformer.deformInto({ bones: moved }, after, turned);
        for (let c = 0; c < n; c += 3) {
          for (let row = 0; row < 3; row++) {
            const a = all;
            const at = a[row] * before[c] + a[4 + row] * before[c + 1] + a[8 + row] * before[c + 2] + a[12 + row];
            expect(Math.abs(at - after[c + row])).toBeLessThan(1e-9 * size);
            const normal = a[row] * normals[c] + a[4 + row] * normals[c + 1] + a[8 + row] * normals[c + 2];
            expect(Math.abs(normal - turned[c + row])).toBeLessThan(1e-6);
          }
        }
      }),
      { numRuns: 5 },
    );
  });

  it('v5 equals linear blend with the smoothed weights', () => {
    const boneCount = model.skeleton.names.length;
    const bones = makePose(boneCount, 3, 1);
    const positions = new Float32Array(model.mesh.positions.length);
    const expected = positions.slice();
    const normals = positions.slice();
    const expectedNormals = positions.slice();
    makeDdm(model, 5).deformInto({ bones }, positions, normals);
    const skin = skinOfMultiWeights(model.multiWeights);
    makeLinearBlend(model.mesh, skin, boneCount).deformInto({ bones }, expected, expectedNormals);
    expect(farthest(positions, expected)).toBeLessThan(1e-6 * size);
    expect(farthest(normals, expectedNormals)).toBeLessThan(1e-5);
  });

  it('v4 equals centers-of-rotation skinning with its centers and weights', () => {
    const boneCount = model.skeleton.names.length;
    const bones = makePose(boneCount, 4, 3);
    const positions = new Float64Array(model.mesh.positions.length);
    const expected = positions.slice();
    const normals = positions.slice();
    const expectedNormals = positions.slice();
    makeDdm(model, 4).deformInto({ bones }, positions, normals);
    // weights in double, as the multi-weights have them
    const { rowStart, boneIndices, omegas } = model.multiWeights;
    const weights = Float64Array.from(boneIndices, (_, e) => omegas[10 * e + 9]) as unknown as Float32Array;
    const { centers } = makeDdmPatches(model);
    const skin = { rowStart, boneIndices, weights };
    makeCentersOfRotation(model.mesh, skin, boneCount, centers).deformInto({ bones }, expected, expectedNormals);
    expect(farthest(positions, expected)).toBeLessThan(1e-12 * size);
    expect(farthest(normals, expectedNormals)).toBeLessThan(1e-12);
  });

  it('v2 and v4 blend q and −q as the same rotation', () => {
    // bones turned by 170 and 190 degrees: 20 apart, their quaternions (w not negative) on opposite sides
    const boneCount = model.skeleton.names.length;
    const bones = new Float64Array(16 * boneCount);
    const turned = new Float64Array(16 * boneCount);
    const back = makeRigid([0, 0, 1], -Math.PI, [0, 0, 0]);
    for (let j = 0; j < boneCount; j++) {
      bones.set(makeRigid([0, 0, 1], ((j % 2 === 0 ? 170 : 190) * Math.PI) / 180, [0, 0, 0]), 16 * j);
      multiply(back, bones, turned, 0, 16 * j, 16 * j);
    }
    for (const variant of [2, 4] as const) {
      const deformer = makeDdm(model, variant);
      const a = new Float64Array(model.mesh.positions.length);
      const b = a.slice();
      deformer.deformInto({ bones }, a);
      deformer.deformInto({ bones: turned }, b);
      // half a turn about z
      for (let c = 0; c < a.length; c += 3) {
        expect(Math.abs(a[c] + b[c])).toBeLessThan(1e-12 * size);
        expect(Math.abs(a[c + 1] + b[c + 1])).toBeLessThan(1e-12 * size);
      }
    }
  });

  it('rejects scaled bones for v2 and v4 only', () => {
    const boneCount = model.skeleton.names.length;
    const bones = makeIdentities(boneCount);
    bones[16] = bones[21] = bones[26] = 1.2;
    const positions = new Float64Array(model.mesh.positions.length);
    for (const variant of VARIANTS) {
      const deform = () => makeDdm(model, variant).deformInto({ bones }, positions);
      if (variant === 2 || variant === 4) expect(deform).toThrow(/v[24]: bone 1 is scaled.*use variant 0, 1, 3 or 5/);
      else expect(deform).not.toThrow();
    }
  });

  it('rejects a pose with a wrong number of bones and an unknown variant', () => {
    const positions = new Float64Array(model.mesh.positions.length);
    expect(() => makeDdm(model).deformInto({ bones: new Float64Array(16) }, positions)).toThrow('the pose has 1 bones');
    expect(() => makeDdm(model, 6 as DdmVariant)).toThrow('the variant must be 0 to 5, got 6');
  });

  it('rotates flat patches, points and lines without NaN', async () => {
    // a flat square of 5 x 5, and three vertices apart: one alone, two in a triangle of no area
    const rest: number[] = [];
    for (let p = 0; p < 25; p++) rest.push(p % 5, Math.floor(p / 5), 0);
    rest.push(10, 0, 0, 12, 0, 0, 13, 0, 0);
    const triangles: number[] = [];
    for (let a = 0; a < 19; a++) if (a % 5 < 4) triangles.push(a, a + 1, a + 5, a + 1, a + 6, a + 5);
    triangles.push(26, 27, 26);
    const mesh = makeMesh(Float32Array.from(rest), Uint32Array.from(triangles));
    const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
    const bones = rest.filter((_, c) => c % 3 === 0).map((x) => (x < 2 ? 0 : 1));
    const skin = makeSkin(
      bones,
      bones.map(() => 1),
      1,
    );
    const flat = await precomputeDdm(mesh, skeleton, skin, { map: 'none', threshold: 0 });
    const pose = Float64Array.from([...IDENTITY, ...makeRigid([0, 1, 0], 1.2, [0, 0, 0.5])]);
    const n = rest.length;
    for (const variant of VARIANTS) {
      const deformer = makeDdm(flat, variant);
      const positions = new Float64Array(n);
      const normals = new Float64Array(n);
      deformer.deformInto({ bones: pose }, positions, normals);
      expect(positions.every(Number.isFinite)).toBe(true);
      expect(normals.every(Number.isFinite)).toBe(true);
      // the plane bends about y: nothing moves along y but by shear of v1's inverse transpose
      for (let p = 0; p < 25; p++) expect(Math.abs(positions[3 * p + 1] - rest[3 * p + 1])).toBeLessThan(0.5);
      // what is alone follows its bone rigidly, its normal too
      const x = Math.cos(1.2) * 10;
      expect(positions[75]).toBeCloseTo(x, 6);
      expect(positions[77]).toBeCloseTo(0.5 - Math.sin(1.2) * 10, 6);
      deformer.deformInto({ bones: makeIdentities(2) }, positions, normals);
      expect(farthest(positions, rest)).toBeLessThan(1e-6 * 13);
    }
  });
});

describe('Direct Delta Mush of extreme poses', () => {
  it.each<[string, (x: number, c: number) => number]>([
    ['is moved 1e17 away', (x, c) => (c === 13 ? 1e17 : x)],
    ['is scaled by 1e-40', (x, c) => (c % 16 < 12 ? 1e-40 * x : x)],
    ['collapses to a point', (x, c) => (c % 16 < 12 ? 0 : x)],
  ])('v0 and v1 stay finite in single precision when a bone %s', (_, change) => {
    const bones = makeIdentities(model.skeleton.names.length).map(change);
    for (const variant of [0, 1] as const) {
      const positions = new Float32Array(model.mesh.positions.length);
      makeDdm(model, variant).deformInto({ bones }, positions);
      expect(positions.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('the centered form in single precision', () => {
  it('stays within 2e-5 of the size of the double one', () => {
    const bones = makePose(model.skeleton.names.length, 5, 1);
    const n = model.mesh.positions.length;
    const expected = new Float64Array(n);
    const expectedNormals = new Float64Array(n);
    makeDdm(model, 0).deformInto({ bones }, expected, expectedNormals);
    const positions = new Float32Array(n);
    const normals = new Float32Array(n);
    makeDdmCentered(model).deformInto({ bones }, positions, normals);
    expect(farthest(positions, expected)).toBeLessThan(2e-5 * size);
    expect(farthest(normals, expectedNormals)).toBeLessThan(1e-3);
  });

  it('gives the same deformation ten metres from the origin, moved by its bones or by its rest shape', async () => {
    const boneCount = model.skeleton.names.length;
    const far = [10, -10, 10];
    const bones = makePose(boneCount, 5, 1);
    const n = model.mesh.positions.length;
    const near = new Float32Array(n);
    makeDdmCentered(model).deformInto({ bones }, near);

    const movedBones = bones.slice();
    for (let j = 0; j < boneCount; j++) for (let c = 0; c < 3; c++) movedBones[16 * j + 12 + c] += far[c];
    const posed = new Float32Array(n);
    makeDdmCentered(model).deformInto({ bones: movedBones }, posed);
    const back = Float64Array.from(posed, (x, c) => x - far[c % 3]);
    // rounding of a position ten metres out is 1e-6
    expect(farthest(back, near)).toBeLessThan(5e-6);

    const { skeleton } = model;
    const { skin } = makeSample('bar-bend', { resolution: 500, frames: 1 });
    if (!skin) throw new Error('the bar has weights');
    const mesh = { ...model.mesh, positions: model.mesh.positions.map((x, c) => x + far[c % 3]) };
    const bindMatrices = skeleton.bindMatrices.map((x, c) =>
      c % 16 >= 12 && c % 16 < 15 ? x + far[(c % 16) - 12] : x,
    );
    const moved = await precomputeDdm(mesh, { ...skeleton, bindMatrices }, skin);
    // rest to posed in the moved frame: T M T⁻¹
    const conjugate = new Float64Array(16 * boneCount);
    for (let j = 0; j < boneCount; j++) {
      const to = makeRigid([1, 0, 0], 0, far);
      const from = makeRigid([1, 0, 0], 0, [-10, 10, -10]);
      multiply(to, bones, conjugate, 0, 16 * j, 16 * j);
      multiply(conjugate, from, conjugate, 16 * j, 0, 16 * j);
    }
    const rested = new Float32Array(n);
    makeDdmCentered(moved).deformInto({ bones: conjugate }, rested);
    expect(
      farthest(
        Float64Array.from(rested, (x, c) => x - far[c % 3]),
        near,
      ),
    ).toBeLessThan(2e-5 * size);
  });
});
