// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { FBXLoader } from 'three/examples/jsm/loaders/FBXLoader.js';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { bakeClip } from '../../../deformers/playback/bake/bake-clip.ts';
import { worldMatricesInto } from '../../../deformers/playback/sample-animation.ts';
import { readAsset } from '../../assets/read-asset.ts';
import { writePc2 } from '../../caches/write-pc2.ts';
import { readFbx } from '../read-fbx.ts';
import { fbxArray, fbxDouble, fbxNode, type PackedNode, packFbx } from '../syntax/fbx-pack.ts';
import { FbxBuilder, type FbxProperty, fbxProperties, fbxVector } from '../write/fbx-builder.ts';

const data = join(
  process.env.OSSIFY_DATA ?? join(dirname(fileURLToPath(import.meta.url)), '../../../../../shared'),
  'formats',
);

/** Settings of a file in metres, y up, at 24 frames per second. */
const METRES: FbxProperty[] = [
  ['UnitScaleFactor', 'double', 'Number', '', fbxDouble(100)],
  ['TimeMode', 'enum', '', '', 11],
];

const settings = (properties: readonly FbxProperty[]): PackedNode =>
  fbxNode('GlobalSettings', [], [fbxNode('Version', [1000]), fbxProperties(properties)]);

const pack = (builder: FbxBuilder, properties: readonly FbxProperty[] = METRES): Uint8Array =>
  packFbx([settings(properties), ...builder.finish()]);

/** A square in the xy plane, corners 0 1 3 2. */
const square = (layers: PackedNode[] = []): PackedNode[] => [
  fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0))]),
  fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, 3, -3))]),
  ...layers,
];

const layer = (kind: string, mapping: string, reference: string, children: PackedNode[]): PackedNode =>
  fbxNode(
    kind,
    [0],
    [fbxNode('MappingInformationType', [mapping]), fbxNode('ReferenceInformationType', [reference]), ...children],
  );

const addModel = (builder: FbxBuilder, name: string, type: string, properties: FbxProperty[] = []): number =>
  builder.add('Model', name, 'Model', type, [fbxNode('Version', [232]), fbxProperties(properties)]);

function addMesh(builder: FbxBuilder, children: PackedNode[], properties: FbxProperty[] = [], parent?: number) {
  const model = addModel(builder, 'square', 'Mesh', properties);
  const geometry = builder.add('Geometry', 'square', 'Geometry', 'Mesh', children);
  builder.connect(model, parent);
  builder.connect(geometry, model);
  return { model, geometry };
}

const vector3d = (name: string, [x, y, z]: readonly number[]): FbxProperty => [
  name,
  'Vector3D',
  'Vector',
  '',
  fbxDouble(x),
  fbxDouble(y),
  fbxDouble(z),
];

interface Key {
  time: number;
  value: number;
  flags?: number;
  /** Slope after the key, and before the next. */
  slopes?: [number, number];
}

const TICKS = 46_186_158_000;
const [CONSTANT, LINEAR, CUBIC_USER] = [2, 4, 8 | 0x400];

/** Adds a layer of keys for one property. */
function addKeys(builder: FbxBuilder, animLayer: number, target: number, property: string, axis: string, keys: Key[]) {
  const node = builder.add('AnimationCurveNode', property, 'AnimCurveNode', '', [fbxProperties([])]);
  builder.connect(node, animLayer);
  builder.connect(node, target, property);
  const curve = builder.add('AnimationCurve', '', 'AnimCurve', '', [
    fbxNode('KeyTime', [fbxArray(BigInt64Array.from(keys, ({ time }) => BigInt(Math.round(time * TICKS))))]),
    fbxNode('KeyValueFloat', [fbxArray(Float32Array.from(keys, ({ value }) => value))]),
    fbxNode('KeyAttrFlags', [fbxArray(Int32Array.from(keys, ({ flags }) => flags ?? LINEAR))]),
    fbxNode('KeyAttrDataFloat', [
      fbxArray(Float32Array.from(keys.flatMap(({ slopes }) => [...(slopes ?? [0, 0]), 0, 0]))),
    ]),
    fbxNode('KeyAttrRefCount', [fbxArray(new Int32Array(keys.length).fill(1))]),
  ]);
  builder.connect(curve, node, `d|${axis}`);
}

function addStack(builder: FbxBuilder, name: string, layers: FbxProperty[][] = [[]]): number[] {
  const stack = builder.add('AnimationStack', name, 'AnimStack', '', []);
  return layers.map((properties) => {
    const id = builder.add('AnimationLayer', name, 'AnimLayer', '', [fbxProperties(properties)]);
    builder.connect(id, stack);
    return id;
  });
}

function worldsOf({ nodes }: Asset): Map<string, number[]> {
  const worlds = new Float64Array(16 * nodes.names.length);
  worldMatricesInto(nodes, worlds);
  return new Map(nodes.names.map((name, n) => [name, [...worlds.subarray(16 * n, 16 * n + 16)]]));
}

/** Positions of the first vertex over time. */
const firstVertex = (asset: Asset, fps = 24): number[][] => {
  const clip = bakeClip(asset, { fps });
  const stride = clip.mesh.positions.length;
  return Array.from(clip.times, (_, k) => [...clip.positions.subarray(k * stride, k * stride + 3)]);
};

describe('readFbx', () => {
  it('reads polygons with UVs, normals and colours in every mapping', async () => {
    const builder = new FbxBuilder();
    addMesh(
      builder,
      square([
        layer('LayerElementUV', 'ByPolygonVertex', 'IndexToDirect', [
          fbxNode('UV', [fbxArray(Float64Array.of(0.25, 0.5, 1, 1))]),
          fbxNode('UVIndex', [fbxArray(Int32Array.of(0, 0, 1, 0))]),
        ]),
        layer('LayerElementNormal', 'AllSame', 'Direct', [fbxNode('Normals', [fbxArray(Float64Array.of(0, 0, 2))])]),
        layer('LayerElementColor', 'ByVertice', 'Direct', [
          fbxNode('Colors', [fbxArray(Float64Array.of(1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1))]),
        ]),
      ]),
    );
    const { mesh } = await readFbx(pack(builder));
    expect([...mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]);
    expect(mesh.triangles).toHaveLength(6);
    expect([...mesh.normals!]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    // by vertex: the corner of point 3 has the second UV; v is measured from the top
    expect([...mesh.attributes[0].values]).toEqual([0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 1, 0]);
    expect([...mesh.attributes[1].values]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  });

  it('splits a mesh by material', async () => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder, [
      fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0))]),
      fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3, 1, 3, -3))]),
      layer('LayerElementMaterial', 'ByPolygon', 'IndexToDirect', [
        fbxNode('Materials', [fbxArray(Int32Array.of(1, 0))]),
      ]),
    ]);
    for (const name of ['red', 'blue'])
      builder.connect(builder.add('Material', name, 'Material', '', [fbxProperties([])]), model);
    const { mesh } = await readFbx(pack(builder));
    expect(mesh.parts.map(({ material, vertexCount }) => [material, vertexCount])).toEqual([
      ['blue', 3],
      ['red', 3],
    ]);
  });

  it('converts units and axes to metres with y up', async () => {
    const axes = (up: number, front: number, coord: number, signs: number[], unit: number): FbxProperty[] => [
      ['UpAxis', 'int', 'Integer', '', up],
      ['UpAxisSign', 'int', 'Integer', '', signs[0]],
      ['FrontAxis', 'int', 'Integer', '', front],
      ['FrontAxisSign', 'int', 'Integer', '', signs[1]],
      ['CoordAxis', 'int', 'Integer', '', coord],
      ['CoordAxisSign', 'int', 'Integer', '', signs[2]],
      ['UnitScaleFactor', 'double', 'Number', '', fbxDouble(unit)],
    ];
    const builder = new FbxBuilder();
    addMesh(builder, square());
    const lastOf = async (properties: FbxProperty[]): Promise<number[]> =>
      [...(await readFbx(pack(builder, properties))).mesh.positions.subarray(9)].map(
        (x) => Math.round(1e6 * x) / 1e6 + 0,
      );
    expect(await lastOf(axes(1, 2, 0, [1, 1, 1], 1))).toEqual([0.01, 0.01, 0]);
    expect(await lastOf(axes(2, 1, 0, [1, -1, 1], 100))).toEqual([1, 0, -1]);
    expect(await lastOf(axes(0, 2, 1, [1, 1, -1], 100))).toEqual([-1, 1, 0]);
    expect(await lastOf(axes(1, 2, 0, [1, 1, -1], 100))).toEqual([-1, 1, 0]);
  });

  it('places models as three.js does, for every rotation order, pivot and inherit type', async () => {
    const number = fc.integer({ min: -20, max: 20 }).map((n) => n / 4);
    const vector = fc.tuple(number, number, number);
    const angles = fc.tuple(
      fc.integer({ min: -170, max: 170 }),
      fc.integer({ min: -170, max: 170 }),
      fc.integer({ min: -170, max: 170 }),
    );
    const scale = fc.constantFrom([1, 1, 1], [2, 2, 2], [0.5, 0.5, 0.5]);
    const model = fc.record({
      translation: vector,
      rotation: angles,
      scaling: scale,
      pre: angles,
      post: angles,
      rotationPivot: vector,
      scalingPivot: vector,
      rotationOffset: vector,
      scalingOffset: vector,
      order: fc.integer({ min: 0, max: 5 }),
      inherit: fc.integer({ min: 0, max: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(model, { minLength: 3, maxLength: 3 }), async (list) => {
        const builder = new FbxBuilder();
        let parent: number | undefined;
        list.forEach((one, n) => {
          const properties: FbxProperty[] = [
            ['RotationActive', 'bool', '', '', 1],
            ['InheritType', 'enum', '', '', one.inherit],
            ['RotationOrder', 'enum', '', '', one.order],
            fbxVector('Lcl Translation', one.translation),
            fbxVector('Lcl Rotation', one.rotation),
            fbxVector('Lcl Scaling', one.scaling),
            vector3d('PreRotation', one.pre),
            vector3d('PostRotation', one.post),
            vector3d('RotationPivot', one.rotationPivot),
            vector3d('ScalingPivot', one.scalingPivot),
            vector3d('RotationOffset', one.rotationOffset),
            vector3d('ScalingOffset', one.scalingOffset),
          ];
          const id = addModel(builder, `n${n}`, 'Null', properties);
          builder.connect(id, parent);
          parent = id;
        });
        addMesh(builder, square(), [], parent);
        const bytes = pack(builder);
        const worlds = worldsOf(await readFbx(bytes));
        const scene = new FBXLoader().parse(bytes.buffer as ArrayBuffer, '');
        scene.updateMatrixWorld(true);
        for (const name of ['n0', 'n1', 'n2', 'square']) {
          const theirs = scene.getObjectByName(name)!.matrixWorld.elements;
          worlds.get(name)!.forEach((x, c) => {
            expect(x).toBeCloseTo(theirs[c], 4);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the scale of a parent from a child that does not inherit it', async () => {
    const builder = new FbxBuilder();
    const parent = addModel(builder, 'parent', 'Null', [fbxVector('Lcl Scaling', [1, 3, 1])]);
    builder.connect(parent);
    const turn: FbxProperty = fbxVector('Lcl Rotation', [0, 0, 90]);
    addMesh(
      builder,
      square(),
      [['InheritType', 'enum', '', '', 2], turn, fbxVector('Lcl Translation', [0, 1, 0])],
      parent,
    );
    const { mesh } = await readFbx(pack(builder));
    // the joint moves with the scaled parent, the shape keeps its size
    expect([...mesh.positions].map((x) => Math.round(1e6 * x) / 1e6 + 0)).toEqual([
      0, 3, 0, 0, 4, 0, -1, 3, 0, -1, 4, 0,
    ]);
  });

  it('applies a geometric transform to the mesh and not to its children', async () => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder, square(), [vector3d('GeometricTranslation', [5, 0, 0])]);
    const child = addModel(builder, 'child', 'Null', []);
    builder.connect(child, model);
    const asset = await readFbx(pack(builder));
    expect(asset.mesh.positions[0]).toBe(5);
    expect(worldsOf(asset).get('child')![12]).toBe(0);
  });

  it('samples constant, linear and cubic keys at the frame rate, from the first key', async () => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder, square());
    const [own] = addStack(builder, 'walk');
    const end = 8 / 24;
    addKeys(builder, own, model, 'Lcl Translation', 'X', [
      { time: 1, value: 0, flags: LINEAR },
      { time: 1 + end / 2, value: 4, flags: CONSTANT },
      { time: 1 + end, value: 8 },
    ]);
    addKeys(builder, own, model, 'Lcl Scaling', 'Y', [
      { time: 1, value: 1, flags: CUBIC_USER, slopes: [0, 0] },
      { time: 1 + end, value: 2 },
    ]);
    const asset = await readFbx(pack(builder));
    expect(asset.animations.map(({ name }) => name)).toEqual(['walk']);
    expect(firstVertex(asset).map(([x]) => x)).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 8].map((x) => expect.closeTo(x, 5)));
    const scales = asset.animations[0].tracks.find(({ path }) => path === 'scale')!;
    // flat at both ends: 3 t² − 2 t³
    const smooth = (t: number): number => 1 + 3 * t * t - 2 * t ** 3;
    // the frames, and a key just before the jump at the end
    expect(scales.times).toHaveLength(10);
    expect(end - scales.times[8]).toBeCloseTo(1e-4, 6);
    expect([...scales.values].filter((_, c) => c % 3 === 1)).toEqual(
      Array.from(scales.times, (time) => expect.closeTo(smooth(time / end), 5)),
    );
  });

  it('joins animation layers: added, replaced and blended', async () => {
    const keys: Key[] = [
      { time: 0, value: 2 },
      { time: 1 / 24, value: 2 },
    ];
    const valueFor = async (properties: FbxProperty[]): Promise<number> => {
      const builder = new FbxBuilder();
      const { model } = addMesh(builder, square());
      const [base, second] = addStack(builder, 'a', [[], properties]);
      addKeys(
        builder,
        base,
        model,
        'Lcl Translation',
        'X',
        keys.map((key) => ({ ...key, value: 10 })),
      );
      addKeys(builder, second, model, 'Lcl Translation', 'X', keys);
      return firstVertex(await readFbx(pack(builder)))[0][0];
    };
    const mode = (value: number): FbxProperty => ['BlendMode', 'enum', '', '', value];
    const weight: FbxProperty = ['Weight', 'Number', '', 'A', fbxDouble(25)];
    expect(await valueFor([mode(0)])).toBe(12);
    expect(await valueFor([mode(0), weight])).toBe(10.5);
    expect(await valueFor([mode(1)])).toBe(2);
    expect(await valueFor([mode(2), weight])).toBe(8);
    expect(await valueFor([mode(1), ['Mute', 'bool', '', '', 1]])).toBe(10);
  });

  it('goes through in-between shapes', async () => {
    const builder = new FbxBuilder();
    const { geometry } = addMesh(builder, square());
    const deformer = builder.add('Deformer', '', 'Deformer', 'BlendShape', []);
    builder.connect(deformer, geometry);
    const channel = builder.add('Deformer', 'smile', 'SubDeformer', 'BlendShapeChannel', [
      fbxNode('FullWeights', [fbxArray(Float64Array.of(50, 100))]),
      fbxProperties([['DeformPercent', 'Number', '', 'A', fbxDouble(0)]]),
    ]);
    builder.connect(channel, deformer);
    for (const move of [3, 4]) {
      const shape = builder.add('Geometry', 'smile', 'Geometry', 'Shape', [
        fbxNode('Indexes', [fbxArray(Int32Array.of(0))]),
        fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, move))]),
      ]);
      builder.connect(shape, channel);
    }
    const [own] = addStack(builder, 'smile');
    addKeys(builder, own, channel, 'DeformPercent', 'DeformPercent', [
      { time: 0, value: 0 },
      { time: 4 / 24, value: 100 },
    ]);
    const asset = await readFbx(pack(builder));
    expect(asset.morphs!.targets.map(({ name }) => name)).toEqual(['smile 50 %', 'smile']);
    expect(firstVertex(asset).map(([, , z]) => z)).toEqual([0, 1.5, 3, 3.5, 4].map((z) => expect.closeTo(z, 5)));
  });

  it('lets points without weights follow the mesh', async () => {
    const builder = new FbxBuilder();
    const { model, geometry } = addMesh(builder, square());
    const bone = addModel(builder, 'bone', 'LimbNode', []);
    builder.connect(bone);
    const skin = builder.add('Deformer', '', 'Deformer', 'Skin', []);
    builder.connect(skin, geometry);
    const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    const cluster = builder.add('Deformer', 'bone', 'SubDeformer', 'Cluster', [
      fbxNode('Indexes', [fbxArray(Int32Array.of(1, 2))]),
      fbxNode('Weights', [fbxArray(Float64Array.of(1, 0.5))]),
      fbxNode('Transform', [fbxArray(identity)]),
      fbxNode('TransformLink', [fbxArray(identity)]),
    ]);
    builder.connect(cluster, skin);
    builder.connect(bone, cluster);
    const [own] = addStack(builder, 'move');
    addKeys(builder, own, bone, 'Lcl Translation', 'X', [
      { time: 0, value: 0 },
      { time: 1 / 24, value: 7 },
    ]);
    addKeys(builder, own, model, 'Lcl Translation', 'Z', [
      { time: 0, value: 0 },
      { time: 1 / 24, value: 9 },
    ]);
    const asset = await readFbx(pack(builder));
    const clip = bakeClip(asset, { fps: 24 });
    expect([...clip.positions.subarray(12)]).toEqual([0, 0, 9, 8, 0, 0, 7, 1, 0, 1, 1, 9]);
  });

  it('names the point cache of a file, and reads it where it is given', async () => {
    const builder = new FbxBuilder();
    addMesh(builder, square());
    builder.add('Cache', 'cloth', 'Cache', '', [
      fbxProperties([['CacheFileName', 'KString', '', '', 'C:\\work\\cloth.pc2']]),
    ]);
    const notes: string[] = [];
    const bytes = pack(builder);
    await readFbx(bytes, { log: (note) => notes.push(note) });
    expect(notes.join()).toMatch(/point cache "cloth.pc2"; .* as mesh.fbx\+cloth.pc2/);
    const still = await readFbx(bytes);
    const positions = Float32Array.from([...still.mesh.positions, ...still.mesh.positions.map((x) => 2 * x)]);
    const cache = writePc2({ kind: 'clip', name: '', mesh: still.mesh, positions, times: Float64Array.of(0, 1 / 24) });
    const asset = await readAsset([
      { name: 'mesh.fbx', bytes },
      { name: 'cloth.pc2', bytes: cache },
    ]);
    expect(asset.clips[0].positions).toEqual(positions);
  });

  it.skipIf(!existsSync(data))('reads files of Maya and Blender (needs the data folder)', async () => {
    const read = (name: string): Promise<Asset> => readFbx(new Uint8Array(readFileSync(join(data, name))));
    const skinned = await read('Bone_Skin.fbx');
    expect(skinned.mesh.triangles.length / 3).toBe(1504);
    expect(skinned.rig!.skeleton.names).toHaveLength(6);
    const still = await read('Bone_Geom.fbx');
    // the bind pose is the mesh without bones
    skinned.mesh.positions.forEach((x, c) => {
      expect(x).toBeCloseTo(still.mesh.positions[c], 6);
    });
    expect((await read('morph_test.fbx')).morphs!.targets).toHaveLength(1);
  });
});
