// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { frameOf, makeTimes } from '../../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { MorphDriver } from '../../../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../../../core/model/deformed/morphs.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { bakeClip } from '../../../deformers/playback/bake/bake-clip.ts';
import { makeCorrectiveShapes } from '../../../deformers/rig-sources/corrective-shapes.ts';
import { makeDrivenSource } from '../../../deformers/shape-drivers/make-driven-source.ts';
import { readGltf } from '../../gltf/read-gltf.ts';
import { writeGlb } from '../../gltf/write-glb.ts';
import { readMorphDrivers, writeMorphDrivers } from '../morph-driver-file.ts';

/** A strip along x in two parts over three joints at 0, 2 and 4, whose frames stand askew. */
function makeRig() {
  const positions: number[] = [],
    triangles: number[] = [],
    bones: number[] = [],
    weights: number[] = [];
  for (let n = 0; n < 12; n++) {
    for (const y of [0, 1]) {
      positions.push(0.5 * n, y, 0);
      const past = [2, 4].map((joint) => Math.min(1, Math.max(0, 0.5 * n - joint + 0.5)));
      bones.push(0, 1, 2);
      weights.push(1 - past[0], past[0] - past[1], past[1]);
    }
    if (n < 11 && n !== 5) triangles.push(2 * n, 2 * n + 2, 2 * n + 3, 2 * n, 2 * n + 3, 2 * n + 1);
  }
  const mesh: Mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'strip');
  const part = { vertexCount: 12, triangleCount: 10, material: '' };
  mesh.parts = [
    { name: 'left', vertexStart: 0, triangleStart: 0, ...part },
    { name: 'right', vertexStart: 12, triangleStart: 10, ...part },
  ];
  mesh.normals = new Float32Array(positions.length).map((_, c) => (c % 3 === 2 ? 1 : 0));
  const bindMatrices = new Float64Array(48);
  for (let j = 0; j < 3; j++) {
    const q = [0, 0, 0, 1];
    quaternionFromAxisAngle([1, j, 2], 0.4 * j, q);
    compose([2 * j, 0.5, 0], q, [1, 1, 1], bindMatrices, 0, 0, 0, 16 * j);
  }
  const skeleton: Skeleton = { names: ['root', 'middle', 'tip'], parents: Int32Array.of(-1, 0, 1), bindMatrices };
  return { mesh, skeleton, skin: makeSkin(bones, weights, 3) };
}

function turn(axis: number[], degrees: number): [number, number, number, number] {
  const q: [number, number, number, number] = [0, 0, 0, 1];
  quaternionFromAxisAngle(axis, (degrees * Math.PI) / 180, q);
  return q;
}

const DRIVERS: MorphDriver[] = [
  {
    joints: ['middle'],
    radius: 1.25,
    poses: [
      { rotations: [turn([0, 0, 1], 80)], targets: { bend: 1 } },
      { rotations: [turn([1, 0.5, 1], -60)], targets: { bend: -0.5, 'twist "&" turn': 0.75 } },
    ],
  },
  {
    joints: ['middle', 'tip'],
    radius: 2,
    poses: [{ rotations: [turn([0, 1, 0], 20), turn([0, 1, 0], 70)], targets: { tip: 1 } }],
  },
];

function makeMorphs(vertexCount: number): Morphs {
  const random = makeRandom(4);
  return {
    restWeights: [],
    targets: ['bend', 'twist "&" turn', 'tip'].map((name, m) => ({
      name,
      node: 0,
      weight: m,
      vertexStart: 0,
      vertexCount,
      // few vertices move, and none of the right part by the first target
      positions: new Float32Array(3 * vertexCount).map((_, c) =>
        Math.floor(c / 3) % 5 === m && (m > 0 || c < 36) ? random.normal() : 0,
      ),
    })),
  };
}

/** Joints swing about their own axes; the root stays. */
function makeMotion({ parents, bindMatrices }: Skeleton): Motion {
  const times = makeTimes(8, 30);
  const matrices = new Float64Array(8 * 48);
  const inverse = new Float64Array(48);
  const local = new Float64Array(16);
  for (let k = 0; k < 8; k++) {
    const bones = makeIdentities(3);
    for (let j = 1; j < 3; j++) {
      // B R B⁻¹, written with the inverse of a rigid B
      const b = bindMatrices.subarray(16 * j, 16 * j + 16);
      for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) inverse[4 * c + r] = b[4 * r + c];
      inverse[15] = 1;
      for (let r = 0; r < 3; r++)
        inverse[12 + r] = -(inverse[r] * b[12] + inverse[4 + r] * b[13] + inverse[8 + r] * b[14]);
      compose([0, 0, 0], turn([j, 0.3, 1], 11 * k), [1, 1, 1], local);
      multiply(b, local, local);
      multiply(local, inverse, local);
      multiply(bones, local, bones, 16 * parents[j], 0, 16 * j);
    }
    matrices.set(bones, 48 * k);
  }
  return { name: 'swing', times, matrices };
}

describe('a skin with morph targets that joints drive', () => {
  const rig = makeRig();
  const vertexCount = rig.mesh.positions.length / 3;
  const morphs = makeMorphs(vertexCount);
  const truth = makeCorrectiveShapes({ ...rig, morphs }, DRIVERS);
  const motion = makeMotion(rig.skeleton);
  const weights = new Float32Array(8 * 3);
  for (let k = 0; k < 8; k++) truth.weighInto(poseOf(motion, k), weights.subarray(3 * k, 3 * k + 3));
  const asset = {
    name: 'strip',
    mesh: rig.mesh,
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 0,
  } as unknown as Asset;
  const write = () =>
    writeGlb(asset, {
      kind: 'skin',
      model: { kind: 'skin' as const, ...rig, motions: [motion] },
      morphs: { morphs, weights: [weights] },
    });

  it('is a file that the validator has nothing to say about', async () => {
    const { issues } = await validateBytes(await write(), { maxIssues: 100 });
    expect(issues.messages.filter((m) => m.severity < 2)).toEqual([]);
  });

  it('plays as it deforms', async () => {
    const back = await readGltf(await write());
    const clip = bakeClip(back, { fps: 30 });
    const out = new Float32Array(3 * vertexCount);
    for (const k of [0, 3, 7]) {
      truth.deformInto({ bones: poseOf(motion, k) }, out);
      frameOf(clip, k).forEach((x, c) => {
        expect(x).toBeCloseTo(out[c], 4);
      });
    }
  });

  it('is driven again by the file beside it', async () => {
    const back = await readGltf(await write());
    const bytes = writeMorphDrivers(DRIVERS);
    const source = makeDrivenSource(back, readMorphDrivers(bytes));
    expect(source.skeleton.names).toEqual(rig.skeleton.names);
    const [wanted, out] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
    for (const k of [2, 6]) {
      truth.deformInto({ bones: poseOf(motion, k) }, wanted);
      source.deformer.deformInto({ bones: poseOf(motion, k) }, out);
      out.forEach((x, c) => {
        expect(x).toBeCloseTo(wanted[c], 4);
      });
    }
  });

  it('asks for what drivers need, in one sentence', async () => {
    const plain = await readGltf(
      await writeGlb(asset, { kind: 'skin', model: { kind: 'skin' as const, ...rig, motions: [motion] } }),
    );
    expect(() => makeDrivenSource(plain, DRIVERS)).toThrow('has no morph targets to drive');
    const still = await readGltf(await writeGlb(asset));
    expect(() => makeDrivenSource(still, DRIVERS)).toThrow('has no skin, so it has no joints to drive');
    const short = {
      kind: 'skin' as const,
      model: { kind: 'skin' as const, ...rig, motions: [motion] },
      morphs: { morphs, weights: [new Float32Array(3)] },
    };
    await expect(writeGlb(asset, short)).rejects.toThrow('has 8 frames and needs 3 morph weights in each');
  });
});

describe('readMorphDrivers', () => {
  const read = (text: string) => readMorphDrivers(new TextEncoder().encode(text));
  const driver = (change: object) =>
    JSON.stringify({
      format: 'morph-drivers',
      version: 1,
      drivers: [
        { joints: ['a'], radius: 90, poses: [{ rotations: [[0, 0, 0.6, 0.8]], targets: { b: 1 } }], ...change },
      ],
    });

  it('gives back what was written', () => {
    const back = readMorphDrivers(writeMorphDrivers(DRIVERS));
    expect(back.map(({ joints, poses }) => ({ joints, poses }))).toEqual(
      DRIVERS.map(({ joints, poses }) => ({ joints, poses })),
    );
    back.forEach(({ radius }, n) => {
      expect(radius).toBeCloseTo(DRIVERS[n].radius, 12);
    });
  });

  it('takes degrees for the radius', () => {
    expect(read(driver({}))[0].radius).toBeCloseTo(Math.PI / 2, 12);
  });

  it.each([
    ['{', 'this is not JSON'],
    ['[]', 'the file must be an object'],
    ['null', 'the file must be an object'],
    ['{"format":"gltf"}', 'the format must be "morph-drivers", got "gltf"'],
    ['{"format":"morph-drivers","version":2}', 'version 2 is not read, only 1'],
    ['{"format":"morph-drivers","version":1}', 'drivers: expected a list, got nothing'],
    [driver({ joints: 'a' }), 'joints of driver 0: expected a list, got "a"'],
    [driver({ joints: [3] }), 'driver 0 names a joint 3'],
    [driver({ radius: 0 }), 'the radius of driver 0 must be above 0'],
    [driver({ radius: '90' }), 'the radius of driver 0 must be a number, got "90"'],
    [driver({ poses: [3] }), 'pose 0 of driver 0 must be an object'],
    [driver({ poses: [{ rotations: [], targets: {} }] }), 'pose 0 of driver 0 has 0 rotations for 1 joints'],
    [driver({ poses: [{ rotations: [[1, 0, 0]], targets: {} }] }), 'must be x y z w, got 3 numbers'],
    [driver({ poses: [{ rotations: [[1, 0, 0, 1]], targets: {} }] }), 'is not a unit quaternion: 1 0 0 1'],
    [driver({ poses: [{ rotations: [[0, 0, 0, 1]], targets: { b: null } }] }), 'the target "b" of pose 0'],
    [driver({ poses: [{ rotations: [[0, 0, 0, 1]] }] }), 'targets of pose 0 of driver 0 must be an object'],
  ])('refuses %s in one sentence', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
