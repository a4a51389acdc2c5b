// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { describe, expect, it } from 'vitest';
import { invertAffine, multiply } from '../../../core/math/mat4.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { checkSkin } from '../../../core/model/skin/skin.ts';
import { packGlb } from '../document/pack-glb.ts';
import { readGltf } from '../read-gltf.ts';

type Json = Record<string, unknown>;
type Data = Float32Array | Uint32Array | Uint16Array | Uint8Array | Int16Array | Int8Array;

/** Collects arrays into one buffer and hands out accessors; enough glTF to say anything a test needs. */
class Build {
  bytes: number[] = [];
  bufferViews: Json[] = [];
  accessors: Json[] = [];

  view(data: Data, extra: Json = {}): number {
    while (this.bytes.length % 4 !== 0) this.bytes.push(0);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const view = { buffer: 0, byteOffset: this.bytes.length, byteLength: bytes.length, ...extra };
    this.bytes.push(...bytes);
    return this.bufferViews.push(view) - 1;
  }

  add(data: Data, type: string, extra: Json = {}): number {
    const codes = new Map<unknown, number>([
      [Int8Array, 5120],
      [Uint8Array, 5121],
      [Int16Array, 5122],
      [Uint16Array, 5123],
      [Uint32Array, 5125],
      [Float32Array, 5126],
    ]);
    const size = type === 'SCALAR' ? 1 : type === 'MAT4' ? 16 : Number(type[3]);
    const componentType = codes.get(data.constructor);
    return (
      this.accessors.push({ bufferView: this.view(data), componentType, type, count: data.length / size, ...extra }) - 1
    );
  }

  glb(json: Json): Uint8Array {
    const { bufferViews, accessors } = this;
    const buffers = [{ byteLength: this.bytes.length }];
    return packGlb(
      { asset: { version: '2.0' }, buffers, bufferViews, accessors, ...json },
      Uint8Array.from(this.bytes),
    );
  }
}

/** Two triangles over the unit square. */
const SQUARE = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const quarterTurnX = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];

/** To 1e-5, without the sign of zero. */
const rounded = (x: number): number => Number(x.toFixed(5)) + 0;

function squareMesh(build: Build, primitive: Json = {}): Json {
  const POSITION = build.add(SQUARE, 'VEC3');
  const { attributes, ...rest } = primitive;
  return { primitives: [{ attributes: { POSITION, ...(attributes as Json) }, ...rest }] };
}

describe('readGltf', () => {
  it('places a rigid mesh where its nodes draw it, and needs no rig for it', async () => {
    const build = new Build();
    const NORMAL = build.add(Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1), 'VEC3');
    const mesh = squareMesh(build, { attributes: { NORMAL }, mode: 5 });
    const nodes = [
      { children: [1], translation: [10, 0, 0] },
      { mesh: 0, rotation: quarterTurnX, scale: [2, 2, 4] },
    ];
    const asset = await readGltf(build.glb({ meshes: [mesh], nodes, scenes: [{ nodes: [0] }] }));
    checkMesh(asset.mesh);
    expect(asset.rig).toBeUndefined();
    // y of the file becomes z, and sizes double
    expect([...asset.mesh.positions].map(rounded)).toEqual([10, 0, 0, 12, 0, 0, 12, 0, 2, 10, 0, 2]);
    expect([...asset.mesh.normals!.subarray(0, 3)].map(rounded)).toEqual([0, -1, 0]);
  });

  it.each([
    ['a list without indices', { mode: 4 }, undefined, [0, 1, 2]],
    ['a list', {}, [0, 1, 2, 0, 2, 3], [0, 1, 2, 0, 2, 3]],
    ['a strip', { mode: 5 }, [0, 1, 3, 2], [0, 1, 3, 1, 2, 3]],
    ['a strip with a stitch', { mode: 5 }, [0, 1, 2, 2, 3], [0, 1, 2]],
    ['a fan', { mode: 6 }, undefined, [1, 2, 0, 2, 3, 0]],
  ])('makes triangles of %s', async (_, primitive, indices, triangles) => {
    const build = new Build();
    const extra: Json = indices ? { ...primitive, indices: build.add(Uint8Array.from(indices), 'SCALAR') } : primitive;
    const asset = await readGltf(build.glb({ meshes: [squareMesh(build, extra)], nodes: [{ mesh: 0 }] }));
    expect([...asset.mesh.triangles]).toEqual(triangles);
  });

  it('draws the default scene only, depth first, and leaves points out with a note', async () => {
    const build = new Build();
    const meshes = [squareMesh(build), { ...squareMesh(build, { mode: 0 }), name: 'dots' }];
    const nodes = [
      { name: 'elsewhere', mesh: 0 },
      { name: 'top', children: [3, 2], mesh: 0 },
      { name: 'second', mesh: 0 },
      { name: 'first', mesh: 0, children: [4] },
      { name: 'points', mesh: 1 },
    ];
    const notes: string[] = [];
    const glb = build.glb({ meshes, nodes, scenes: [{ nodes: [0] }, { nodes: [1] }], scene: 1 });
    const asset = await readGltf(glb, { log: (note) => notes.push(note) });
    expect(asset.mesh.parts.map((part) => part.name)).toEqual(['top', 'first', 'second']);
    expect(notes).toHaveLength(1);
    expect(asset.nodes.names).toEqual(['elsewhere', 'top', 'first', 'points', 'second']);
    expect([...asset.nodes.parents]).toEqual([-1, -1, 1, 2, 1]);
  });

  it('reads normalized, strided and sparse accessors', async () => {
    const build = new Build();
    // Positions with a stride of 8: three 16-bit numbers and padding, of which 32767 means one.
    const rows = Int16Array.from([0, 0, 0, 7, 32767, 0, 0, 7, 32767, 32767, 0, 7, 0, 32767, 0, 7]);
    const POSITION =
      build.accessors.push({
        bufferView: build.view(rows, { byteStride: 8 }),
        componentType: 5122,
        normalized: true,
        type: 'VEC3',
        count: 4,
        sparse: {
          count: 1,
          indices: { bufferView: build.view(Uint8Array.of(2)), componentType: 5121 },
          values: { bufferView: build.view(Int16Array.of(32767, -32768, 16384)) },
        },
      }) - 1;
    const COLOR_0 = build.accessors.push({ componentType: 5126, type: 'VEC3', count: 4 }) - 1;
    const meshes = [{ primitives: [{ attributes: { POSITION, COLOR_0 }, mode: 5 }] }, squareMesh(build)];
    const asset = await readGltf(build.glb({ meshes, nodes: [{ mesh: 0 }, { mesh: 1 }] }));
    expect([...asset.mesh.positions.subarray(3, 6)]).toEqual([1, 0, 0]);
    expect([...asset.mesh.positions.subarray(6, 9)]).toEqual([1, -1, Math.fround(16384 / 32767)]);
    // An accessor without data is zero; a part without colours is white.
    expect([...asset.mesh.attributes[0].values]).toEqual([...Array(12).fill(0), ...Array(12).fill(1)]);
  });

  it.each(['EXT_meshopt_compression', 'KHR_meshopt_compression'])('decompresses %s', async (name) => {
    await MeshoptEncoder.ready;
    const build = new Build();
    const packed = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(SQUARE.buffer), 4, 12, 'ATTRIBUTES', 0);
    const extension = {
      buffer: 0,
      byteOffset: 0,
      byteLength: packed.length,
      byteStride: 12,
      mode: 'ATTRIBUTES',
      count: 4,
    };
    build.bytes.push(...packed);
    const glb = packGlb(
      {
        asset: { version: '2.0' },
        extensionsUsed: [name],
        extensionsRequired: [name],
        buffers: [{ byteLength: packed.length }, { byteLength: 48, extensions: { [name]: { fallback: true } } }],
        bufferViews: [{ buffer: 1, byteLength: 48, extensions: { [name]: extension } }],
        accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 4 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, mode: 6 }] }],
        nodes: [{ mesh: 0 }],
      },
      Uint8Array.from(packed),
    );
    expect([...(await readGltf(glb)).mesh.positions]).toEqual([...SQUARE]);
  });

  it('reads morph targets into rest space and leaves their weights out of the rest shape', async () => {
    const build = new Build();
    const delta = build.add(Float32Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0), 'VEC3');
    const times = build.add(Float32Array.of(0, 1), 'SCALAR');
    const values = build.add(Float32Array.of(0, 1), 'SCALAR');
    const mesh = {
      ...squareMesh(build, { targets: [{ POSITION: delta }], mode: 5 }),
      weights: [0.25],
      extras: { targetNames: ['up'] },
    };
    const animations = [
      {
        samplers: [{ input: times, output: values }],
        channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }],
      },
    ];
    const asset = await readGltf(
      build.glb({ meshes: [mesh], nodes: [{ mesh: 0, rotation: quarterTurnX, scale: [2, 2, 2] }], animations }),
    );
    expect(asset.rig).toBeUndefined();
    expect(asset.mesh.positions[7]).toBeCloseTo(0);
    const [target] = asset.morphs!.targets;
    expect([target.name, target.node, target.weight, target.vertexCount]).toEqual(['up', 0, 0, 4]);
    expect([...target.positions.subarray(6, 9)].map(rounded)).toEqual([0, 0, 2]);
    expect([...asset.morphs!.restWeights[0].weights]).toEqual([0.25]);
    expect(asset.animations[0].tracks[0].path).toBe('weights');
    expect(asset.animations[0].duration).toBe(1);
  });
});

/** A square on two joints; options bend the rest pose or the weights. */
function skinnedSquare(
  options: { inverses?: number[][]; joints?: Json[]; weights?: number[][]; top?: Json } = {},
): Uint8Array {
  const build = new Build();
  const inverses = options.inverses ?? [identity, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1]];
  const attributes: Json = {};
  const sets = options.weights ?? [[1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 0]];
  sets.forEach((weights, n) => {
    attributes[`JOINTS_${n}`] = build.add(
      Uint8Array.from({ length: 16 }, (_, c) => ((c & 3) + n) % 2),
      'VEC4',
    );
    attributes[`WEIGHTS_${n}`] = build.add(Float32Array.from(weights), 'VEC4');
  });
  const mesh = squareMesh(build, { attributes, mode: 5 });
  const [lower, upper] = options.joints ?? [{}, { translation: [0, 1, 0] }];
  const nodes = [
    { name: 'body', mesh: 0, skin: 0, translation: [100, 100, 100] },
    { name: 'lower', children: [2], ...lower },
    { name: 'upper', ...upper },
    { name: 'top', children: [1, 0], ...options.top },
  ];
  const skins = [
    { joints: [2, 1], inverseBindMatrices: build.add(Float32Array.from([inverses[1], inverses[0]].flat()), 'MAT4') },
  ];
  return build.glb({ meshes: [mesh], nodes, skins, scenes: [{ nodes: [3] }] });
}

describe('readGltf on skins', () => {
  it('lists joints parents first, whatever their order in the skin, and ignores the transform of the skinned node', async () => {
    const { rig, mesh, nodes } = await readGltf(skinnedSquare());
    checkSkeleton(rig!.skeleton);
    checkSkin(rig!.skin, 2);
    expect(rig!.skeleton.names).toEqual(['lower', 'upper']);
    expect([...rig!.skeleton.parents]).toEqual([-1, 0]);
    expect([...rig!.nodeOfBone].map((n) => nodes.names[n])).toEqual(['lower', 'upper']);
    expect([...rig!.isJoint]).toEqual([1, 1]);
    expect([...mesh.positions]).toEqual([...SQUARE]);
    // vertex 2 follows the second joint of the skin, which is "lower"
    expect([...rig!.skin.boneIndices]).toEqual([1, 1, 0, 0, 1]);
    expect([...rig!.skeleton.bindMatrices.subarray(16, 32)]).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]);
  });

  it('takes the drawn shape as rest where all joints agree on it', async () => {
    const { mesh, rig } = await readGltf(
      skinnedSquare({ top: { rotation: quarterTurnX, scale: [3, 3, 3], translation: [5, 0, 0] } }),
    );
    expect([...mesh.positions.subarray(6, 9)].map(rounded)).toEqual([8, 0, 3]);
    expect(rig!.skeleton.bindMatrices[12]).toBeCloseTo(5);
  });

  it('takes axes and scale of the pose, and no more, where the rest pose is not the bind pose', async () => {
    const joints = [
      { rotation: [0, 0, 0.1, Math.sqrt(0.99)] },
      { translation: [0, 1, 0], rotation: [0, 0, -0.3, Math.sqrt(0.91)] },
    ];
    const { mesh } = await readGltf(
      skinnedSquare({ joints, top: { rotation: quarterTurnX, scale: [0.01, 0.01, 0.01], translation: [0, 7, 0] } }),
    );
    expect([...mesh.positions.subarray(6, 9)].map(rounded)).toEqual([0.01, 0, 0.01]);
  });

  it('normalizes weights over any number of sets, binds vertices without weight to the first joint, and says so', async () => {
    const notes: string[] = [];
    const weights = [
      [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0.25, 0, 0, 0],
      [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.25, 0.5, 0, 0],
    ];
    const { rig } = await readGltf(skinnedSquare({ weights }), { log: (note) => notes.push(note) });
    checkSkin(rig!.skin, 2);
    // vertex 0: joint 0 twice, added up; vertex 2: nothing; vertex 3: joint 0 at 0.75, joint 1 at 0.25
    expect([...rig!.skin.rowStart]).toEqual([0, 1, 2, 3, 5]);
    expect([...rig!.skin.weights]).toEqual([1, 1, 1, 0.75, 0.25]);
    expect([...rig!.skin.boneIndices]).toEqual([1, 1, 1, 1, 0]);
    expect(notes).toHaveLength(2);
  });

  it('gives rigid parts beside a skin bones of their nodes, also where a scale of zero hides them', async () => {
    const { json, binary } = split(skinnedSquare());
    json.meshes!.push({
      primitives: [{ attributes: { POSITION: json.meshes![0].primitives[0].attributes.POSITION }, mode: 5 }],
    });
    json.nodes![3].children!.push(4);
    json.nodes!.push({ name: 'hat', mesh: 1, translation: [0, 2, 0], scale: [0, 0, 0] });
    const { rig, mesh } = await readGltf(packGlb(json, binary));
    checkSkin(rig!.skin, 3);
    expect(rig!.skeleton.names).toEqual(['lower', 'upper', 'hat']);
    expect([...rig!.isJoint]).toEqual([1, 1, 0]);
    expect([...mesh.positions.subarray(12 + 6, 12 + 9)]).toEqual([1, 3, 0]);
  });

  it('lets a skin beside rigid parts rest as drawn where it hangs on, whatever pose its other joints are in', async () => {
    const half = Math.SQRT1_2;
    const { json, binary } = split(
      skinnedSquare({
        joints: [
          { translation: [5, 0, 0], rotation: [0, 0, half, half] },
          { translation: [0, 1, 0], rotation: [0, 0, 1, 0] },
        ],
      }),
    );
    const apart = await readGltf(packGlb(json, binary));
    expect([...apart.mesh.positions]).toEqual([...SQUARE]);
    json.meshes!.push({
      primitives: [{ attributes: { POSITION: json.meshes![0].primitives[0].attributes.POSITION }, mode: 5 }],
    });
    json.nodes![1].children!.push(4);
    json.nodes!.push({ name: 'hat', mesh: 1 });
    const { rig, mesh } = await readGltf(packGlb(json, binary));
    // vertex 2, at (1, 1, 0), follows "lower", a quarter turn at x = 5; the hat on the same node is turned with it
    expect([...mesh.positions.subarray(6, 9)].map(rounded)).toEqual([4, 1, 0]);
    expect([...mesh.positions.subarray(12 + 6, 12 + 9)].map(rounded)).toEqual([4, 1, 0]);
    // vertex 0 follows "upper": its rest is of no pose, but its bone takes it to where it is drawn
    const upper = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0, 1];
    const bone = rig!.skeleton.names.indexOf('upper');
    const toPose = new Float64Array(16);
    invertAffine(rig!.skeleton.bindMatrices, toPose, 16 * bone);
    multiply(upper, toPose, toPose);
    const [x, y, z] = mesh.positions;
    const posed = [0, 1, 2].map((r) => toPose[r] * x + toPose[r + 4] * y + toPose[r + 8] * z + toPose[r + 12]);
    expect(posed.map(rounded)).toEqual([3, 0, 0]);
  });

  it('makes one bone of a joint that two skins bind alike, and two where they do not', async () => {
    const { json, binary } = split(skinnedSquare());
    json.skins!.push({ ...json.skins![0] }, { joints: [2, 1] });
    json.nodes![3].children!.push(4);
    json.nodes!.push({ mesh: 0, skin: 1 });
    expect((await readGltf(packGlb(json, binary))).rig!.skeleton.names).toHaveLength(2);
    json.nodes![4].skin = 2;
    const { rig } = await readGltf(packGlb(json, binary));
    expect(rig!.skeleton.names).toEqual(['lower', 'upper', 'upper']);
    expect([...rig!.skeleton.parents]).toEqual([-1, 0, 0]);
  });
});

function split(glb: Uint8Array): { json: GLTF.IGLTF; binary: Uint8Array } {
  const length = new DataView(glb.buffer).getUint32(12, true);
  return {
    json: JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length))),
    binary: glb.subarray(28 + length),
  };
}
