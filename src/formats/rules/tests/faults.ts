// SPDX-License-Identifier: MIT
// Faults that users bring, each made of the good character.
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import type { TargetName } from '../../targets/index.ts';
import { BODY, EYES, HAT, PNG } from './make-character.ts';
import { bodyOf, type OpenGlb, spoilGlb, spoilScene } from './spoil.ts';

/** What a repaired file is compared with: the file as its reader shows it, or the good character. */
type Against = 'before' | 'good';

export interface SeededFault {
  name: string;
  /** One of these rules finds it. */
  rules: readonly string[];
  make(): Promise<Uint8Array>;
  /** Whether and against what the repair is measured; absent if there is none. */
  fixed?: Against;
  target?: TargetName;
  /** What the repair changes on purpose: all lengths, or the times of keys. */
  scale?: number;
  shift?: number;
  /** Degrees about x that the repair turns the character by. */
  turn?: number;
  /** Extension of the file; default .glb */
  extension?: string;
}

const setAt = <T extends ArrayLike<number>>(list: T, at: number, values: readonly number[]): T => {
  const made = (list as unknown as Float64Array).slice();
  made.set(values, at);
  return made as unknown as T;
};
const withNodes = (scene: Scene, nodes: Partial<NodeTree>): Scene => ({
  ...scene,
  nodes: { ...scene.nodes, ...nodes },
});
const withNames = (scene: Scene, node: number, name: string): Scene =>
  withNodes(scene, { names: scene.nodes.names.map((own, n) => (n === node ? name : own)) });
const withShape = (scene: Scene, s: number, change: Partial<SceneShape>): Scene => ({
  ...scene,
  shapes: scene.shapes.map((shape, n) => (n === s ? { ...shape, ...change } : shape)),
});
const withImage = (scene: Scene, bytes: Uint8Array, type = 'image/png'): Scene => ({
  ...scene,
  look: {
    ...scene.look,
    images: scene.look.images.map((image, n) => (n === 0 ? { ...image, bytes, type } : image)),
  },
});

/** A PNG whose header states another size. */
function sizedPng(width: number, height: number): Uint8Array {
  const bytes = PNG.slice();
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

/** The weights, joints and other attributes of the body. */
const attribute = (glb: OpenGlb, name: string): Float32Array => glb.floats(bodyOf(glb).attributes[name]);

/** The keys of the first animation: times and values of a path. */
function keysOf({ json, floats }: OpenGlb, path: string): { times: Float32Array; values: Float32Array } {
  const { channels, samplers } = json.animations?.[0] ?? { channels: [], samplers: [] };
  const channel = channels.find(({ target }) => target.path === path);
  const { input, output } = samplers[channel?.sampler ?? 0];
  return { times: floats(input), values: floats(output) };
}

const glb = (
  name: string,
  rule: string | readonly string[],
  change: (glb: OpenGlb) => void,
  more: Partial<SeededFault> = { fixed: 'before' },
): SeededFault => ({ name, rules: typeof rule === 'string' ? [rule] : rule, make: () => spoilGlb(change), ...more });

const scene = (
  name: string,
  rule: string | readonly string[],
  change: (scene: Scene) => Scene,
  more: Partial<SeededFault> = { fixed: 'before' },
): SeededFault => ({ name, rules: typeof rule === 'string' ? [rule] : rule, make: () => spoilScene(change), ...more });

const FOUND: Partial<SeededFault> = {};
const GOOD: Partial<SeededFault> = { fixed: 'good' };

const WEIGHTS: readonly SeededFault[] = [
  glb('a weight that is not a number', 'weight-number', (file) => attribute(file, 'WEIGHTS_0').set([Number.NaN], 41)),
  glb('a negative weight', 'weight-number', (file) => attribute(file, 'WEIGHTS_0').set([-0.25], 41)),
  glb('weights that do not sum to one', 'weight-sum', (file) => {
    const weights = attribute(file, 'WEIGHTS_0');
    for (let c = 40; c < 44; c++) weights[c] /= 2;
  }),
  glb('a vertex without weights', 'weight-missing', (file) => attribute(file, 'WEIGHTS_0').fill(0, 40, 44)),
  scene(
    'five influences where four are played',
    'web-influences',
    (own) => {
      const shape = own.shapes[0];
      const count = shape.mesh.positions.length / 3;
      const row = [0.5, 0.25, 0.15, 0.1 - 1e-6, 1e-6];
      const weights = makeSkin(
        Array.from({ length: 5 * count }, (_, c) => 1 + (c % 5)),
        Array.from({ length: 5 * count }, (_, c) => row[c % 5]),
        5,
      );
      return withShape(own, 0, { skin: { ...(shape.skin ?? never()), weights } });
    },
    { fixed: 'before', target: 'web' },
  ),
  glb(
    'a joint that the skin does not have',
    ['joint-index', 'unreadable'],
    (file) => {
      file.integers(bodyOf(file).attributes.JOINTS_0)[40] = 77;
    },
    FOUND,
  ),
  scene('joints that move nothing', 'joint-unused', (own) => addJoints(own, 3)),
  scene('more joints than engines index by a byte', 'joint-count', (own) => addJoints(own, 300), FOUND),
];

function never(): never {
  throw new Error('the body has a skin');
}

/** Adds joints without weight below the root. */
function addJoints(own: Scene, count: number): Scene {
  const { nodes } = own;
  const first = nodes.names.length;
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const grown = withNodes(own, {
    names: [...nodes.names, ...Array.from({ length: count }, (_, n) => `extra ${n}`)],
    parents: Int32Array.from([...nodes.parents, ...new Array<number>(count).fill(0)]),
    translations: Float64Array.from([...nodes.translations, ...new Array<number>(3 * count).fill(0)]),
    rotations: Float64Array.from([
      ...nodes.rotations,
      ...Array.from({ length: 4 * count }, (_, c) => (c % 4 === 3 ? 1 : 0)),
    ]),
    scales: Float64Array.from([...nodes.scales, ...new Array<number>(3 * count).fill(1)]),
  });
  const { skin = never() } = own.shapes[0];
  const joints = [...skin.joints, ...Array.from({ length: count }, (_, n) => first + n)];
  const added = Array.from({ length: count }, () => identity).flat();
  return withShape(grown, 0, {
    skin: { ...skin, joints, inverseBinds: Float64Array.from([...skin.inverseBinds, ...added]) },
  });
}

const BINDS: readonly SeededFault[] = [
  glb(
    'an inverse bind matrix that is not a number',
    'bind-missing',
    (file) => {
      file.floats(file.json.skins?.[0].inverseBindMatrices ?? 0)[20] = Number.NaN;
    },
    GOOD,
  ),
  glb(
    'no inverse bind matrices',
    'bind-lost',
    ({ json }) => {
      for (const skin of json.skins ?? []) delete skin.inverseBindMatrices;
    },
    GOOD,
  ),
  glb(
    'an inverse bind matrix of zeros',
    'bind-missing',
    (file) => {
      file.floats(file.json.skins?.[0].inverseBindMatrices ?? 0).fill(0, 32, 47);
    },
    GOOD,
  ),
  scene(
    'a rest pose away from the bind pose',
    'bind-pose',
    (own) => withNodes(own, { rotations: setAt(own.nodes.rotations, 8, [0, 0, 0.6, 0.8]) }),
    FOUND,
  ),
];

const LOOK: readonly SeededFault[] = [
  glb('a missing texture', 'image-missing', ({ json }) => {
    json.images = [{ uri: 'lost.png' }, ...(json.images ?? []).slice(1)];
  }),
  glb('an absolute texture path', 'image-missing', ({ json }) => {
    json.images = [{ uri: '/home/anna/skin.png' }, ...(json.images ?? []).slice(1)];
  }),
  glb('a texture on a drive', 'image-missing', ({ json }) => {
    json.images = [{ uri: 'C:\\art\\skin.png' }, ...(json.images ?? []).slice(1)];
  }),
  glb('a texture outside of the folder', 'image-missing', ({ json }) => {
    json.images = [{ uri: '../../skin.png' }, ...(json.images ?? []).slice(1)];
  }),
  scene('a huge image', 'image-size', (own) => withImage(own, sizedPng(16384, 16384)), FOUND),
  scene('an image that is no power of two', 'image-power', (own) => withImage(own, sizedPng(300, 200)), FOUND),
  scene('an image that is none', 'image-damaged', (own) => withImage(own, new Uint8Array(64).fill(7))),
  scene(
    'an image of a type that few programs read',
    'image-type',
    (own) => {
      const bytes = new Uint8Array(64);
      bytes.set([0x42, 0x4d]);
      return withImage(own, bytes, 'image/bmp');
    },
    FOUND,
  ),
  scene('an image that no material shows', 'image-unused', (own) => {
    const images = [...own.look.images, { type: 'image/png', bytes: PNG.slice(), name: 'old' }];
    return { ...own, look: { ...own.look, images } };
  }),
  scene('a material that no mesh has', 'material-unused', (own) => {
    const materials = [...own.look.materials, { ...own.look.materials[0], name: 'old' }];
    return { ...own, look: { ...own.look, materials } };
  }),
  glb('a colour above one', 'material-range', ({ json }) => {
    for (const { pbrMetallicRoughness } of json.materials ?? [])
      if (pbrMetallicRoughness) pbrMetallicRoughness.baseColorFactor = [3, 1, 1, 1];
  }),
];

const NAMES: readonly SeededFault[] = [
  scene('two joints of one name', 'name-duplicate', (own) => withNames(own, 5, 'foot_l')),
  scene('two animations of one name', 'name-duplicate', (own) => ({
    ...own,
    animations: own.animations.map((animation) => ({ ...animation, name: 'walk' })),
  })),
  glb('two materials of one name', 'name-duplicate', ({ json }) => {
    for (const material of json.materials ?? []) material.name = 'skin';
  }),
  scene('two morph targets of one name', 'name-duplicate', (own) =>
    withShape(own, 0, { targets: own.shapes[0].targets.map((target) => ({ ...target, name: 'smile' })) }),
  ),
  scene('a joint without a name', 'name-empty', (own) => withNames(own, 2, '')),
  scene('a name with control characters', 'name-characters', (own) => withNames(own, 2, 'spi\u0007ne')),
  scene('a name that the engine does not allow', 'unreal-names', (own) => withNames(own, 2, 'spine.01 / upper'), {
    ...{ fixed: 'before', target: 'unreal', extension: '.glb' },
  }),
];

/** Scales the space of all joints below the root: the root has the inverse. */
function scaleRoot(own: Scene, scale: readonly [number, number, number]): Scene {
  const translations = own.nodes.translations.slice();
  // all but the root itself and the nodes of the skinned meshes
  for (let c = 3; c < 3 * BODY; c++) translations[c] /= scale[c % 3];
  const scales = setAt(own.nodes.scales, 0, scale);
  // the hat is rigid: its own scale takes it back
  scales.set(
    scale.map((x) => 1 / x),
    3 * HAT,
  );
  const shapes = own.shapes.map((shape) => {
    if (!shape.skin) return shape;
    const inverseBinds = shape.skin.inverseBinds.map((x, c) => (c % 4 === 3 ? x : x / scale[c % 4]));
    return { ...shape, skin: { ...shape.skin, inverseBinds } };
  });
  return { ...withNodes(own, { translations, scales }), shapes };
}

const NODES: readonly SeededFault[] = [
  scene('a root scaled by 100', 'root-scale', (own) => scaleRoot(own, [100, 100, 100])),
  scene('a root scaled by 0.01, for Unity', 'unity-scale', (own) => scaleRoot(own, [0.01, 0.01, 0.01]), {
    ...{ fixed: 'before', target: 'unity' },
  }),
  scene('a mirrored skeleton', 'scale-negative', (own) => scaleRoot(own, [-1, 1, 1])),
  scene('a mirrored mesh', 'scale-negative', (own) =>
    withNodes(own, { scales: setAt(own.nodes.scales, 3 * HAT, [-1, 1, 1]) }),
  ),
  scene(
    'a joint of scale zero',
    'scale-zero',
    (own) => withNodes(own, { scales: setAt(own.nodes.scales, 3 * 6, [0, 0, 0]) }),
    GOOD,
  ),
  scene(
    'a sheared joint',
    ['joint-shear'],
    (own) =>
      withNodes(own, {
        scales: setAt(own.nodes.scales, 3, [1, 2, 1]),
        rotations: setAt(own.nodes.rotations, 8, [0, 0, 0.6, 0.8]),
      }),
    FOUND,
  ),
  scene('two roots', 'skeleton-roots', (own) => {
    const translations = setAt(own.nodes.translations, 12, [0.15, 0.1, 0]);
    return withNodes(own, { parents: setAt(own.nodes.parents, 4, [-1]), translations });
  }),
  scene(
    'two roots, for Unreal',
    'unreal-root',
    (own) => {
      const translations = setAt(own.nodes.translations, 12, [0.15, 0.1, 0]);
      return withNodes(own, { parents: setAt(own.nodes.parents, 4, [-1]), translations });
    },
    { fixed: 'before', target: 'unreal' },
  ),
  scene('a root of another name', 'unreal-root', (own) => withNames(own, 0, 'Armature'), {
    ...{ fixed: 'before', target: 'unreal' },
  }),
  scene(
    'a turned root',
    'unreal-root',
    (own) => withNodes(own, { rotations: setAt(own.nodes.rotations, 0, [0, 0.6, 0, 0.8]) }),
    { fixed: 'before', target: 'unreal' },
  ),
  glb('a rotation of length zero', 'rotation-zero', ({ json }) => {
    const hat = json.nodes?.find(({ name }) => name === 'hat node');
    if (hat) hat.rotation = [0, 0, 0, 0];
  }),
  glb('a skinned mesh whose node is moved', 'skinned-node', ({ json }) => {
    const body = json.nodes?.find(({ name }) => name === 'body node');
    if (body) body.translation = [0, 3, 0];
  }),
  scene(
    'a node without use',
    'node-unused',
    (own) => {
      const {
        shapes: [body],
        ...rest
      } = own;
      return { ...rest, shapes: [body] };
    },
    FOUND,
  ),
  glb(
    'a node that is its own ancestor',
    ['unreadable', 'node-loop'],
    ({ json }) => {
      const nodes = json.nodes ?? [];
      const head = nodes.findIndex(({ name }) => name === 'head');
      const hips = nodes.findIndex(({ name }) => name === 'hips');
      nodes[head].children = [hips];
    },
    FOUND,
  ),
  glb('a root of the skin that is not above its joints', 'skeleton-node', ({ json }) => {
    const eyes = (json.nodes ?? []).findIndex(({ name }) => name === 'eyes node');
    for (const skin of json.skins ?? []) skin.skeleton = eyes;
  }),
  glb('a root that the file does not have', 'reference', ({ json }) => {
    for (const skin of json.skins ?? []) skin.skeleton = 999;
  }),
];

export const SCENE_FAULTS: readonly SeededFault[] = [...WEIGHTS, ...BINDS, ...LOOK, ...NAMES, ...NODES];
export { attribute, BODY, EYES, FOUND, GOOD, glb, keysOf, scene, setAt, withNodes, withShape };
