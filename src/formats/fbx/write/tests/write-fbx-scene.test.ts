// SPDX-License-Identifier: MIT
import { type Bone, type Mesh as ThreeMesh, Vector3 } from 'three';
import { FBXLoader } from 'three/examples/jsm/loaders/FBXLoader.js';
import { describe, expect, it, vi } from 'vitest';
import { compose, invertAffine, makeIdentities } from '../../../../core/math/mat4.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import { listScene, type Scene } from '../../../gltf/index.ts';
import { readFbx } from '../../read-fbx.ts';
import { parseFbxBinary } from '../../syntax/fbx-binary.ts';
import { findFbxChild } from '../../syntax/fbx-node.ts';
import { writeFbxFiles, writeFbxScene } from '../write-fbx-scene.ts';

const PNG = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0);
const JPEG = Uint8Array.of(255, 216, 255, 224, 0, 0, 0, 0, 0, 0);
const HALF = Math.SQRT1_2;

const MATERIAL: SurfaceMaterial = {
  name: 'cloth',
  color: [0.5, 0.25, 0.1, 1],
  metallic: 0.25,
  roughness: 0.4,
  emissive: [0, 0.5, 2],
  alpha: 'mask',
  cutoff: 0.3,
  isDoubleSided: true,
  isUnlit: false,
  normalScale: 0.7,
  occlusionStrength: 0.9,
};

/** Two triangles of two materials on two bones, posed away from the bind pose, under a node; a mesh, a bone and a node of one name. */
function makeScene(): Scene {
  const mesh = makeMesh(
    Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0.5, 1, 1, 0.5, 0, 2, 0.5),
    Uint32Array.of(0, 1, 2, 3, 4, 5),
    'coat',
  );
  mesh.normals = Float32Array.from({ length: 18 }, (_, c) => (c % 3 === 2 ? 1 : 0));
  const uvs = (from: number): Float32Array => Float32Array.from({ length: 12 }, (_, c) => from + c / 16);
  mesh.attributes = [
    { name: 'TEXCOORD_0', size: 2, values: uvs(0) },
    { name: 'TEXCOORD_1', size: 2, values: uvs(0.25) },
    { name: 'COLOR_0', size: 3, values: Float32Array.from({ length: 18 }, (_, c) => (c % 5) / 5) },
  ];
  mesh.parts = [0, 1].map((p) => ({
    ...mesh.parts[0],
    vertexStart: 3 * p,
    vertexCount: 3,
    triangleStart: p,
    triangleCount: 1,
  }));
  const map = {
    uv: 1,
    wrap: ['clamp', 'repeat'] as const,
    isNearest: false,
    offset: [0, 0] as const,
    rotation: 0,
    scale: [1, 1] as const,
  };
  const binds = makeIdentities(3);
  binds[16 + 13] = 1;
  binds[32 + 13] = 2;
  const inverseBinds = new Float64Array(48);
  for (let j = 0; j < 3; j++) invertAffine(binds, inverseBinds, 16 * j, 16 * j);
  return {
    nodes: {
      names: ['rig', 'Body', 'arm', 'socket', 'Body', 'eye', 'lamp'],
      parents: Int32Array.of(-1, 0, 1, 2, 0, -1, -1),
      translations: Float64Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 3, 5, 1, 2, 3),
      rotations: Float64Array.of(
        0,
        0,
        0,
        1,
        0,
        0,
        0.6,
        0.8,
        0,
        HALF,
        0,
        HALF,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        1,
      ),
      scales: new Float64Array(21).fill(1),
    },
    shapes: [
      {
        node: 4,
        mesh,
        materialOfPart: [0, 1],
        skin: {
          joints: [1, 2, 3],
          inverseBinds,
          weights: makeSkin([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], [3, 1, 3, 1, 3, 1, 1, 3, 1, 3, 1, 3], 2),
        },
        targets: [
          { name: 'smile', positions: Float32Array.from({ length: 18 }, (_, c) => (c === 2 ? 0.5 : 0)), weight: 0 },
          { name: 'tongueOut', positions: new Float32Array(18), weight: 0 },
        ],
        extras: { tailor: 'Ada' },
      },
    ],
    animations: [
      {
        name: 'wave',
        duration: 1,
        tracks: [
          {
            node: 2,
            path: 'rotation',
            interpolation: 'LINEAR',
            times: Float32Array.of(0, 1),
            values: Float32Array.of(0, HALF, 0, HALF, HALF, 0, 0, HALF),
          },
        ],
      },
      {
        name: 'talk',
        duration: 0.5,
        tracks: [
          {
            node: 4,
            path: 'weights',
            interpolation: 'STEP',
            times: Float32Array.of(0, 0.25, 0.5),
            values: Float32Array.of(0, 0, 1, 0, 0.5, 0),
          },
        ],
      },
    ],
    look: {
      materials: [
        {
          ...MATERIAL,
          colorMap: { ...map, image: 0 },
          normalMap: { ...map, uv: 0, image: 1 },
          occlusionMap: { ...map, image: 0 },
        },
        { ...MATERIAL, name: 'skin', alpha: 'opaque', colorMap: { ...map, image: 0 } },
      ],
      images: [
        { type: 'image/png', bytes: PNG, name: 'cloth.png' },
        { type: 'image/jpeg', bytes: JPEG, name: '../cloth.jpg' },
      ],
    },
    cameras: [{ node: 5, name: 'lens', kind: 'perspective', fieldOfView: 0.6, aspect: 1.5, near: 0.1, far: 50 }],
    lights: [{ node: 6, name: 'bulb', kind: 'spot', color: [1, 0.5, 0.25], intensity: 3, range: 9, cone: [0.2, 0.5] }],
    extras: new Map([[2, { side: 'left', length: 2.5, isIk: true, tags: ['a', 'b'] }]]),
  };
}

/** Where a skin puts its vertices in the pose of a scene. */
function poseScene({ nodes, shapes }: Scene): number[] {
  const [{ mesh, skin }] = shapes;
  const worlds = makeIdentities(nodes.names.length);
  const multiplied = (a: Float64Array, b: Float64Array): Float64Array =>
    Float64Array.from({ length: 16 }, (_, n) =>
      [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (n % 4)] * b[4 * Math.floor(n / 4) + k], 0),
    );
  nodes.parents.forEach((parent, n) => {
    const local = new Float64Array(16);
    compose(nodes.translations, nodes.rotations, nodes.scales, local, 3 * n, 4 * n, 3 * n);
    const world = parent < 0 ? local : multiplied(worlds.slice(16 * parent, 16 * parent + 16), local);
    worlds.set(world, 16 * n);
  });
  const out: number[] = [];
  for (let i = 0; i < mesh.positions.length / 3; i++) {
    const sum = [0, 0, 0];
    for (let e = skin!.weights.rowStart[i]; e < skin!.weights.rowStart[i + 1]; e++) {
      const j = skin!.weights.boneIndices[e];
      const node = skin!.joints[j];
      const matrix = multiplied(worlds.slice(16 * node, 16 * node + 16), skin!.inverseBinds.slice(16 * j, 16 * j + 16));
      for (let r = 0; r < 3; r++)
        sum[r] +=
          skin!.weights.weights[e] *
          [0, 1, 2].reduce((own, c) => own + matrix[4 * c + r] * mesh.positions[3 * i + c], matrix[12 + r]);
    }
    out.push(...sum);
  }
  return out;
}

const load = (bytes: Uint8Array<ArrayBuffer>) => {
  const { createObjectURL } = URL;
  URL.createObjectURL = () => 'blob:picture';
  // the loader asks for a page; other tests of this process must not find one
  vi.stubGlobal('window', { innerWidth: 1, innerHeight: 1 });
  vi.stubGlobal('document', { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) });
  try {
    return new FBXLoader().parse(bytes.buffer, '');
  } finally {
    vi.unstubAllGlobals();
    URL.createObjectURL = createObjectURL;
  }
};

describe('writeFbxScene', () => {
  it('shows the pose of the file, not the bind pose, in three.js', () => {
    const scene = makeScene();
    const root = load(writeFbxScene({ ...scene, animations: [] }, { name: 'test', up: 'y' }));
    root.updateMatrixWorld(true);
    const mesh = root.getObjectByName('Body_mesh') as ThreeMesh;
    const expected = poseScene(scene);
    scene.shapes[0].mesh.triangles.forEach((i, c) => {
      const point = mesh.getVertexPosition(c, new Vector3()).applyMatrix4(mesh.matrixWorld);
      point.toArray().forEach((x, r) => {
        expect(x).toBeCloseTo(expected[3 * i + r], 5);
      });
    });
  });

  it('gives a mesh another name than a bone, and says so', () => {
    const notes: string[] = [];
    const root = load(writeFbxScene(makeScene(), { name: 'test', up: 'y', log: (text) => notes.push(text) }));
    expect((root.getObjectByName('Body') as Bone).isBone).toBe(true);
    expect((root.getObjectByName('Body_mesh') as ThreeMesh).isMesh).toBe(true);
    expect(notes.filter((note) => note.includes('"Body" became "Body_mesh"'))).toHaveLength(1);
  });

  it('writes parts, sets of UVs, colours, materials and textures that three.js finds', () => {
    const root = load(writeFbxScene(makeScene(), { name: 'test', up: 'y' }));
    const mesh = root.getObjectByName('Body_mesh') as ThreeMesh;
    expect(Object.keys(mesh.geometry.attributes)).toEqual(expect.arrayContaining(['uv', 'uv1', 'color', 'normal']));
    const materials = mesh.material as unknown as {
      name: string;
      map: object | null;
      normalMap: object | null;
      color: { r: number };
    }[];
    expect(materials.map(({ name }) => name)).toEqual(['cloth', 'skin']);
    expect(materials.map(({ map }) => map !== null)).toEqual([true, true]);
    expect(materials[0].normalMap).not.toBeNull();
    expect(materials[0].color.r).toBeCloseTo(0.5, 5);
    expect(Object.keys(mesh.morphTargetDictionary!)).toEqual(['smile', 'tongueOut']);
    expect(root.animations.map(({ name }) => name)).toEqual(['wave', 'talk']);
  });

  it('embeds images, or returns them as files without folders in their names', () => {
    const embedded = parseFbxBinary(writeFbxScene(makeScene(), { name: 'test', up: 'y' }));
    const videos = findFbxChild({ name: '', values: [], children: embedded.nodes }, 'Objects')!.children.filter(
      ({ name }) => name === 'Video',
    );
    expect(videos.map((video) => findFbxChild(video, 'Content')?.values[0])).toEqual([PNG, JPEG]);
    const { textures, bytes } = writeFbxFiles(makeScene(), { name: 'test', up: 'y', textures: 'beside' });
    expect(textures.map(({ name }) => name)).toEqual(['cloth.png', 'cloth.jpg']);
    const beside = parseFbxBinary(bytes);
    const empty = findFbxChild({ name: '', values: [], children: beside.nodes }, 'Objects')!.children.filter(
      ({ name }) => name === 'Video',
    );
    expect(empty.map((video) => findFbxChild(video, 'Content'))).toEqual([undefined, undefined]);
  });

  it('reads back whole', async () => {
    const scene = makeScene();
    const asset = await readFbx(writeFbxScene(scene, { name: 'test', up: 'y', metresPerUnit: 1 }));
    const back = await listScene(asset.source!);
    expect(back.nodes.names.slice().sort()).toEqual(['Body', 'Body_mesh', 'arm', 'eye', 'lamp', 'rig', 'socket']);
    const [shape] = back.shapes;
    expect(shape.skin!.joints.map((node) => back.nodes.names[node])).toEqual(['Body', 'arm', 'socket']);
    expect(shape.targets.map(({ name }) => name)).toEqual(['smile', 'tongueOut']);
    expect(shape.extras).toEqual({ tailor: 'Ada' });
    const [cloth] = back.look.materials;
    expect(cloth).toMatchObject({ name: 'cloth', alpha: 'mask', isDoubleSided: true });
    for (const key of ['metallic', 'roughness', 'cutoff', 'normalScale', 'occlusionStrength'] as const)
      expect(cloth[key]).toBeCloseTo(MATERIAL[key], 6);
    cloth.color.forEach((x, c) => {
      expect(x).toBeCloseTo(MATERIAL.color[c], 6);
    });
    cloth.emissive.forEach((x, c) => {
      expect(x).toBeCloseTo(MATERIAL.emissive[c], 6);
    });
    expect(cloth.colorMap).toMatchObject({ image: 0, uv: 1, wrap: ['clamp', 'repeat'] });
    expect(cloth.normalMap).toMatchObject({ image: 1, uv: 0 });
    expect(back.look.images.map(({ type, bytes }) => [type, bytes.length])).toEqual([
      ['image/png', 12],
      ['image/jpeg', 10],
    ]);
    expect(back.animations.map(({ name }) => name)).toEqual(['wave', 'talk']);
    expect(back.cameras).toMatchObject([{ kind: 'perspective', near: 0.1, far: 50 }]);
    expect(back.lights).toMatchObject([{ kind: 'spot', range: 9 }]);
    expect([...back.extras!.values()]).toContainEqual({ side: 'left', length: 2.5, isIk: true, tags: ['a', 'b'] });
    const places = poseScene(back);
    poseScene(scene).forEach((x, c) => {
      expect(places[c]).toBeCloseTo(x, 5);
    });
  });
});
