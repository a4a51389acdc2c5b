// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { DoubleDeformer } from '../../direct-delta-mush/ddm-deformer.ts';
import { makeDdm } from '../../direct-delta-mush/make-ddm.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeDeltaMush } from '../delta-mush.ts';

/** Each vertex with its strongest bone, in double. */
function makeRigidBase(mesh: Mesh, skin: Skin, boneCount: number): DoubleDeformer {
  return {
    isDouble: true,
    vertexCount: mesh.positions.length / 3,
    boneCount,
    deformInto({ bones }, positions) {
      for (let c = 0; c < mesh.positions.length; c++) {
        const i = Math.floor(c / 3);
        const m = 16 * skin.boneIndices[skin.rowStart[i]] + (c % 3);
        const [x, y, z] = mesh.positions.subarray(3 * i, 3 * i + 3);
        positions[c] = bones[m] * x + bones[m + 4] * y + bones[m + 8] * z + bones[m + 12];
      }
    },
  };
}

function makeBar(name: string) {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution: 600, frames: 8 });
  if (!skeleton || !skin || !motion) throw new Error(`${name} has bones`);
  return { mesh: clip.mesh, skeleton, skin, motion, size: measureBounds(clip.mesh.positions).diagonal };
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]));
  return worst;
}

describe('Delta Mush', () => {
  it.each(['implicit', 'explicit'] as const)(
    'with least-squares maps is variant 1 of Direct Delta Mush to 1e-9, %s smoothing',
    async (method) => {
      // the creature has ties between weights, and limbs that meet
      const { mesh, skeleton, skin, motion, size } = makeBar(method === 'implicit' ? 'bar-bend' : 'creature');
      const lambda = method === 'implicit' ? 5 : 0.8;
      const settings = { iterations: 12, lambda, method } as const;
      const model = await precomputeDdm(mesh, skeleton, skin, {
        ...settings,
        kappa: lambda,
        alpha: 0,
        map: 'none',
        bridge: 0,
        threshold: 0,
      });
      const direct = makeDdm(model, 1);
      const base = makeRigidBase(mesh, skin, skeleton.names.length);
      const indirect = makeDeltaMush(base, mesh, { ...settings, frames: 'least-squares' });
      const tangent = makeDeltaMush(base, mesh, { ...settings, frames: 'tangent' });
      const a = new Float64Array(mesh.positions.length);
      const b = a.slice();
      const c = a.slice();
      for (const k of [1, 2, 5]) {
        const bones = poseOf(motion, k);
        direct.deformInto({ bones }, a);
        indirect.deformInto({ bones }, b);
        tangent.deformInto({ bones }, c);
        expect(farthest(a, b)).toBeLessThan(1e-9 * size);
        // tangent frames are another way to carry the detail: close, and not the same
        expect(farthest(a, c)).toBeLessThan(0.1 * size);
        expect(farthest(a, c)).toBeGreaterThan(1e-6 * size);
      }
    },
  );

  it.each(['tangent', 'least-squares'] as const)('returns the rest shape at rest, %s frames', (frames) => {
    for (const name of ['bar-bend', 'creature', 'parts']) {
      const { mesh, skeleton, skin, size } = makeBar(name);
      const boneCount = skeleton.names.length;
      const positions = new Float64Array(mesh.positions.length);
      const deformer = makeDeltaMush(makeRigidBase(mesh, skin, boneCount), mesh, { frames });
      deformer.deformInto({ bones: makeIdentities(boneCount) }, positions);
      expect(farthest(positions, mesh.positions)).toBeLessThan(1e-6 * size);
    }
  });

  it.each(['tangent', 'least-squares'] as const)('follows a rigid motion of its base, %s frames', (frames) => {
    const { mesh, skeleton, skin, motion, size } = makeBar('bar-bend');
    const boneCount = skeleton.names.length;
    const deformer = makeDeltaMush(makeRigidBase(mesh, skin, boneCount), mesh, { frames });
    const bones = poseOf(motion, 2);
    // a quarter turn about x, and away
    const all = Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 3, 4, 5, 1);
    const moved = bones.slice();
    for (let j = 0; j < boneCount; j++) multiply(all, bones, moved, 0, 16 * j, 16 * j);
    const a = new Float64Array(mesh.positions.length);
    const b = a.slice();
    const normals = a.slice();
    deformer.deformInto({ bones }, a);
    deformer.deformInto({ bones: moved }, b, normals);
    for (let c = 0; c < a.length; c += 3) {
      expect(Math.abs(a[c] + 3 - b[c])).toBeLessThan(1e-9 * size);
      expect(Math.abs(-a[c + 2] + 4 - b[c + 1])).toBeLessThan(1e-9 * size);
      expect(Math.abs(a[c + 1] + 5 - b[c + 2])).toBeLessThan(1e-9 * size);
      expect(Math.hypot(normals[c], normals[c + 1], normals[c + 2])).toBeCloseTo(1, 5);
    }
  });

  it('smooths a rigid bind: edges stretch less', () => {
    const { mesh, skeleton, skin, motion } = makeBar('bar-bend');
    const boneCount = skeleton.names.length;
    const base = makeRigidBase(mesh, skin, boneCount);
    const deformer = makeDeltaMush(base, mesh);
    const a = new Float64Array(mesh.positions.length);
    const b = a.slice();
    const bones = poseOf(motion, 2);
    base.deformInto({ bones }, a);
    deformer.deformInto({ bones }, b);
    expect(worstStretch(mesh, b)).toBeLessThan(0.6 * worstStretch(mesh, a));
  });

  it('accepts a base in single precision, and rejects one of another mesh', () => {
    const { mesh, skeleton, skin, motion, size } = makeBar('bar-bend');
    const base = makeLinearBlend(mesh, skin, skeleton.names.length);
    const positions = new Float32Array(mesh.positions.length);
    const normals = new Float32Array(mesh.positions.length);
    makeDeltaMush(base, mesh).deformInto({ bones: poseOf(motion, 2) }, positions, normals);
    const blend = new Float32Array(mesh.positions.length);
    base.deformInto({ bones: poseOf(motion, 2) }, blend);
    expect(farthest(positions, blend)).toBeLessThan(0.2 * size);
    expect(normals.every(Number.isFinite)).toBe(true);
    const other = makeBar('creature').mesh;
    expect(() => makeDeltaMush(base, other)).toThrow(/the base deforms \d+ vertices, the mesh has \d+/);
  });
});

/** Largest ratio of an edge's length to its length at rest. */
function worstStretch(mesh: Mesh, positions: Float64Array): number {
  let worst = 0;
  const length = (p: ArrayLike<number>, a: number, b: number): number =>
    Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
  for (let c = 0; c < mesh.triangles.length; c++) {
    const a = mesh.triangles[c];
    const b = mesh.triangles[c - (c % 3) + ((c + 1) % 3)];
    worst = Math.max(worst, length(positions, a, b) / length(mesh.positions, a, b));
  }
  return worst;
}
