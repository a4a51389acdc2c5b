// SPDX-License-Identifier: MIT
// Files of every kind through three's own loader, deformed by WebGPU in Node: no renderer draws here, but one stands in for its device and buffers.
import { AnimationMixer, Box3, type Group, LoopOnce, Mesh, Raycaster, type SkinnedMesh, Vector3 } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone as cloneWithBones } from 'three/addons/utils/SkeletonUtils.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../../scripts/launch-gpu.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import type { HelperBones } from '../../../../core/model/deformed/helper-bones.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeRestNormals } from '../../../../deformers/linear-blend/rest-normals.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { bakeHelperMotions } from '../../../../deformers/playback/bake/bake-helper-motions.ts';
import { packGlb } from '../../../../formats/gltf/document/pack-glb.ts';
import { splitGlb } from '../../../../formats/gltf/document/split-glb.ts';
import { readGltf } from '../../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../../formats/gltf/write-glb.ts';
import { compressDdm } from '../../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { readBuffer, requestGpuDevice } from '../../../gpu/gpu-device.ts';
import { DeformedMesh } from '../../deformed-mesh.ts';
import type { AnyRenderer } from '../../renderer-device.ts';
import { type OssifyPluginOptions, ossifyPlugin } from '../ossify-plugin.ts';

/** Of the box diagonal: single precision, and three.js blends close rotations without slerp. */
const TOLERANCE = 2e-5;
const RATIOS = [0, 0.41, 0.97];

class StandIn implements AnyRenderer {
  readonly isWebGPURenderer = true;
  readonly backend: { isWebGPUBackend: boolean; device: GPUDevice; get: (key: object) => { buffer?: GPUBuffer } };
  readonly #data = new WeakMap<object, { buffer?: GPUBuffer }>();

  constructor(device: GPUDevice) {
    const get = (key: object) => {
      const data = this.#data.get(key) ?? {};
      this.#data.set(key, data);
      return data;
    };
    this.backend = { isWebGPUBackend: true, device, get };
  }

  /** As renderers do when a geometry is disposed of. */
  forget(mesh: DeformedMesh): void {
    for (const attribute of Object.values(mesh.geometry.attributes)) this.#data.delete(attribute);
  }

  async read(mesh: DeformedMesh, name: 'position' | 'normal'): Promise<Float32Array> {
    const attribute = mesh.geometry.getAttribute(name);
    const { buffer } = this.backend.get(attribute);
    if (!buffer) return new Float32Array(0);
    return new Float32Array(await readBuffer(this.backend.device, buffer, 0, attribute.array.byteLength));
  }
}

let renderer: StandIn;
let plain: Asset;
const files: Record<string, Uint8Array<ArrayBuffer>> = {};

beforeAll(async () => {
  renderer = new StandIn(await requestGpuDevice({ gpu: await launchGpu() }));
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 150, frames: 4 });
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
  const bare: Asset = { name: 'creature', mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
  const skinned = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  files.plain = await writeGlb(bare, { kind: 'skin', model: skinned });
  plain = await readGltf(files.plain);
  const rig = plain.rig!;
  const ddm = await precomputeDdm(plain.mesh, rig.skeleton, rig.skin);
  for (const variant of [0, 2] as const)
    files[`variant ${variant}`] = await writeGlb(plain, {
      kind: 'delta-mush',
      model: { ...ddm, variant },
      skin: rig.skin,
    });
  files['variant 0 in short numbers'] = await writeGlb(
    plain,
    { kind: 'delta-mush', model: ddm, skin: rig.skin },
    { quantize: true },
  );
  const { model } = await compressDdm(ddm, { virtualBones: 8, influences: 4, iterations: 1, poses: 4 });
  files['two layers'] = await writeGlb(plain, { kind: 'two-layer', model, skin: rig.skin });
  const count = rig.skeleton.names.length;
  const vertexCount = mesh.positions.length / 3;
  const pairs = Array.from({ length: 2 * count }, (_, e) => ((e >> 1) + (e & 1)) % count);
  const virtualBones = makeSkin(
    pairs,
    pairs.map((_, e) => (e & 1 ? 0.25 : 0.75)),
    2,
  );
  const linear = {
    kind: 'linear-two-layer' as const,
    mesh: plain.mesh,
    skeleton: rig.skeleton,
    virtualBones,
    skin: rig.skin,
  };
  files['linear layers'] = await writeGlb(plain, { kind: 'weights', skin: rig.skin, layers: linear });
  const six = Array.from({ length: 6 * vertexCount }, (_, c) => (c * 7) % count);
  const many = makeSkin(
    six,
    six.map((_, c) => 1 + (c % 5)),
    6,
  );
  files['six influences'] = await writeGlb(bare, { kind: 'skin', model: { ...skinned, skin: many } });
  const basis = Float32Array.from({ length: 2 * mesh.positions.length }, (_, c) => 0.03 * Math.sin(c));
  const values = Float32Array.from({ length: 2 * motion!.times.length }, (_, c) => Math.cos(1.3 * c));
  const track = { name: motion!.name, times: motion!.times, values, normalValues: new Float32Array(0) };
  const correction = { rank: 2, basis, normalRank: 0, normals: { rule: 'blend' as const, basis }, tracks: [track] };
  files.corrections = await writeGlb(bare, { kind: 'skin', model: skinned, correction: { model: correction } });
  const helped = help(plain);
  const bones = Int32Array.from({ length: count + 1 }, (_, j) => (j < count ? j : -1));
  const motions = bakeHelperMotions(plain, helped, bones.subarray(0, -1));
  files['helper bones'] = await writeGlb(plain, { kind: 'converted', model: helped, bones, motions });
});

/** The creature with a helper that half of its vertices follow by a third. */
function help(asset: Asset): HelperBones {
  const { skeleton, skin } = asset.rig!;
  const count = skeleton.names.length;
  const bones: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    const share = i % 2 === 0 ? 1 / 3 : 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i] + 3; e++) {
      bones.push(e < skin.rowStart[i + 1] ? skin.boneIndices[e] : 0);
      weights.push(e < skin.rowStart[i + 1] ? skin.weights[e] * (1 - share) : 0);
    }
    bones.push(count);
    weights.push(share);
  }
  const bindMatrices = new Float64Array(16 * (count + 1));
  bindMatrices.set(skeleton.bindMatrices);
  bindMatrices.set(skeleton.bindMatrices.subarray(16 * 2, 16 * 3), 16 * count);
  const coefficients = new Float64Array(9 * 2 * 9);
  coefficients[0] = 0.3;
  coefficients[4 * 18 + 2] = 0.7;
  coefficients[8 * 18 + 9 + 8] = 0.25;
  return {
    kind: 'helper-bones',
    mesh: asset.mesh,
    skeleton: { names: [...skeleton.names, 'helper'], parents: Int32Array.of(...skeleton.parents, 2), bindMatrices },
    skin: makeSkin(bones, weights, 4),
    controllers: [{ bone: count, joints: Int32Array.of(2, 3), reaches: Float64Array.of(2, 3), order: 2, coefficients }],
  };
}

async function load(bytes: Uint8Array<ArrayBuffer>, options: OssifyPluginOptions = {}, by: AnyRenderer = renderer) {
  const warnings: string[] = [];
  const loader = new GLTFLoader().register(ossifyPlugin(by, { warn: (text) => warnings.push(text), ...options }));
  const gltf = await loader.parseAsync(bytes.slice().buffer, '');
  const meshes: SkinnedMesh[] = [];
  gltf.scene.traverse((object) => {
    if ((object as SkinnedMesh).isSkinnedMesh) meshes.push(object as SkinnedMesh);
  });
  return { gltf, meshes, mesh: meshes[0] as DeformedMesh, warnings };
}

/** Has a scene stand at a part of its first clip. */
function stand({ animations }: GLTF, scene: Group, ratio: number): number {
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(animations[0]).setLoop(LoopOnce, 1).play();
  action.clampWhenFinished = true;
  mixer.setTime(ratio * animations[0].duration);
  scene.updateMatrixWorld(true);
  return ratio * animations[0].duration;
}

/** The farthest of two lists of numbers from one another. */
function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let far = a.length === b.length ? 0 : Number.NaN;
  for (let c = 0; c < a.length; c++) far = Math.max(far, Math.abs(a[c] - b[c]));
  return far;
}

/** What the file's own deformer says, in the file's world. */
async function expectedAt(bytes: Uint8Array<ArrayBuffer>, time: number): Promise<Float32Array> {
  const asset = await readGltf(bytes);
  return bakeAt(asset, asset.animations[0], Float64Array.of(time)).positions;
}

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

/** A file with its JSON changed, and bytes added to its buffer. */
function edit(bytes: Uint8Array, change: (json: Loose, add: Add) => void): Uint8Array<ArrayBuffer> {
  const { json, binary } = splitGlb(bytes) as { json: Loose; binary: Uint8Array };
  const chunks: Uint8Array[] = [binary];
  let byteLength = binary.length;
  change(json, (componentType, type, count, values) => {
    const view = { buffer: 0, byteOffset: byteLength, byteLength: values.byteLength };
    const padded = new Uint8Array(Math.ceil(values.byteLength / 4) * 4);
    padded.set(new Uint8Array(values.buffer));
    chunks.push(padded);
    byteLength += padded.length;
    json.buffers[0].byteLength = byteLength;
    return json.accessors.push({ bufferView: json.bufferViews.push(view) - 1, componentType, type, count }) - 1;
  });
  return packGlb(json, Buffer.concat(chunks));
}

type Add = (componentType: number, type: string, count: number, values: ArrayBufferView) => number;

/** Gives the skin 4000 joints, and every vertex the same entry for each of them. */
function shareEntries(json: Loose, add: Add): void {
  const count = 4000;
  const extension = json.meshes[0].primitives[0].extensions.OSSIFY_direct_delta_mush;
  const vertexCount = json.accessors[extension.starts].count;
  extension.starts = json.accessors.push({ componentType: 5125, type: 'SCALAR', count: vertexCount }) - 1;
  extension.counts = add(5123, 'SCALAR', vertexCount, new Uint16Array(vertexCount).fill(count));
  const joints = Uint16Array.from({ length: count }, (_, j) => j);
  extension.joints = add(5123, 'SCALAR', count, joints);
  const columns = Float32Array.from({ length: 4 * count }, (_, c) => (c % 4 === 3 ? 1 / count : 0));
  extension.columns = add(5126, 'VEC4', count, columns);
  delete extension.squares;
  const [skin] = json.skins;
  delete skin.inverseBindMatrices;
  while (skin.joints.length < count) skin.joints.push(json.nodes.push({}) - 1);
}

const KINDS = [
  'variant 0',
  'variant 2',
  'variant 0 in short numbers',
  'two layers',
  'linear layers',
  'six influences',
  'corrections',
  'helper bones',
];

describe('a file of this project in three.js', () => {
  it.each(KINDS)('of %s has the shape of the reference, on the GPU, for rays and in its boxes', async (kind) => {
    const { gltf, mesh, warnings } = await load(files[kind]);
    expect(mesh).toBeInstanceOf(DeformedMesh);
    expect(warnings).toEqual([]);
    const { diagonal } = measureBounds(plain.mesh.positions);
    const point = new Vector3();
    for (const ratio of RATIOS) {
      const time = stand(gltf, gltf.scene, ratio);
      mesh.deform(renderer);
      const positions = await renderer.read(mesh, 'position');
      expect(farthest(positions, await expectedAt(files[kind], time)) / diagonal).toBeLessThan(TOLERANCE);
      const box = new Box3().setFromObject(gltf.scene);
      const tight = new Box3().setFromArray(positions);
      expect(
        farthest([...box.min.toArray(), ...box.max.toArray()], [...tight.min.toArray(), ...tight.max.toArray()]) /
          diagonal,
      ).toBeLessThan(TOLERANCE);
      for (let i = 0; i < positions.length / 3; i++) {
        mesh.getVertexPosition(i, point);
        expect(farthest(point.toArray(), positions.subarray(3 * i, 3 * i + 3)) / diagonal).toBeLessThan(TOLERANCE);
        expect(mesh.boundingSphere!.distanceToPoint(point)).toBeLessThan(1e-6);
      }
      const normals = await renderer.read(mesh, 'normal');
      for (let o = 0; o < normals.length; o += 3)
        expect(Math.hypot(normals[o], normals[o + 1], normals[o + 2])).toBeCloseTo(1, 4);
    }
    mesh.dispose();
  });

  it('moves as the reference where scenes are placed, turned and scaled', async () => {
    const { gltf, mesh } = await load(files['variant 0']);
    gltf.scene.position.set(3, -2, 100);
    gltf.scene.rotation.set(0.3, 1.2, -0.4);
    gltf.scene.scale.setScalar(7);
    const time = stand(gltf, gltf.scene, 0.41);
    mesh.deform(renderer);
    const expected = await expectedAt(files['variant 0'], time);
    expect(farthest(await renderer.read(mesh, 'position'), expected)).toBeLessThan(TOLERANCE * 10);
    expect(mesh.matrixWorld.elements).toEqual(gltf.scene.matrixWorld.elements);
  });

  it('is hit by rays where it stands, not where it rested', async () => {
    const { gltf, mesh } = await load(files['variant 0']);
    gltf.scene.position.x = 5;
    stand(gltf, gltf.scene, 0.41);
    const { index } = mesh.geometry;
    const corners = [0, 1, 2].map((c) => mesh.getVertexPosition(index!.getX(30 + c), new Vector3()));
    const center = corners[0].clone().add(corners[1]).add(corners[2]).divideScalar(3).applyMatrix4(mesh.matrixWorld);
    const out = corners[1].clone().sub(corners[0]).cross(corners[2].clone().sub(corners[0])).normalize();
    const ray = new Raycaster(center.clone().addScaledVector(out, 0.01), out.clone().negate());
    const [hit] = ray.intersectObject(gltf.scene);
    expect(hit.object).toBe(mesh);
    expect(hit.point.distanceTo(center)).toBeLessThan(1e-5);
    expect(hit.normal!.dot(out)).toBeGreaterThan(0.3);
    expect(new Raycaster(new Vector3(5, 100, 0), new Vector3(0, 1, 0)).intersectObject(gltf.scene)).toEqual([]);
  });

  it.each(['variant 0', 'corrections', 'helper bones'])(
    'of %s is cloned with bones of its own and the same model on the GPU',
    async (kind) => {
      const { gltf, mesh } = await load(files[kind]);
      const other = cloneWithBones(gltf.scene) as Group;
      let twin: DeformedMesh | undefined;
      other.traverse((object) => {
        if (object instanceof DeformedMesh) twin = object;
      });
      expect(twin!.shape).toBe(mesh.shape);
      const times = [stand(gltf, gltf.scene, 0.41), stand(gltf, other, 0.97)];
      mesh.deform(renderer);
      twin!.deform(renderer);
      expect(farthest(await renderer.read(mesh, 'position'), await expectedAt(files[kind], times[0]))).toBeLessThan(
        1e-4,
      );
      mesh.dispose();
      expect(farthest(await renderer.read(twin!, 'position'), await expectedAt(files[kind], times[1]))).toBeLessThan(
        1e-4,
      );
      twin!.dispose();
    },
  );

  it('comes back when it is drawn after it was disposed of', async () => {
    const { gltf, mesh } = await load(files['two layers']);
    const time = stand(gltf, gltf.scene, 0.41);
    mesh.deform(renderer);
    mesh.geometry.dispose();
    renderer.forget(mesh);
    await expect
      .poll(async () => {
        mesh.deform(renderer);
        return farthest(await renderer.read(mesh, 'position'), await expectedAt(files['two layers'], time));
      })
      .toBeLessThan(1e-4);
  });

  it('follows joints that no clip moves: helpers by their controllers, or by keys alone where asked', async () => {
    for (const helpers of ['controllers', 'keys'] as const) {
      const { gltf, mesh } = await load(files['helper bones'], { helpers, all: true });
      const helper = mesh.skeleton.bones.find(({ name }) => name === 'helper')!;
      const before = helper.position.clone();
      mesh.skeleton.bones[2].rotateX(0.8);
      gltf.scene.updateMatrixWorld(true);
      mesh.deform(renderer);
      expect(helper.position.distanceTo(before) > 0.01).toBe(helpers === 'controllers');
    }
  });

  it('without an extension stays a plain skin, unless all are wanted', async () => {
    expect((await load(files.plain)).mesh).not.toBeInstanceOf(DeformedMesh);
    expect((await load(files.plain, { all: true })).mesh).toBeInstanceOf(DeformedMesh);
  });

  it('stays a plain skin, with one warning, where the renderer has no WebGPU', async () => {
    for (const by of [{}, { isWebGPURenderer: true, init: async () => undefined, backend: {} }]) {
      const { mesh, warnings } = await load(files['variant 0'], {}, by);
      expect(mesh).not.toBeInstanceOf(DeformedMesh);
      expect(warnings).toEqual([
        expect.stringMatching(/^ossify: this renderer does not draw with WebGPU; plain skins/),
      ]);
    }
  });

  it.each([
    { what: 'a version of the future', change: { version: 9 }, says: /version 9 is not read/ },
    {
      what: 'an accessor that is not there',
      change: { columns: 'x' },
      says: /columns must be a whole number, got "x"/,
    },
    { what: 'joints beyond the skin', change: { joints: 'starts' }, says: /plain skin/ },
    { what: 'a bind matrix without inverse', change: { bindMatrix: new Array(16).fill(0) }, says: /no inverse/ },
    { what: 'a variant that does not exist', change: { variant: 7 }, says: /variant must be 0 to 5/ },
  ])('with $what is shown by its plain skin, and a warning says why', async ({ change, says }) => {
    const { json, binary } = splitGlb(files['variant 0']);
    const copy = structuredClone(json) as never as {
      meshes: { primitives: { extensions: Record<string, Record<string, unknown>> }[] }[];
    };
    const def = copy.meshes[0].primitives[0].extensions.OSSIFY_direct_delta_mush;
    Object.assign(def, change);
    if (def.joints === 'starts') def.joints = def.starts;
    const { warnings } = await load(packGlb(copy as never, binary) as Uint8Array<ArrayBuffer>);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(says);
  });

  it.each<[string, string, (json: Loose) => void, RegExp]>([
    [
      'multi-weights that are null',
      'variant 0',
      (json) => (json.meshes[0].primitives[0].extensions.OSSIFY_direct_delta_mush = null),
      /OSSIFY_direct_delta_mush of mesh "creature" must be an object, got null/,
    ],
    [
      'extensions that are null beside a fifth influence',
      'six influences',
      (json) => (json.meshes[0].primitives[0].extensions = null),
      /^$/,
    ],
    [
      'an array of four hundred million zeros',
      'variant 0',
      (json) => {
        const count = 4e8;
        json.accessors.push({ componentType: 5125, type: 'SCALAR', count });
        json.meshes[0].primitives[0].extensions.OSSIFY_direct_delta_mush.starts = json.accessors.length - 1;
      },
      /claims data of 16\d+ bytes/,
    ],
    [
      'a rank that no memory holds',
      'corrections',
      (json) => (json.meshes[0].primitives[0].extensions.OSSIFY_skin_correction.rank = 1e6),
      /basis has \d+ elements, and \d+ are expected/,
    ],
    [
      'controllers that are null',
      'helper bones',
      (json) => {
        const node = json.nodes.find(({ name }: Loose) => name === 'helper');
        node.extensions.OSSIFY_helper_bones = null;
      },
      /OSSIFY_helper_bones of node "helper" must be an object, got null; it plays by its keys/,
    ],
    ['a mesh without primitives that nothing draws', 'variant 0', (json) => json.meshes.push({}), /^$/],
    ['a skin without joints', 'variant 0', (json) => (json.skins[0] = { joints: [] }), /^$/],
    [
      'a helper that is also below a cycle of nodes that no scene shows',
      'helper bones',
      (json) => {
        const helper = json.nodes.findIndex(({ name }: Loose) => name === 'helper');
        const first = json.nodes.length;
        json.nodes.push({ children: [first + 1] }, { children: [first, helper] });
      },
      /reads or hangs on a node that is no joint; it plays by its keys/,
    ],
  ])('with %s loads, and one warning says why it is plain', async (_, kind, change, says) => {
    const bytes = edit(files[kind], change);
    const before = process.memoryUsage().arrayBuffers;
    const { mesh, warnings } = await load(bytes);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
    expect(mesh.isSkinnedMesh).toBeTruthy();
    expect(warnings.join()).toMatch(says);
    expect(warnings.length).toBeLessThanOrEqual(1);
  });

  it('of vertices that share thousands of entries is refused as in readGltf, before memory is allocated', async () => {
    const bytes = edit(files['variant 0'], shareEntries);
    await expect(readGltf(bytes)).rejects.toThrow(/claims data of \d+ bytes/);
    const before = process.memoryUsage().arrayBuffers;
    const { mesh, warnings } = await load(bytes);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
    expect(mesh).not.toBeInstanceOf(DeformedMesh);
    expect(warnings).toEqual([expect.stringMatching(/claims data of \d+ bytes/)]);
  });

  it('draws a mesh without bones where a node without a skin shares it', async () => {
    const { gltf, mesh, warnings } = await load(
      edit(files['variant 0'], (json) => {
        json.scenes[0].nodes.push(json.nodes.push({ name: 'still', mesh: 0, translation: [2, 0, 0] }) - 1);
      }),
    );
    expect(warnings).toEqual([]);
    expect(mesh).toBeInstanceOf(DeformedMesh);
    const still = gltf.scene.getObjectByName('still') as Mesh;
    expect(still).toBeInstanceOf(Mesh);
    expect((still as SkinnedMesh).isSkinnedMesh).toBeUndefined();
    expect(still.position.x).toBe(2);
  });
});
