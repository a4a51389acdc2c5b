// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { checkTwoLayer, measureTwoLayerBytes, type TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeTwoLayer } from '../make-two-layer.ts';
import { makeTwoLayerCentered } from '../two-layer-centered.ts';

/** A strip of 12 points, two master bones, three virtual ones: of the first bone, of both halves, of the second. */
function makeStrip(): TwoLayer {
  const positions = new Float32Array(36);
  for (let i = 0; i < 12; i++) positions.set([(i >> 1) * 0.3, (i & 1) * 0.4, 0.1 * (i % 3)], 3 * i);
  const triangles: number[] = [];
  for (let i = 0; i < 10; i++) triangles.push(i, i + 1, i + 2);
  const bindMatrices = makeIdentities(2);
  bindMatrices[16 + 12] = 0.75;
  const ball = (weight: number, b = 0): number[] => [
    0.02 * weight,
    0,
    0,
    b,
    0.03 * weight,
    0.001,
    0,
    0.01 * weight,
    0,
    weight,
  ];
  return {
    kind: 'two-layer',
    mesh: makeMesh(positions, Uint32Array.from(triangles)),
    skeleton: { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices },
    virtualBones: {
      rowStart: Uint32Array.of(0, 1, 3, 4),
      boneIndices: Uint32Array.of(0, 0, 1, 1),
      omegas: Float64Array.from([...ball(1), ...ball(0.6, -0.03), ...ball(0.4, 0.03), ...ball(1)]),
    },
    centers: Float64Array.of(0.3, 0.2, 0, 0.75, 0.2, 0.1, 1.2, 0.2, 0),
    skin: makeSkin(
      Array.from({ length: 36 }, (_, c) => c % 3),
      Array.from({ length: 36 }, (_, c) => [Math.max(0, 5 - c / 3), 3, Math.max(0, c / 3 - 6)][c % 3]),
      3,
    ),
  };
}

function posed(angle: number, x: number, y: number, z: number): Float64Array {
  const m = new Float64Array(16);
  const s = Math.sin(angle / 2) / Math.sqrt(3);
  compose([x, y, z], [s, s, s, Math.cos(angle / 2)], [1, 1, 1], m);
  return m;
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let max = 0;
  for (let c = 0; c < a.length; c++) max = Math.max(max, Math.abs(a[c] - b[c]));
  return max;
}

describe('two layers', () => {
  const model = makeStrip();
  const deformer = makeTwoLayer(model);

  it('give the rest shape in the identity pose', () => {
    const out = new Float64Array(36);
    deformer.deformInto({ bones: makeIdentities(2) }, out);
    expect(farthest(out, model.mesh.positions)).toBeLessThan(1e-7);
  });

  it('follow a rigid motion of all bones, in any pose', () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 3, noNaN: true }), fc.double({ min: -3, max: 3, noNaN: true }), (a, b) => {
        const bones = makeIdentities(2);
        bones.set(posed(a, 0.1, -0.2, 0.3), 16);
        const plain = new Float64Array(36);
        deformer.deformInto({ bones }, plain);
        const whole = posed(b, 2, 3, -1);
        const moved = new Float64Array(32);
        for (const o of [0, 16]) multiply(whole, bones, moved, 0, o, o);
        const out = new Float64Array(36);
        const normals = new Float64Array(36);
        deformer.deformInto({ bones: moved }, out, normals);
        for (let i = 0; i < 36; i += 3) {
          for (let r = 0; r < 3; r++) {
            const expected =
              whole[r] * plain[i] + whole[4 + r] * plain[i + 1] + whole[8 + r] * plain[i + 2] + whole[12 + r];
            expect(Math.abs(out[i + r] - expected)).toBeLessThan(1e-6);
          }
          expect(Math.hypot(normals[i], normals[i + 1], normals[i + 2])).toBeCloseTo(1, 6);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keep their precision in single precision 10 m away, and 10 km away with bones relative to the root', () => {
    const size = measureBounds(model.mesh.positions).diagonal;
    const bones = makeIdentities(2);
    bones.set(posed(0.9, 0.05, 0.1, 0), 0);
    bones.set(posed(-1.4, 0.3, 0.2, 0.1), 16);
    const near = new Float64Array(36);
    deformer.deformInto({ bones }, near);
    const shifted = (distance: number): Float64Array => bones.map((v, c) => (c % 16 === 12 ? v + distance : v));
    const out = new Float32Array(36);
    const single = makeTwoLayerCentered(model);
    single.deformInto({ bones: shifted(10) }, out);
    expect(
      farthest(
        out.map((v, c) => (c % 3 === 0 ? v - 10 : v)),
        near,
      ),
    ).toBeLessThan(1e-5 * size);
    single.deformInto({ bones: shifted(1e4) }, out);
    const spacing = 2 ** -10;
    expect(
      farthest(
        Float64Array.from(out, (v, c) => (c % 3 === 0 ? v - 1e4 : v)),
        near,
      ),
    ).toBeLessThan(2 * spacing);
    const relative = makeTwoLayerCentered(model, { root: 0 });
    const pose = { bones: shifted(1e4) };
    relative.deformInto(pose, out);
    const shift = relative.shiftOf(pose);
    expect(shift[0]).toBeGreaterThan(9999);
    expect(
      farthest(
        Float64Array.from(out, (v, c) => (c % 3 === 0 ? v + shift[0] - 1e4 : v + shift[c % 3])),
        near,
      ),
    ).toBeLessThan(1e-5 * size);
  });

  it('count bytes as the paper does', () => {
    const { virtualBones, skin, total } = measureTwoLayerBytes(model);
    expect(virtualBones).toBe(4 * 44 + 3 * 16);
    expect(skin).toBe(model.skin.weights.length * 8 + 12 * 4);
    expect(total).toBe(virtualBones + skin);
  });

  it('throw on inconsistent models', () => {
    expect(() => checkTwoLayer({ ...model, centers: new Float64Array(6) })).toThrow('2 centers for 3 virtual bones');
    expect(() => makeTwoLayer({ ...model, centers: model.centers.map(() => Number.NaN) })).toThrow('not finite');
    expect(() => makeTwoLayer({ ...model, skin: makeSkin([0], [1], 1) })).toThrow('1 rows for 12 vertices');
    expect(() => makeTwoLayerCentered(model, { root: 2 })).toThrow('one of 2 bones, got 2');
    expect(() => deformer.deformInto({ bones: makeIdentities(3) }, new Float32Array(36))).toThrow(
      '3 bones, expected 2',
    );
  });
});
