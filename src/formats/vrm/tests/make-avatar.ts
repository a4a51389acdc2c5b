// SPDX-License-Identifier: MIT
// A small avatar for tests: a humanoid of which every bone moves a square, two morph targets, two materials and two images.
import { packGlb } from '../../gltf/index.ts';
import { boneAbove, HUMAN_BONES } from '../human-bones.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into any JSON
type Loose = any;

/** A PNG of one white pixel. */
const PIXEL = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg=='),
  (c) => c.charCodeAt(0),
);

/** Bones of the body, without fingers; each above the next ones. */
export const BONES = [...HUMAN_BONES[0]].filter(
  (name) => !/Thumb|Index|Middle|Ring|Little|Eye|jaw|upperChest/.test(name),
);

/** Nodes: an unused one, the mesh, a root, the bones, two nodes of hair and a collider. */
const FIRST_BONE = 3;
export const nodeOf = (bone: string): number => FIRST_BONE + BONES.indexOf(bone);
export const [MESH_NODE, HAIR, TIP, COLLIDER] = [
  1,
  FIRST_BONE + BONES.length,
  FIRST_BONE + BONES.length + 1,
  FIRST_BONE + BONES.length + 2,
];

/** The JSON and the bytes of the avatar. */
function makeBody(): { json: Loose; binary: Uint8Array } {
  const joints = [...BONES.map(nodeOf), HAIR];
  const vertexCount = 4 * joints.length;
  const positions = new Float32Array(3 * vertexCount);
  const influences = new Uint8Array(4 * vertexCount);
  const weights = new Float32Array(4 * vertexCount);
  const corners: number[] = [];
  const [smile, blink] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
  joints.forEach((_, j) => {
    for (let c = 0; c < 4; c++) {
      const i = 4 * j + c;
      positions.set([j + 0.5 * (c % 2), 0.5 * (c >> 1), 0], 3 * i);
      influences[4 * i] = j;
      weights[4 * i] = 1;
      smile[3 * i + 2] = 0.1;
      blink[3 * i + 1] = 0.2;
    }
    corners.push(4 * j, 4 * j + 1, 4 * j + 3, 4 * j, 4 * j + 3, 4 * j + 2);
  });
  const binds = new Float32Array(16 * joints.length);
  joints.forEach((_, j) => {
    for (let c = 0; c < 4; c++) binds[16 * j + 5 * c] = 1;
  });
  const bytes: number[] = [];
  const bufferViews: Loose[] = [];
  const accessors: Loose[] = [];
  const view = (data: Uint8Array | Uint16Array | Float32Array): number => {
    while (bytes.length % 4 !== 0) bytes.push(0);
    bufferViews.push({ buffer: 0, byteOffset: bytes.length, byteLength: data.byteLength });
    bytes.push(...new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return bufferViews.length - 1;
  };
  const add = (
    data: Uint8Array | Uint16Array | Float32Array,
    componentType: number,
    type: string,
    size: number,
    extra = {},
  ) => accessors.push({ bufferView: view(data), componentType, type, count: data.length / size, ...extra }) - 1;
  const bounds = { min: [0, 0, 0], max: [joints.length - 0.5, 0.5, 0] };
  const attributes = {
    POSITION: add(positions, 5126, 'VEC3', 3, bounds),
    JOINTS_0: add(influences, 5121, 'VEC4', 4),
    WEIGHTS_0: add(weights, 5126, 'VEC4', 4),
    TEXCOORD_0: add(new Float32Array(2 * vertexCount), 5126, 'VEC2', 2),
  };
  const indices = add(Uint16Array.from(corners), 5123, 'SCALAR', 1);
  const shape = (data: Float32Array) => {
    const same = [data[0], data[1], data[2]];
    return { POSITION: add(data, 5126, 'VEC3', 3, { min: same, max: same }) };
  };
  const targets = [shape(smile), shape(blink)];
  const nodes: Loose[] = [
    { name: 'unused' },
    { name: 'body', mesh: 0, skin: 0 },
    { name: 'armature', children: [nodeOf('hips')] },
    ...BONES.map((bone): Loose => {
      const children = BONES.filter((other) => {
        let above = boneAbove(other);
        while (above !== undefined && !BONES.includes(above)) above = boneAbove(above);
        return above === bone;
      });
      const below = [...children.map(nodeOf), ...(bone === 'head' ? [HAIR, COLLIDER] : [])];
      return { name: `J_${bone}`, translation: [0, 0.1, 0], ...(below.length > 0 ? { children: below } : {}) };
    }),
    { name: 'hair', children: [TIP] },
    { name: 'hair tip', translation: [0, 0.1, 0] },
    { name: 'skull' },
  ];
  const image = () => ({ bufferView: view(PIXEL), mimeType: 'image/png' });
  return {
    json: {
      asset: { version: '2.0' },
      ...{ scene: 0, scenes: [{ nodes: [0, MESH_NODE, 2] }], nodes },
      meshes: [
        {
          name: 'body',
          primitives: [{ attributes, indices, targets, material: 1 }],
          extras: { targetNames: ['smile', 'blink'] },
        },
      ],
      skins: [{ joints, inverseBindMatrices: add(binds, 5126, 'MAT4', 16) }],
      materials: [{ name: 'unused' }, { name: 'skin', pbrMetallicRoughness: { baseColorTexture: { index: 1 } } }],
      images: [image(), image()],
      samplers: [{ wrapS: 33071, wrapT: 33071 }],
      // only the avatar uses the first one
      textures: [{ source: 0, sampler: 0 }, { source: 1 }],
      ...{ accessors, bufferViews, buffers: [{ byteLength: bytes.length }] },
    },
    binary: Uint8Array.from(bytes),
  };
}

/** An avatar of VRM 0. */
export function makeVrm0(change: (json: Loose) => void = () => {}): Uint8Array {
  const { json, binary } = makeBody();
  json.extensionsUsed = ['VRM'];
  json.extensions = {
    VRM: {
      exporterVersion: 'test',
      specVersion: '0.0',
      meta: { title: 'Test', author: 'Test', texture: 0, licenseName: 'CC0', allowedUserName: 'Everyone' },
      humanoid: { humanBones: BONES.map((bone) => ({ bone, node: nodeOf(bone), useDefaultValues: true })) },
      firstPerson: {
        firstPersonBone: nodeOf('head'),
        meshAnnotations: [{ mesh: 0, firstPersonFlag: 'Auto' }],
        lookAtTypeName: 'Bone',
      },
      blendShapeMaster: {
        blendShapeGroups: [
          { name: 'Joy', presetName: 'joy', binds: [{ mesh: 0, index: 0, weight: 100 }], materialValues: [] },
          { name: 'Blink', presetName: 'blink', binds: [{ mesh: 0, index: 1, weight: 100 }], materialValues: [] },
        ],
      },
      secondaryAnimation: {
        boneGroups: [
          { comment: 'hair', stiffiness: 1, center: -1, hitRadius: 0.02, bones: [HAIR], colliderGroups: [0] },
        ],
        colliderGroups: [{ node: COLLIDER, colliders: [{ offset: { x: 0, y: 0, z: 0 }, radius: 0.1 }] }],
      },
      materialProperties: [
        { name: 'unused', shader: 'VRM_USE_GLTFSHADER' },
        { name: 'skin', shader: 'VRM/MToon', renderQueue: 2000, textureProperties: { _MainTex: 1, _ShadeTexture: 0 } },
      ],
    },
  };
  change(json);
  return packGlb(json, binary);
}

/** An avatar of VRM 1. */
export function makeVrm1(change: (json: Loose) => void = () => {}): Uint8Array {
  const { json, binary } = makeBody();
  json.extensionsUsed = ['VRMC_vrm', 'VRMC_springBone', 'VRMC_node_constraint', 'VRMC_materials_mtoon'];
  json.extensions = {
    VRMC_vrm: {
      specVersion: '1.0',
      meta: { name: 'Test', authors: ['Test'], licenseUrl: 'https://vrm.dev/licenses/1.0/', thumbnailImage: 0 },
      humanoid: { humanBones: Object.fromEntries(BONES.map((bone) => [bone, { node: nodeOf(bone) }])) },
      firstPerson: { meshAnnotations: [{ node: MESH_NODE, type: 'auto' }] },
      lookAt: { type: 'bone', offsetFromHeadBone: [0, 0.06, 0] },
      expressions: {
        preset: {
          happy: { morphTargetBinds: [{ node: MESH_NODE, index: 0, weight: 1 }] },
          blink: {
            morphTargetBinds: [{ node: MESH_NODE, index: 1, weight: 1 }],
            materialColorBinds: [{ material: 1, type: 'color', targetValue: [1, 0, 0, 1] }],
          },
        },
      },
    },
    VRMC_springBone: {
      specVersion: '1.0',
      colliders: [{ node: COLLIDER, shape: { sphere: { offset: [0, 0, 0], radius: 0.1 } } }],
      colliderGroups: [{ name: 'head', colliders: [0] }],
      springs: [{ name: 'hair', joints: [{ node: HAIR, stiffness: 1 }, { node: TIP }], colliderGroups: [0] }],
    },
  };
  json.materials[1].extensions = {
    VRMC_materials_mtoon: { specVersion: '1.0', shadeMultiplyTexture: { index: 0 }, outlineWidthMode: 'none' },
  };
  json.nodes[nodeOf('leftToes')].extensions = {
    VRMC_node_constraint: {
      specVersion: '1.0',
      constraint: { rotation: { source: nodeOf('rightToes'), weight: 0.5 } },
    },
  };
  change(json);
  return packGlb(json, binary);
}
