// SPDX-License-Identifier: MIT
// What a file of a user has besides a mesh in motion: textures in several places, idle joints, cameras, steps, and faults that viewers mend.
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { listScene, type Scene } from '../../gltf/index.ts';
import { readFbx } from '../read-fbx.ts';
import { fbxArray, fbxDouble, fbxNode, type PackedNode, packFbx } from '../syntax/fbx-pack.ts';
import { FbxBuilder, type FbxProperty, fbxProperties, fbxVector } from '../write/fbx-builder.ts';

const PNG = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0);
const TICKS = 46_186_158_000;
const SETTINGS = fbxNode(
  'GlobalSettings',
  [],
  [
    fbxProperties([
      ['UnitScaleFactor', 'double', 'Number', '', fbxDouble(100)],
      ['TimeMode', 'enum', '', '', 11],
    ]),
  ],
);

const pack = (builder: FbxBuilder, head: PackedNode[] = []): Uint8Array =>
  packFbx([...head, SETTINGS, ...builder.finish()]);
const sceneOf = async (asset: Asset): Promise<Scene> => listScene(asset.source!);

/** Two triangles apart. */
const TRIANGLES = [
  fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1))]),
  fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(3, 4, -6, 0, 1, -3))]),
];

function addMesh(
  builder: FbxBuilder,
  name = 'mesh',
  children: PackedNode[] = TRIANGLES,
): { model: number; geometry: number } {
  const model = addModel(builder, name, 'Mesh');
  const geometry = builder.add('Geometry', name, 'Geometry', 'Mesh', children);
  builder.connect(geometry, model);
  return { model, geometry };
}

function addModel(
  builder: FbxBuilder,
  name: string,
  type: string,
  properties: FbxProperty[] = [],
  parent?: number,
): number {
  const id = builder.add('Model', name, 'Model', type, [fbxProperties(properties)]);
  builder.connect(id, parent);
  return id;
}

function addMaterial(builder: FbxBuilder, model: number, name: string, properties: FbxProperty[] = []): number {
  const id = builder.add('Material', name, 'Material', '', [
    fbxNode('ShadingModel', ['Phong']),
    fbxProperties(properties),
  ]);
  builder.connect(id, model);
  return id;
}

function addTexture(builder: FbxBuilder, material: number, property: string, path: string, content?: Uint8Array): void {
  const texture = builder.add('Texture', 'texture', 'Texture', '', [fbxNode('RelativeFilename', [path])]);
  builder.connect(texture, material, property);
  if (!content) return;
  const video = builder.add('Video', 'video', 'Video', 'Clip', [
    fbxNode('RelativeFilename', [path]),
    fbxNode('Content', [{ type: 'R', value: content }]),
  ]);
  builder.connect(video, texture);
}

const number = (name: string, value: number): FbxProperty => [name, 'Number', '', 'A', fbxDouble(value)];

describe('textures of an FBX', () => {
  const read = async (path: string, files: Record<string, Uint8Array>, content?: Uint8Array) => {
    const builder = new FbxBuilder();
    addTexture(builder, addMaterial(builder, addMesh(builder).model, 'skin'), 'DiffuseColor', path, content);
    const asked: string[] = [];
    const notes: string[] = [];
    const resolve = async (uri: string): Promise<Uint8Array> => {
      asked.push(uri);
      if (!files[uri]) throw new Error('is not there');
      return files[uri];
    };
    const scene = await sceneOf(
      await readFbx(pack(builder), { name: 'hero', resolve, log: (note) => notes.push(note) }),
    );
    return { images: scene.look.images.length, asked, notes };
  };

  it.each([
    ['maps\\skin.png', 'maps/skin.png'],
    ['C:\\work\\hero\\skin.png', 'skin.png'],
    ['../other/skin.png', 'textures/skin.png'],
    ['/home/ada/skin.png', 'hero.fbm/skin.png'],
  ])('at %s are found at %s', async (path, place) => {
    const { images, notes } = await read(path, { [place]: PNG });
    expect(images).toBe(1);
    expect(notes).toEqual([]);
  });

  it('are looked for inside the folder alone', async () => {
    for (const path of ['..\\..\\secret.png', '/etc/secret.png', 'C:/secret.png', 'maps/../../secret.png']) {
      const { asked, notes } = await read(path, {});
      expect(asked.length).toBeGreaterThan(0);
      for (const uri of asked) expect(uri).toMatch(/^([^./:\\][^/:\\]*\/)?secret\.png$/);
      expect(notes).toEqual(['the texture "secret.png" is neither in the file nor in its folder']);
    }
  });

  it('inside the file come first, and other formats are named', async () => {
    expect(await read('skin.png', {}, PNG)).toMatchObject({ images: 1, asked: [] });
    const { images, notes } = await read('skin.psd', {}, Uint8Array.of(56, 66, 80, 83));
    expect(images).toBe(0);
    expect(notes).toEqual([expect.stringContaining('"skin.psd" is no PNG, JPEG, WebP or Targa')]);
  });
});

describe('materials of an FBX', () => {
  it('of physical shaders have metal, roughness and colours of linear light', async () => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder);
    addMaterial(builder, model, 'stingray', [
      ['Maya|base_color', 'Vector3D', 'Vector', '', fbxDouble(0.1), fbxDouble(0.2), fbxDouble(0.3)],
      number('Maya|metallic', 0.75),
      number('Maya|roughness', 0.25),
    ]);
    addMaterial(builder, model, 'max', [
      ['3dsMax|Parameters|base_color', 'ColorAndAlpha', '', 'A', ...[0.4, 0.5, 0.6, 1].map(fbxDouble)],
      number('3dsMax|Parameters|metalness', 1),
      number('3dsMax|Parameters|roughness', 0.2),
      number('3dsMax|Parameters|roughness_inv', 1),
    ]);
    addMaterial(builder, model, 'phong', [
      ['DiffuseColor', 'Color', '', 'A', ...[0.5, 1, 0].map(fbxDouble)],
      number('Shininess', 25),
      number('TransparencyFactor', 0.25),
      number('ReflectionFactor', 0.5),
    ]);
    const { look } = await sceneOf(await readFbx(pack(builder)));
    expect(look.materials).toMatchObject([
      { name: 'stingray', color: [0.1, 0.2, 0.3, 1], metallic: 0.75, roughness: 0.25 },
      { name: 'max', color: [0.4, 0.5, 0.6, 1], metallic: 1, roughness: 0.8 },
      { name: 'phong', color: [expect.closeTo(0.214041, 5), 1, 0, 0.75], metallic: 0, roughness: 0.5, alpha: 'blend' },
    ]);
  });

  it('are those of each polygon, also where two have one name and later points come first', async () => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder, 'mesh', [
      ...TRIANGLES,
      fbxNode(
        'LayerElementMaterial',
        [0],
        [
          fbxNode('MappingInformationType', ['ByPolygon']),
          fbxNode('ReferenceInformationType', ['IndexToDirect']),
          fbxNode('Materials', [fbxArray(Int32Array.of(1, 0))]),
        ],
      ),
    ]);
    const red: FbxProperty = ['DiffuseColor', 'Color', '', 'A', ...[1, 0, 0].map(fbxDouble)];
    const blue: FbxProperty = ['DiffuseColor', 'Color', '', 'A', ...[0, 0, 1].map(fbxDouble)];
    addMaterial(builder, model, 'paint', [red]);
    addMaterial(builder, model, 'paint', [blue]);
    const { shapes, look } = await sceneOf(await readFbx(pack(builder)));
    const [{ mesh, materialOfPart }] = shapes;
    const depths = mesh.parts.map(({ vertexStart }) => mesh.positions[3 * vertexStart + 2]);
    expect(depths.map((z, p) => [z, look.materials[materialOfPart![p]].color[0]])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});

describe('nodes of an FBX', () => {
  it('without weights stay joints of their skeleton, in its bind pose', async () => {
    const builder = new FbxBuilder();
    const { geometry } = addMesh(builder);
    const root = addModel(builder, 'root', 'LimbNode');
    const hip = addModel(builder, 'hip', 'LimbNode', [fbxVector('Lcl Translation', [0, 1, 0])], root);
    const end = addModel(builder, 'end', 'LimbNode', [fbxVector('Lcl Translation', [0, 2, 0])], hip);
    addModel(builder, 'socket', 'Null', [], end);
    const skin = builder.add('Deformer', '', 'Deformer', 'Skin', []);
    builder.connect(skin, geometry);
    const link = makeIdentities(1);
    link[13] = 5;
    const transform = makeIdentities(1);
    transform[13] = -5;
    const cluster = builder.add('Deformer', '', 'SubDeformer', 'Cluster', [
      fbxNode('Indexes', [fbxArray(Int32Array.of(0, 1, 2, 3, 4, 5))]),
      fbxNode('Weights', [fbxArray(new Float64Array(6).fill(1))]),
      fbxNode('Transform', [fbxArray(transform)]),
      fbxNode('TransformLink', [fbxArray(link)]),
    ]);
    builder.connect(cluster, skin);
    builder.connect(hip, cluster);
    const { nodes, shapes } = await sceneOf(await readFbx(pack(builder)));
    const { joints, inverseBinds } = shapes[0].skin!;
    const binds = new Map(joints.map((node, j) => [nodes.names[node], inverseBinds[16 * j + 13]]));
    // the hip was bound one above where it is: root and end go with it
    expect([...binds].sort()).toEqual([
      ['end', -7],
      ['hip', -5],
      ['root', -4],
    ]);
  });

  it('have cameras, lights and the properties of users', async () => {
    const builder = new FbxBuilder();
    addMesh(builder);
    const camera = addModel(builder, 'eye', 'Camera', [['note', 'KString', '', 'A+U', 'main']]);
    const attribute = builder.add('NodeAttribute', 'eye', 'NodeAttribute', 'Camera', [
      fbxProperties([
        number('FieldOfView', 60),
        number('ApertureMode', 1),
        number('AspectWidth', 2),
        number('AspectHeight', 1),
        number('NearPlane', 0.5),
        number('FarPlane', 20),
      ]),
    ]);
    builder.connect(attribute, camera);
    const { cameras, nodes, extras } = await sceneOf(await readFbx(pack(builder)));
    const across = 2 * Math.atan(Math.tan(Math.PI / 6) / 2);
    expect(cameras).toMatchObject([
      { kind: 'perspective', fieldOfView: expect.closeTo(across, 6), aspect: 2, near: 0.5, far: 20 },
    ]);
    // a camera of FBX looks along x, one of a scene along −z
    const { node } = cameras![0];
    expect([...nodes.rotations.subarray(4 * node, 4 * node + 4)]).toEqual(
      [0, -Math.SQRT1_2, 0, Math.SQRT1_2].map((x) => expect.closeTo(x, 6)),
    );
    expect(extras!.get(node)).toEqual({ note: 'main' });
  });
});

describe('animation of an FBX', () => {
  const animate = (keys: [time: number, value: number][], flags: number): Uint8Array => {
    const builder = new FbxBuilder();
    const { model } = addMesh(builder);
    const stack = builder.add('AnimationStack', 'move', 'AnimStack', '', []);
    const layer = builder.add('AnimationLayer', 'move', 'AnimLayer', '', []);
    builder.connect(layer, stack);
    const node = builder.add('AnimationCurveNode', 'T', 'AnimCurveNode', '', [fbxProperties([])]);
    builder.connect(node, layer);
    builder.connect(node, model, 'Lcl Translation');
    const curve = builder.add('AnimationCurve', '', 'AnimCurve', '', [
      fbxNode('KeyTime', [fbxArray(BigInt64Array.from(keys, ([time]) => BigInt(Math.round(time * TICKS))))]),
      fbxNode('KeyValueFloat', [fbxArray(Float32Array.from(keys, ([, value]) => value))]),
      fbxNode('KeyAttrFlags', [fbxArray(Int32Array.of(flags))]),
      fbxNode('KeyAttrDataFloat', [fbxArray(new Float32Array(4))]),
      fbxNode('KeyAttrRefCount', [fbxArray(Int32Array.of(keys.length))]),
    ]);
    builder.connect(curve, node, 'd|X');
    return pack(builder);
  };

  it('keeps steps as steps', async () => {
    const [{ tracks }] = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.5, 3],
            [1, 1],
          ],
          2,
        ),
      )
    ).animations;
    expect(tracks).toMatchObject([{ interpolation: 'STEP', times: Float32Array.of(0, 0.5, 1) }]);
    expect([...tracks[0].values].filter((_, c) => c % 3 === 0)).toEqual([0, 3, 1]);
  });

  it('keeps keys between frames where they matter', async () => {
    const uneven = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.51, 3],
            [1, 1],
          ],
          4,
        ),
      )
    ).animations[0].tracks[0];
    expect([...uneven.times]).toContainEqual(Math.fround(0.51));
    expect(Math.max(...uneven.values)).toBe(3);
    const straight = (
      await readFbx(
        animate(
          [
            [0, 0],
            [0.51, 0.51],
            [1, 1],
          ],
          4,
        ),
      )
    ).animations[0].tracks[0];
    expect(straight.times).toHaveLength(25);
  });

  it('without motion keeps its name and its duration', async () => {
    const { animations } = await readFbx(
      animate(
        [
          [0, 0],
          [1, 0],
        ],
        4,
      ),
    );
    expect(animations).toMatchObject([{ name: 'move', duration: 1 }]);
  });
});

describe('files of other programs', () => {
  it('with the highest byte first are read', async () => {
    const builder = new FbxBuilder();
    // short enough that its arrays are not compressed
    addMesh(builder, 'mesh', [
      fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0.5))]),
      fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.of(0, 1, -3))]),
    ]);
    const big = swapFile(pack(builder));
    expect((await readFbx(big)).mesh.positions).toEqual((await readFbx(pack(builder))).mesh.positions);
  });

  it('with shapes inside a geometry are read', async () => {
    const builder = new FbxBuilder();
    const shape = fbxNode(
      'Shape',
      ['Top'],
      [fbxNode('Indexes', [fbxArray(Int32Array.of(1))]), fbxNode('Vertices', [fbxArray(Float64Array.of(0, 0, 1))])],
    );
    addMesh(builder, 'mesh', [...TRIANGLES, shape]);
    expect((await readFbx(pack(builder))).morphs!.targets.map(({ name }) => name)).toEqual(['Top']);
  });
});

/** The same binary file with the bytes of all its numbers in reverse. */
function swapFile(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  const view = new DataView(bytes.buffer);
  const swap = (at: number, size: number): void => {
    out.subarray(at, at + size).reverse();
  };
  const sizes: Record<string, number> = { Y: 2, I: 4, F: 4, D: 8, L: 8, C: 1 };
  const items: Record<string, number> = { f: 4, d: 8, l: 8, i: 4, b: 1 };
  const visit = (start: number): void => {
    for (let at = start; at + 13 <= bytes.length; ) {
      const [end, count] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      for (let n = 0; n < 3; n++) swap(at + 4 * n, 4);
      if (end === 0) return;
      const from = at + 13 + bytes[at + 12];
      const below = from + view.getUint32(at + 8, true);
      for (let n = 0, value = from; n < count; n++) {
        const type = String.fromCharCode(bytes[value]);
        if (sizes[type]) {
          swap(value + 1, sizes[type]);
          value += 1 + sizes[type];
        } else if (type === 'S' || type === 'R') {
          swap(value + 1, 4);
          value += 5 + view.getUint32(value + 1, true);
        } else {
          const length = view.getUint32(value + 1, true);
          const packed = view.getUint32(value + 5, true);
          if (packed === 0) for (let k = 0; k < length; k++) swap(value + 13 + k * items[type], items[type]);
          const stored = packed === 0 ? length * items[type] : view.getUint32(value + 9, true);
          for (let k = 0; k < 3; k++) swap(value + 1 + 4 * k, 4);
          value += 13 + stored;
        }
      }
      if (below < end) visit(below);
      at = end;
    }
  };
  out[22] = 1;
  swap(23, 4);
  visit(27);
  return out;
}
