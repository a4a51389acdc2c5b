// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { listConnectedParts } from '../../../core/mesh/topology/connected-parts.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { checkSkin, maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { makeSkeletonPoser } from '../../../deformers/posing/make-skeleton-poser.ts';
import { makeSample } from '../../make-sample.ts';
import { makeRigDraftOf, makeRigSample, RIG_SAMPLES } from '../make-rig-sample.ts';
import type { RigDraft } from '../rig-draft.ts';

const made = new Map<string, RigDraft>();
function draftOf(name: string): RigDraft {
  const draft = made.get(name) ?? makeRigDraftOf(name);
  made.set(name, draft);
  return draft;
}

/** Poses in which every joint but the root turns by up to a quarter, about any axis. */
function listRandomPoses({ plan, source }: RigDraft, count: number): Float64Array[] {
  const random = makeRandom(5);
  const poser = makeSkeletonPoser(source.skeleton);
  const joints = new Float64Array(12 * plan.length);
  const q = new Float64Array(4);
  return Array.from({ length: count }, () => {
    plan.forEach(({ parent, head }, j) => {
      for (let c = 0; c < 3; c++) joints[12 * j + c] = head[c] - (parent < 0 ? 0 : plan[parent].head[c]);
      joints.fill(1, 12 * j + 8, 12 * j + 11);
      do {
        for (let c = 0; c < 4; c++) q[c] = random.normal();
        normalizeQuaternion(q, q);
      } while (Math.abs(q[3]) < Math.SQRT1_2);
      if (parent < 0) q.set([0, 0, 0, 1]);
      joints.set(q, 12 * j + 4);
    });
    const bones = new Float64Array(16 * plan.length);
    poser.poseInto(joints, bones);
    return bones;
  });
}

/** 100 √(Σ|Y − Ŷ|² / Σ|Y − rest|²), Ŷ by the plain skin. */
function measureAlpha(draft: RigDraft, poses: Float64Array[]): number {
  const { mesh, deformer, skin } = draft.source;
  const plain = makeLinearBlend(mesh, skin, draft.plan.length);
  const [a, b] = [new Float32Array(mesh.positions.length), new Float32Array(mesh.positions.length)];
  let apart = 0,
    moved = 0;
  for (const bones of poses) {
    deformer.deformInto({ bones }, a);
    plain.deformInto({ bones }, b);
    for (let c = 0; c < a.length; c++) {
      apart += (a[c] - b[c]) ** 2;
      moved += (a[c] - mesh.positions[c]) ** 2;
    }
  }
  return 100 * Math.sqrt(apart / moved);
}

/** Vertices and joints of the paper's assets, and how far off the plain skin must be at least: twice the mark of a conversion, percent. */
const SIZES: [string, number, number, number][] = [
  ['lbs-branch', 602, 6, 0],
  ['lbs-serial', 622, 6, 0],
  ['helper-bone', 1962, 3, 3.6],
  ['delta-mush-pole', 514, 3, 5],
  ['pose-space-arm', 622, 3, 6],
  ['corrective-body', 11356, 42, 3.2],
  ['muscle-leg', 522, 20, 15.8],
  ['muscle-arm', 15768, 10, 6.6],
];

describe('every sample rig', () => {
  it('is in the table below', () => {
    expect(SIZES.map(([name]) => name).sort()).toEqual(RIG_SAMPLES.map(({ name }) => name).sort());
  });

  it.each(SIZES)('%s has %i vertices or about as many, and %i joints', (name, vertexCount, jointCount) => {
    const { source } = draftOf(name);
    checkMesh(source.mesh);
    checkSkeleton(source.skeleton);
    checkSkin(source.skin, jointCount);
    expect(maxInfluencesOf(source.skin)).toBeLessThanOrEqual(4);
    expect(source.skeleton.names.length).toBe(jointCount);
    expect(Math.abs(source.mesh.positions.length / 3 / vertexCount - 1)).toBeLessThan(0.02);
    expect(source.deformer.vertexCount).toBe(source.mesh.positions.length / 3);
    expect(source.deformer.boneCount).toBe(jointCount);
    expect(listConnectedParts(source.mesh).length).toBe(1);
  });

  it.each(SIZES)('%s moves vertices with every joint but the root', (name, _, jointCount) => {
    const { skin } = draftOf(name).source;
    expect(new Set(skin.boneIndices).size).toBe(jointCount);
  });

  it.each(SIZES)('%s is at rest in its rest pose, with unit normals', (name) => {
    const { mesh, deformer, skeleton } = draftOf(name).source;
    const positions = new Float32Array(mesh.positions.length);
    const normals = new Float32Array(mesh.positions.length);
    deformer.deformInto({ bones: makeIdentities(skeleton.names.length) }, positions, normals);
    const size = measureBounds(mesh.positions).diagonal;
    let worst = 0,
      longest = 0;
    for (let c = 0; c < positions.length; c++)
      worst = Math.max(worst, Math.abs(positions[c] - mesh.positions[c]) / size);
    for (let c = 0; c < normals.length; c += 3)
      longest = Math.max(longest, Math.abs(Math.hypot(normals[c], normals[c + 1], normals[c + 2]) - 1));
    expect(worst).toBeLessThan(1e-6);
    expect(longest).toBeLessThan(1e-4);
  });

  it.each(SIZES)('%s (%i vertices, %i joints) is off its plain skin by %f percent or more', (name, _, __, least) => {
    const draft = draftOf(name);
    const alpha = measureAlpha(draft, listRandomPoses(draft, 40));
    if (least === 0) expect(alpha).toBe(0);
    else expect(alpha).toBeGreaterThan(least);
    expect(alpha).toBeLessThan(25);
  });

  it.each(SIZES)('%s follows a body that is carried and turned as a whole', (name) => {
    const draft = draftOf(name);
    const { mesh, deformer } = draft.source;
    const [bones] = listRandomPoses(draft, 1);
    const still = new Float32Array(mesh.positions.length);
    deformer.deformInto({ bones }, still);
    // a quarter turn about y, and a step
    const carried = bones.slice();
    for (let o = 0; o < bones.length; o += 4) {
      carried[o] = bones[o + 2];
      carried[o + 2] = -bones[o];
      if (o % 16 === 12) {
        carried[o] += 3;
        carried[o + 1] += 1;
      }
    }
    const moved = new Float32Array(mesh.positions.length);
    deformer.deformInto({ bones: carried }, moved);
    let worst = 0;
    for (let c = 0; c < still.length; c += 3) {
      worst = Math.max(worst, Math.abs(moved[c] - still[c + 2] - 3), Math.abs(moved[c + 1] - still[c + 1] - 1));
      worst = Math.max(worst, Math.abs(moved[c + 2] + still[c]));
    }
    expect(worst).toBeLessThan(2e-5);
  });
});

describe('asking for a rig', () => {
  it('rejects unknown names', () => {
    expect(() => makeRigSample('unicorn')).toThrow('there is no rig "unicorn"; choose one of lbs-branch');
  });

  it('gives the same bytes every time', () => {
    const [a, b] = [makeRigSample('muscle-leg'), makeRigSample('muscle-leg')];
    expect(a.mesh.positions).toEqual(b.mesh.positions);
    expect(a.skin).toEqual(b.skin);
  });

  it('is also a sample: the source over a loop, with the plain skin beside', () => {
    const { clip, skin, motion, skeleton, isExact } = makeSample('rig-muscle-leg', { frames: 4 });
    const out = new Float32Array(clip.mesh.positions.length);
    makeRigSample('muscle-leg').deformer.deformInto({ bones: poseOf(motion!, 1) }, out);
    expect(frameOf(clip, 1)).toEqual(out);
    expect(isExact).toBe(false);
    checkSkin(skin!, skeleton!.names.length);
    expect(makeSample('rig-lbs-serial', { frames: 2 }).isExact).toBe(true);
  });
});
