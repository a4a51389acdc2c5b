// SPDX-License-Identifier: MIT
import { AnimationMixer, Matrix4, type SkinnedMesh } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { NO_FACTOR, type ShapeDrivers } from '../../../core/model/deformed/shape-drivers.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeShapeDriver } from '../../../deformers/shape-drivers/make-shape-driver.ts';
import { readGltf } from '../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { makeFace } from '../../../samples/make-face.ts';
import { ossifyPlugin } from '../load/ossify-plugin.ts';
import type { AnyRenderer } from '../renderer-device.ts';
import { ShapeSkeleton } from '../shape-skeleton.ts';

/** Two shapes: the first moves bone 1 along x, the second stretches bone 0 along y. */
const drivers: ShapeDrivers = {
  shapes: ['smile', 'jaw'],
  form: 'matrix',
  factors: Uint32Array.of(0, NO_FACTOR, 1, NO_FACTOR),
  rowStart: Uint32Array.of(0, 1, 2),
  columns: Uint32Array.of(15, 5),
  values: Float32Array.of(0.25, 0.5),
};

let gltf: GLTF;
let asset: Asset;
const mesh = () => gltf.scene.getObjectByProperty('type', 'SkinnedMesh') as SkinnedMesh;

beforeAll(async () => {
  const { mesh: shape } = makeFace(4);
  const vertexCount = shape.positions.length / 3;
  const skeleton = makeLooseSkeleton(2);
  skeleton.bindMatrices.set([0.1, 0.2, 0.3], 12);
  const skin = makeSkin(
    Array.from({ length: vertexCount }, (_, i) => i % 2),
    new Array(vertexCount).fill(1),
    1,
  );
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  const bare: Asset = { name: 'face', mesh: shape, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
  const times = Float64Array.of(0, 1);
  const driver = makeShapeDriver(drivers, skeleton);
  const matrices = new Float64Array(64);
  driver.driveInto([0, 0], matrices.subarray(0, 32));
  driver.driveInto([1, 0], matrices.subarray(32));
  const motions = [{ name: 'talk', times, matrices }];
  const tracks = [{ name: 'talk', times, weights: Float32Array.of(0, 0, 1, 0) }];
  const bytes = await writeGlb(bare, {
    kind: 'skin',
    model: { kind: 'skin', mesh: shape, skeleton, skin, motions },
    driven: { drivers, tracks },
  });
  asset = await readGltf(bytes);
  const loader = new GLTFLoader().register(ossifyPlugin({} as AnyRenderer, { warn: () => undefined }));
  gltf = await loader.parseAsync(bytes.buffer as ArrayBuffer, '');
});

describe('ShapeSkeleton', () => {
  it('reads back what was written', () => {
    expect(asset.driven!.drivers).toEqual(drivers);
  });

  it('moves bones by morphTargetInfluences, in the space of the scene', () => {
    const face = mesh();
    expect(face.morphTargetDictionary).toEqual({ smile: 0, jaw: 1 });
    expect(face.skeleton).toBeInstanceOf(ShapeSkeleton);
    face.morphTargetInfluences![0] = 0.5;
    face.morphTargetInfluences![1] = 1;
    gltf.scene.position.set(1, 2, 3);
    gltf.scene.updateMatrixWorld(true);
    face.skeleton.update();
    const expected = new Float64Array(32);
    makeShapeDriver(drivers, asset.rig!.skeleton).driveInto([0.5, 1], expected);
    for (let j = 0; j < 2; j++) {
      const matrix = new Matrix4().fromArray(face.skeleton.boneMatrices as unknown as number[], 16 * j);
      const world = new Matrix4()
        .makeTranslation(1, 2, 3)
        .multiply(new Matrix4().fromArray([...expected.subarray(16 * j, 16 * j + 16)]));
      for (let e = 0; e < 16; e++) expect(matrix.elements[e]).toBeCloseTo(world.elements[e], 5);
    }
  });

  it('plays clips through the influences, so that the keys of bones do not interfere', () => {
    const face = mesh();
    const [clip] = gltf.animations;
    expect(clip.tracks.map(({ name }) => name.replace(/.*\./, ''))).toEqual(['morphTargetInfluences']);
    const mixer = new AnimationMixer(gltf.scene);
    mixer.clipAction(clip).play();
    mixer.setTime(0.5);
    expect(face.morphTargetInfluences![0]).toBeCloseTo(0.5, 5);
  });
});
