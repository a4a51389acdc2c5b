// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, transformPoint } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeDualQuaternion } from '../dual-quaternion.ts';

function rigidBones(angles: number[], axes: number[][], translations: number[][]): Float64Array {
  const bones = makeIdentities(angles.length);
  const q = [0, 0, 0, 1];
  angles.forEach((angle, j) => {
    quaternionFromAxisAngle(axes[j], angle, q);
    compose(translations[j], q, [1, 1, 1], bones, 0, 0, 0, j * 16);
  });
  return bones;
}

describe('dual quaternion', () => {
  it('equals linear blend for one bone per vertex, also at 180 degrees', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = makeRandom(seed);
        const mesh = makeMesh(
          Float32Array.from({ length: 30 }, () => random.normal()),
          Uint32Array.of(0, 1, 2),
        );
        const axis = () => [random.normal(), random.normal(), random.normal()];
        const bones = rigidBones([Math.PI, 7 * random.next(), -1], [axis(), axis(), axis()], [axis(), axis(), axis()]);
        const skin = makeSkin(
          Array.from({ length: 10 }, (_, i) => i % 3),
          new Array(10).fill(1),
          1,
        );
        const a = new Float32Array(30),
          b = new Float32Array(30),
          na = new Float32Array(30),
          nb = new Float32Array(30);
        makeLinearBlend(mesh, skin, 3).deformInto({ bones }, a, na);
        makeDualQuaternion(mesh, skin, 3).deformInto({ bones }, b, nb);
        for (let c = 0; c < 30; c++) {
          expect(Math.abs(a[c] - b[c])).toBeLessThan(1e-5);
          expect(Math.abs(na[c] - nb[c])).toBeLessThan(1e-5);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the radius of a twisted tube that linear blend collapses', () => {
    const mesh = makeMesh(Float32Array.of(0, 1, 0), new Uint32Array(0));
    const skin = makeSkin([0, 1], [0.5, 0.5], 2);
    const bones = rigidBones([0, 0.999 * Math.PI], [[1, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 0, 0]]); // biome-ignore format: pairs
    const out = new Float32Array(3);
    makeLinearBlend(mesh, skin, 2).deformInto({ bones }, out);
    expect(Math.hypot(out[1], out[2])).toBeLessThan(0.01);
    makeDualQuaternion(mesh, skin, 2).deformInto({ bones }, out);
    expect(Math.hypot(out[1], out[2])).toBeCloseTo(1, 6);
  });

  it('blends q and −q as one rotation', () => {
    // 200° and 170° about z: as quaternions with w ≥ 0 they lie in opposite hemispheres; halfway is 185°.
    const mesh = makeMesh(Float32Array.of(1, 0, 0), new Uint32Array(0));
    const bones = rigidBones([(200 * Math.PI) / 180, (170 * Math.PI) / 180], [[0, 0, 1], [0, 0, 1]], [[0, 0, 0], [0, 0, 0]]); // biome-ignore format: pairs
    const out = new Float32Array(3);
    makeDualQuaternion(mesh, makeSkin([0, 1], [0.5, 0.5], 2), 2).deformInto({ bones }, out);
    expect(out[0]).toBeCloseTo(Math.cos((185 * Math.PI) / 180), 5);
    expect(out[1]).toBeCloseTo(Math.sin((185 * Math.PI) / 180), 5);
  });

  it('follows a rigid motion of all bones', () => {
    const random = makeRandom(4);
    const mesh = makeMesh(
      Float32Array.from({ length: 30 }, () => random.normal()),
      new Uint32Array(0),
    );
    const bones = rigidBones([2, 2], [[1, 2, 3], [1, 2, 3]], [[4, 5, 6], [4, 5, 6]]); // biome-ignore format: pairs
    const skin = makeSkin(
      Array.from({ length: 20 }, (_, e) => e % 2),
      Array.from({ length: 20 }, () => random.next() + 0.1),
      2,
    );
    const out = new Float32Array(30),
      expected = new Float64Array(3);
    makeDualQuaternion(mesh, skin, 2).deformInto({ bones }, out);
    for (let i = 0; i < 10; i++) {
      transformPoint(bones, mesh.positions, expected, 0, 3 * i);
      for (let c = 0; c < 3; c++) expect(out[3 * i + c]).toBeCloseTo(expected[c], 5);
    }
  });

  it('rejects a used bone with scale or a reflection', () => {
    const mesh = makeMesh(Float32Array.of(1, 0, 0), new Uint32Array(0));
    const out = new Float32Array(3);
    for (const scale of [
      [1, 1, 1.01],
      [-1, 1, 1],
      [Number.NaN, 1, 1],
    ]) {
      // biome-ignore format: short
      const bones = makeIdentities(2);
      compose([0, 0, 0], [0, 0, 0, 1], scale, bones, 0, 0, 0, 16);
      const using = makeDualQuaternion(mesh, makeSkin([1], [1], 1), 2);
      expect(() => using.deformInto({ bones }, out)).toThrow('bone 1 is scaled');
      makeDualQuaternion(mesh, makeSkin([0], [1], 1), 2).deformInto({ bones }, out);
      expect([...out]).toEqual([1, 0, 0]);
    }
  });
});
