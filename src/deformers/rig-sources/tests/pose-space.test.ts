// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { normalizeQuaternion, quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { MorphDriver } from '../../../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../../../core/model/deformed/morphs.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeSkeletonPoser } from '../../posing/make-skeleton-poser.ts';
import { makeCorrectiveShapes } from '../corrective-shapes.ts';
import { makeMorphBlend } from '../morph-blend.ts';
import { makePoseSpace, type PosedRig, type PoseSpaceExample, restDisplacements } from '../pose-space.ts';
import { makePoseWeights } from '../pose-space-weights.ts';

type Quaternion = [number, number, number, number];

function turn(axis: number[], degrees: number): Quaternion {
  const q: Quaternion = [0, 0, 0, 1];
  quaternionFromAxisAngle(axis, (degrees * Math.PI) / 180, q);
  return q;
}

/** A strip of ten squares along x over three joints at 0, 2 and 4. */
function makeRig(): PosedRig {
  const positions: number[] = [],
    triangles: number[] = [],
    bones: number[] = [],
    weights: number[] = [];
  for (let n = 0; n <= 10; n++) {
    const x = 0.6 * n;
    for (const y of [0, 1]) {
      positions.push(x, y, 0);
      const past = [2, 4].map((joint) => Math.min(1, Math.max(0, x - joint + 0.5)));
      bones.push(0, 1, 2);
      weights.push(1 - past[0], past[0] - past[1], past[1]);
    }
    if (n < 10) triangles.push(2 * n, 2 * n + 2, 2 * n + 3, 2 * n, 2 * n + 3, 2 * n + 1);
  }
  const bindMatrices = makeIdentities(3);
  for (let j = 0; j < 3; j++) bindMatrices[16 * j + 12] = 2 * j;
  const skeleton: Skeleton = { names: ['root', 'middle', 'tip'], parents: Int32Array.of(-1, 0, 1), bindMatrices };
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles));
  return { mesh, skeleton, skin: makeSkin(bones, weights, 3) };
}

function pose(rig: PosedRig, middle: Quaternion, tip: Quaternion = [0, 0, 0, 1]): Float64Array {
  const joints = Float64Array.from(
    [[0, 0, 0, 1] as Quaternion, middle, tip].flatMap((q, j) => [j === 0 ? 0 : 2, 0, 0, 0, ...q, 1, 1, 1, 0]),
  );
  const bones = new Float64Array(48);
  makeSkeletonPoser(rig.skeleton).poseInto(joints, bones);
  return bones;
}

describe('makePoseWeights', () => {
  const examples = [turn([0, 0, 1], 60), turn([0, 0, 1], -60), turn([0, 1, 0], 80), turn([1, 2, 0], 150)];

  it('gives one to an example at its pose and zero to the others, and zeros at rest', () => {
    const weights = makePoseWeights(Float64Array.from(examples.flat()), 1, 1.2);
    const out = new Float64Array(4);
    examples.forEach((q, k) => {
      // the other quaternion of the same rotation
      weights.weighInto(
        Float64Array.from(q, (x) => -x),
        out,
      );
      out.forEach((w, l) => {
        expect(w).toBeCloseTo(k === l ? 1 : 0, 10);
      });
    });
    weights.weighInto(Float64Array.of(0, 0, 0, 1), out);
    expect(Math.max(...out.map(Math.abs))).toBeLessThan(1e-12);
  });

  it('is near a Gaussian of the angle for small rotations', () => {
    // one example far from rest: its weight on the way beyond it falls as the kernel does
    const weights = makePoseWeights(Float64Array.from(turn([0, 0, 1], 170)), 1, 0.5);
    const out = new Float64Array(1);
    weights.weighInto(Float64Array.from(turn([0, 0, 1], 150)), out);
    expect(out[0]).toBeCloseTo(Math.exp(-(((20 * Math.PI) / 180 / 0.5) ** 2)), 2);
  });

  it('is smooth at 180 degrees', () => {
    const weights = makePoseWeights(Float64Array.from(examples.flat()), 1, 1.5);
    const at = (degrees: number): Float64Array => {
      const out = new Float64Array(4);
      weights.weighInto(Float64Array.from(turn([0.3, 1, 0.2], degrees)), out);
      return out;
    };
    const [before, on, after] = [at(179.9), at(180), at(180.1)];
    on.forEach((w, k) => {
      expect(Math.abs(before[k] + after[k] - 2 * w)).toBeLessThan(1e-4);
    });
  });

  it('distinguishes all different poses, over several joints', () => {
    const random = makeRandom(3);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 3 }), (poseCount, jointCount) => {
        const poses = new Float64Array(4 * poseCount * jointCount).map(() => random.normal());
        for (let o = 0; o < poses.length; o += 4) normalizeQuaternion(poses, poses, o, o);
        const weights = makePoseWeights(poses, jointCount, 1);
        const out = new Float64Array(poseCount);
        for (let k = 0; k < poseCount; k++) {
          weights.weighInto(poses.subarray(4 * k * jointCount, 4 * (k + 1) * jointCount), out);
          out.forEach((w, l) => {
            expect(w).toBeCloseTo(k === l ? 1 : 0, 6);
          });
        }
      }),
      { numRuns: 30 },
    );
  });

  it('allows an example at rest', () => {
    const weights = makePoseWeights(Float64Array.of(0, 0, 0, 1, 0, 0, 0.6, 0.8), 1, 1);
    const out = new Float64Array(2);
    weights.weighInto(Float64Array.of(0, 0, 0, 1), out);
    expect(out[0]).toBeCloseTo(1, 12);
    expect(out[1]).toBeCloseTo(0, 12);
  });

  it('rejects invalid and duplicate poses', () => {
    const q = turn([0, 0, 1], 30);
    expect(() => makePoseWeights(Float64Array.from([...q, ...q]), 1, 1)).toThrow('pose 0 and pose 1 are too close');
    expect(() => makePoseWeights(Float64Array.from(q), 1, 0)).toThrow('the radius must be above 0, got 0');
    expect(() => makePoseWeights(Float64Array.from(q), 1, 90)).toThrow('the radius is in radians, got 90');
    expect(() => makePoseWeights(Float64Array.of(0, 0, 0, 2), 1, 1)).toThrow(
      'pose 0 has a rotation that is not a unit',
    );
    expect(() => makePoseWeights(Float64Array.of(0, 0, Number.NaN, 1), 1, 1)).toThrow('not a unit quaternion');
    expect(() => makePoseWeights(Float64Array.of(0, 0, 1), 1, 1)).toThrow('are not rotations of 1 joints');
  });
});

describe('makePoseSpace', () => {
  const rig = makeRig();
  const random = makeRandom(1);
  const sculpted = [turn([0, 0, 1], 70), turn([0, 0, 1], -50), turn([0, 1, 0], 60)].map((q) => {
    const bones = pose(rig, q);
    const shape = new Float32Array(rig.mesh.positions.length);
    makeLinearBlend(rig.mesh, rig.skin, 3).deformInto({ bones }, shape);
    for (let c = 0; c < shape.length; c++) shape[c] += 0.1 * random.normal();
    const example: PoseSpaceExample = { rotations: [q], displacements: restDisplacements(rig, bones, shape) };
    return { bones, shape, example };
  });
  const deformer = makePoseSpace(
    rig,
    sculpted.map(({ example }) => example),
    { joints: [1] },
  );
  const out = new Float32Array(rig.mesh.positions.length);

  it('has the sculpted shape at each example', () => {
    for (const { bones, shape } of sculpted) {
      deformer.deformInto({ bones }, out);
      out.forEach((x, c) => {
        expect(x).toBeCloseTo(shape[c], 4);
      });
    }
  });

  it('is at rest in the rest pose', () => {
    deformer.deformInto({ bones: makeIdentities(3) }, out);
    out.forEach((x, c) => {
      expect(x).toBeCloseTo(rig.mesh.positions[c], 6);
    });
  });

  it('ignores joints that do not drive, and moves the shape with them', () => {
    const alone = new Float32Array(out.length);
    deformer.deformInto({ bones: pose(rig, sculpted[0].example.rotations[0] as Quaternion) }, alone);
    deformer.deformInto({ bones: pose(rig, sculpted[0].example.rotations[0] as Quaternion, turn([1, 0, 0], 40)) }, out);
    // the first four columns follow the root and the middle joint only
    for (let c = 0; c < 24; c++) expect(out[c]).toBeCloseTo(alone[c], 6);
  });

  it('rejects invalid examples', () => {
    const [{ example }] = sculpted;
    const short = { ...example, displacements: new Float32Array(3) };
    expect(() => makePoseSpace(rig, [short], { joints: [1] })).toThrow('example 0 has 1 displacements for 22 vertices');
    expect(() => makePoseSpace(rig, [example], { joints: [7] })).toThrow('there is no joint 7; the skeleton has 3');
    expect(() => makePoseSpace(rig, [example], { joints: [1, 2] })).toThrow('has 1 rotations for 2 joints');
    const broken = { ...example, displacements: example.displacements.map((x, c) => (c === 5 ? Number.NaN : x)) };
    expect(() => makePoseSpace(rig, [broken], { joints: [1] })).toThrow('at vertex 1 that is not finite');
    expect(() => makePoseSpace(rig, [], { joints: [1] })).toThrow('has no pose');
    expect(() => deformer.deformInto({ bones: makeIdentities(2) }, out)).toThrow('the pose has 2 bones, expected 3');
  });
});

describe('makeCorrectiveShapes', () => {
  const rig = makeRig();
  const random = makeRandom(2);
  const vertexCount = rig.mesh.positions.length / 3;
  const morphs: Morphs = {
    restWeights: [],
    targets: ['bend', 'twist', 'tip'].map((name, m) => ({
      name,
      node: 0,
      weight: m,
      vertexStart: 2 * m,
      vertexCount: vertexCount - 2 * m,
      // some vertices stay where they are
      positions: new Float32Array(3 * (vertexCount - 2 * m)).map((_, c) =>
        Math.floor(c / 3) % 3 === 0 ? 0 : random.normal(),
      ),
    })),
  };
  const drivers: MorphDriver[] = [
    {
      joints: ['middle'],
      radius: 1,
      poses: [
        { rotations: [turn([0, 0, 1], 90)], targets: { bend: 1 } },
        { rotations: [turn([1, 0, 0], 90)], targets: { twist: 1, bend: -0.25 } },
      ],
    },
    {
      joints: ['middle', 'tip'],
      radius: 1.5,
      poses: [{ rotations: [turn([0, 1, 0], 40), turn([0, 1, 0], 60)], targets: { tip: 2 } }],
    },
  ];
  const deformer = makeCorrectiveShapes({ ...rig, morphs }, drivers);

  it('equals morph targets at its weights, then the skin', () => {
    const bones = pose(rig, turn([0.3, 0.2, 1], 75), turn([0, 1, 0], 30));
    const weights = new Float32Array(3);
    deformer.weighInto(bones, weights);
    expect(weights.every((w) => w !== 0)).toBe(true);
    const reference = makeMorphBlend(rig.mesh, morphs, (shaped) => makeLinearBlend(shaped, rig.skin, 3));
    const [wanted, out] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
    reference.deformInto({ bones, morphs: weights }, wanted);
    deformer.deformInto({ bones }, out);
    out.forEach((x, c) => {
      expect(x).toBeCloseTo(wanted[c], 4);
    });
  });

  it('gives targets the weights of the examples, and adds drivers', () => {
    const weights = new Float32Array(3);
    deformer.weighInto(pose(rig, turn([0, 0, 1], 90)), weights);
    expect(weights[0]).toBeCloseTo(1, 6);
    expect(weights[1]).toBeCloseTo(0, 6);
    deformer.weighInto(pose(rig, turn([1, 0, 0], 90)), weights);
    expect(weights[0]).toBeCloseTo(-0.25, 6);
    deformer.weighInto(pose(rig, turn([0, 1, 0], 40), turn([0, 1, 0], 60)), weights);
    expect(weights[2]).toBeCloseTo(2, 6);
    deformer.weighInto(makeIdentities(3), weights);
    expect(Math.max(...weights.map(Math.abs))).toBeLessThan(1e-6);
  });

  it('rejects invalid drivers', () => {
    const rigged = { ...rig, morphs };
    const [first] = drivers;
    const make = (driver: Partial<MorphDriver>) => () => makeCorrectiveShapes(rigged, [{ ...first, ...driver }]);
    expect(make({ joints: ['elbow'] })).toThrow('driver 0 reads the joint "elbow", which is not in the skeleton');
    expect(make({ joints: [] })).toThrow('driver 0 names no joint');
    expect(make({ radius: -1 })).toThrow('the radius of driver 0 must be above 0, got -1');
    expect(make({ poses: [] })).toThrow('driver 0 has no pose');
    expect(make({ poses: [{ rotations: [], targets: {} }] })).toThrow(
      'pose 0 of driver 0 has 0 rotations for 1 joints',
    );
    const q = turn([0, 0, 1], 20);
    expect(make({ poses: [{ rotations: [q], targets: { nose: 1 } }] })).toThrow(
      'names the target "nose", which is not there',
    );
    expect(make({ poses: [{ rotations: [q], targets: { bend: Number.NaN } }] })).toThrow('the weight NaN');
    const same = { rotations: [q], targets: { bend: 1 } };
    expect(make({ poses: [same, same] })).toThrow('the driver of middle: pose 0 and pose 1 are too close');
  });
});
