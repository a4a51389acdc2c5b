// SPDX-License-Identifier: MIT
// Which models a scene needs. A model has one attribute: a node that is a joint and draws a mesh, or that has a camera and children, gets
// models below it. A skin ignores the node of its mesh in glTF; in FBX the mesh is where it was bound, so that its place is chosen here.
import { isSheared } from '../../../core/math/decompose-affine.ts';
import { IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Extras } from '../../../core/model/surface-look.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';
import { makeModelNames } from './fbx-plan-names.ts';
import { type FbxRotationFrame, middleOfRotations } from './motion/fbx-rotation-keys.ts';

/** A model to write. */
export interface PlannedModel {
  name: string;
  kind: 'Null' | 'LimbNode' | 'Mesh' | 'Camera' | 'Light';
  /** Index of a model before it, -1 at the top. */
  parent: number;
  /** Node whose transform it has; -1 for one that stays where its parent is. */
  node: number;
  /** Indices into the lists of the scene. */
  shape?: number;
  camera?: number;
  light?: number;
  extras?: Extras;
  /** World matrix at rest, in the numbers of the scene: 16 */
  world: Float64Array;
}

/** The models of a scene, and how its nodes turn. */
export interface FbxPlan {
  /** Parents before children. */
  models: PlannedModel[];
  /** By node: the model that has its transform, -1 for none. */
  modelOfNode: Int32Array;
  /** By shape: the model that draws it. */
  modelOfShape: Int32Array;
  /** By node. */
  frames: FbxRotationFrame[];
  /** By node: signs that the flip of its frame takes from the scale, 3. */
  signs: Int8Array[];
  joints: ReadonlySet<number>;
}

/** A place must be nearer by this factor and this distance to be preferred to one that is simpler. */
const NEARER = 0.9;
const SAME_PLACE = 1e-4;

const NO_TURN = Float64Array.of(0, 0, 0, 1);
const NO_SIGNS = Int8Array.of(1, 1, 1);

/** Plans the models of a scene. */
export function planFbxModels(scene: Scene, log?: (message: string) => void): FbxPlan {
  const { nodes, shapes, extras } = scene;
  const count = nodes.names.length;
  const worlds = worldsOfNodes(nodes);
  const facts = listFacts(scene);
  const models: PlannedModel[] = [];
  const modelOfNode = new Int32Array(count).fill(-1);
  const modelOfShape = new Int32Array(shapes.length).fill(-1);
  const put = (model: PlannedModel): number => {
    const index = models.push(model) - 1;
    if (model.shape !== undefined) modelOfShape[model.shape] = index;
    return index;
  };
  for (let n = 0; n < count; n++) {
    const world = worlds.slice(16 * n, 16 * n + 16);
    const parent = nodes.parents[n] < 0 ? -1 : modelOfNode[nodes.parents[n]];
    const [first] = facts.attached[n];
    const name = nodes.names[n] || (first ? nameOfAttached(scene, first, '') : '');
    const own: PlannedModel = { name, kind: 'Null', parent, node: n, world, extras: extras?.get(n) };
    const attached = facts.attached[n];
    const [only] = attached;
    const skin = only?.shape === undefined ? undefined : shapes[only.shape].skin;
    const isLeaf = !facts.isParent[n];
    if (facts.isLimb[n]) own.kind = 'LimbNode';
    // a mesh may have children; a skinned one is where it was bound, and cameras and lights are turned
    else if (attached.length === 1 && (isLeaf || (only.kind === 'Mesh' && !skin))) Object.assign(own, only);
    if (skin && own.kind === 'Mesh') Object.assign(own, placeSkinned(skin, worlds, facts.isMoved[n] ? undefined : own));
    const index = put(own);
    if (own.node >= 0) modelOfNode[n] = index;
    if (own.kind !== 'Null' && own.kind !== 'LimbNode') continue;
    for (const one of attached) {
      const bound = one.shape === undefined ? undefined : shapes[one.shape].skin;
      const place = bound ? placeSkinned(bound, worlds) : { parent: index, world };
      put({ ...one, name: nameOfAttached(scene, one, nodes.names[n]), node: -1, ...place });
    }
  }
  nameModels(models, log);
  const signs = Array.from({ length: count }, (_, n) => signsOf(nodes.scales.subarray(3 * n, 3 * n + 3)));
  const frames = signs.map(
    (own, n): FbxRotationFrame => ({ pre: middleOf(facts.turns[n], own) ?? NO_TURN, flip: turnOfSigns(own) }),
  );
  return { models, modelOfNode, modelOfShape, frames, signs, joints: facts.joints };
}

/** Bones keep their names before other nodes, and these before meshes and what hangs below a node. */
function nameModels(models: PlannedModel[], log?: (message: string) => void): void {
  const rankOf = ({ kind, node }: PlannedModel): number =>
    kind === 'LimbNode' ? 0 : node < 0 ? 3 : kind === 'Mesh' ? 2 : 1;
  const named = models.map((model) => ({ name: model.name, rank: rankOf(model), isMesh: model.kind === 'Mesh' }));
  makeModelNames(named, log).forEach((name, m) => {
    models[m].name = name;
  });
}

/** What a node carries besides its transform. */
type Attached = Pick<PlannedModel, 'kind' | 'shape' | 'camera' | 'light'>;

interface NodeFacts {
  joints: ReadonlySet<number>;
  /** Joints, and nodes between them. */
  isLimb: boolean[];
  isParent: boolean[];
  /** Whether the node or one above it is animated or a joint. */
  isMoved: boolean[];
  attached: Attached[][];
  /** Rotation tracks. */
  turns: Track[][];
}

function listFacts({ nodes, shapes, animations, cameras = [], lights = [] }: Scene): NodeFacts {
  const count = nodes.names.length;
  const joints = new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []));
  const isParent = new Array<boolean>(count).fill(false);
  const isAbove = new Array<boolean>(count).fill(false);
  for (let n = count - 1; n >= 0; n--) {
    const parent = nodes.parents[n];
    if (parent < 0) continue;
    isParent[parent] = true;
    if (joints.has(n) || isAbove[n]) isAbove[parent] = true;
  }
  const attached: Attached[][] = Array.from({ length: count }, () => []);
  shapes.forEach(({ node }, shape) => {
    attached[node].push({ kind: 'Mesh', shape });
  });
  cameras.forEach(({ node }, camera) => {
    attached[node].push({ kind: 'Camera', camera });
  });
  lights.forEach(({ node }, light) => {
    attached[node].push({ kind: 'Light', light });
  });
  const turns: Track[][] = Array.from({ length: count }, () => []);
  const isMoved = Array.from({ length: count }, (_, n) => joints.has(n));
  for (const { tracks } of animations)
    for (const track of tracks) {
      if (track.path === 'rotation') turns[track.node].push(track);
      if (track.path !== 'weights') isMoved[track.node] = true;
    }
  const isBelow = new Array<boolean>(count).fill(false);
  for (let n = 0; n < count; n++) {
    const parent = nodes.parents[n];
    if (parent < 0) continue;
    isBelow[n] = isBelow[parent] || joints.has(parent);
    isMoved[n] ||= isMoved[parent];
  }
  const isLimb = Array.from({ length: count }, (_, n) => joints.has(n) || (isBelow[n] && isAbove[n]));
  return { joints, isLimb, isParent, isMoved, attached, turns };
}

/** Where a model is. */
type Place = Pick<PlannedModel, 'parent' | 'node' | 'world'>;

/**
 * Places a skinned mesh so that the bind pose is near the pose of the file, which Blender relies on: at its node if nothing moves that, at the
 * origin, or where its first joint has it. Only the first hangs below other nodes: what moves must not carry the mesh.
 */
function placeSkinned(skin: SceneSkin, worlds: Float64Array, own?: Place): Place {
  const origin: Place = { parent: -1, node: -1, world: Float64Array.from(IDENTITY) };
  const joint = new Float64Array(16);
  multiply(worlds, skin.inverseBinds, joint, 16 * (skin.joints[0] ?? 0), 0);
  const fitted: Place[] = isSheared(joint) ? [] : [{ ...origin, world: joint }];
  const places = [...(own ? [own] : []), origin, ...fitted];
  let best = places[0];
  let least = distanceOf(best.world, skin, worlds);
  for (const place of places.slice(1)) {
    const distance = distanceOf(place.world, skin, worlds);
    if (distance < NEARER * least - SAME_PLACE) [best, least] = [place, distance];
  }
  return { parent: best.parent, node: best.node, world: best.world };
}

/** How far the bind pose of a mesh at a place is from the pose of the file, relative to its matrices. */
function distanceOf(place: Float64Array, { joints, inverseBinds }: SceneSkin, worlds: Float64Array): number {
  const bind = new Float64Array(16);
  let [sum, size] = [0, 0];
  joints.forEach((node, j) => {
    if (!invertAffine(inverseBinds, bind, 16 * j)) return;
    multiply(place, bind, bind);
    for (let c = 0; c < 16; c++) {
      sum += Math.abs(bind[c] - worlds[16 * node + c]);
      size += Math.abs(worlds[16 * node + c]);
    }
  });
  return size > 0 ? sum / size : 0;
}

function nameOfAttached({ shapes, cameras = [], lights = [] }: Scene, one: Attached, node: string): string {
  const own =
    one.shape !== undefined
      ? shapes[one.shape].mesh.name
      : one.camera !== undefined
        ? cameras[one.camera].name
        : lights[one.light ?? 0].name;
  return own || node;
}

/**
 * Signs to take from a scale so that at most x is negative. Programs that split matrices into scale and rotation find a mirror along x.
 */
function signsOf(scale: Float64Array): Int8Array {
  const [x, y, z] = scale.map((value) => (value < 0 ? -1 : 1));
  if (y > 0 && z > 0) return NO_SIGNS;
  // a half turn about an axis changes the signs of the two others
  if (y < 0 && z < 0) return Int8Array.of(1, -1, -1);
  return y < 0 ? Int8Array.of(-1, -1, 1) : Int8Array.of(-1 * Math.abs(x), 1, -1);
}

function turnOfSigns([x, y, z]: Int8Array): Float64Array {
  if (x > 0 && y > 0 && z > 0) return NO_TURN;
  return x > 0 ? Float64Array.of(1, 0, 0, 0) : y > 0 ? Float64Array.of(0, 1, 0, 0) : Float64Array.of(0, 0, 1, 0);
}

function middleOf(tracks: readonly Track[], signs: Int8Array): Float64Array | undefined {
  const middle = middleOfRotations(tracks);
  if (middle) multiplyQuaternions(middle, turnOfSigns(signs), middle);
  return middle;
}
