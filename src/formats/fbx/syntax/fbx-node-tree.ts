// SPDX-License-Identifier: MIT
// FBX models as a tree of nodes with translation, rotation and scale, and their animation as keys of these. Most models multiply onto their
// parents as such nodes do. One whose inherit type keeps a parent's scale from it, or applies it after its own rotation, does so only while the
// scales above it are uniform; otherwise its world matrices are computed by the rules of FBX, and it hangs under the nearest node above
// in whose space it has no shear.
import { decomposeAffineInto, isSheared, makeAffineFactors } from '../../../core/math/decompose-affine.ts';
import { compose, invertAffine, multiply } from '../../../core/math/mat4.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { FbxModelTrack, FbxStack } from '../animation/fbx-animation.ts';
import type { FbxModel } from '../fbx-models.ts';
import { type FbxWorld, type LocalTransform, placeFbxInWorld, placeFbxModel } from '../fbx-transform.ts';
import { failFbx } from './fbx-node.ts';

/** Numbers that the world matrices of all models and frames may take. */
const MAX_WORLDS = 2 ** 24;

/** Scales closer than this, relative, count as uniform. */
const SAME_SCALE = 1e-9;

export interface FbxNodeTree {
  nodes: NodeTree;
  /** nodeCount x 16: world matrices at rest */
  worlds: Float64Array;
  /** By model: its node. */
  nodeOfModel: Int32Array;
}

/**
 * Makes the nodes of models, under a root node that takes the axes and the unit of the file to those of the scene, if they differ. Tracks of
 * models that are moved to another parent are replaced in the stacks.
 * @param root local transform of the root node
 */
export function makeFbxNodeTree(
  models: readonly FbxModel[],
  stacks: readonly FbxStack[],
  root: LocalTransform | undefined,
  log?: (message: string) => void,
): FbxNodeTree {
  const first = root ? 1 : 0;
  const count = models.length + first;
  const rest = models.map(({ transform }): LocalTransform => {
    const local = { translation: new Float64Array(3), rotation: new Float64Array(4), scale: new Float64Array(3) };
    placeFbxModel(transform, transform.translation, transform.rotation, transform.scaling, local);
    return local;
  });
  const parents = Int32Array.from(models, ({ parent }) => parent);
  hangSpecial(models, stacks, rest, parents, log);
  const nodes: NodeTree = {
    names: [...(root ? ['axes'] : []), ...models.map(({ object }) => object.name)],
    parents: new Int32Array(count).fill(-1),
    translations: new Float64Array(3 * count),
    rotations: new Float64Array(4 * count),
    scales: new Float64Array(3 * count),
  };
  const worlds = new Float64Array(16 * count);
  [...(root ? [root] : []), ...rest].forEach((local, n) => {
    nodes.translations.set(local.translation, 3 * n);
    nodes.rotations.set(local.rotation, 4 * n);
    nodes.scales.set(local.scale, 3 * n);
    if (n >= first) nodes.parents[n] = parents[n - first] < 0 ? first - 1 : parents[n - first] + first;
    compose(local.translation, local.rotation, local.scale, worlds, 0, 0, 0, 16 * n);
    if (nodes.parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * nodes.parents[n], 16 * n, 16 * n);
  });
  if (!worlds.every(Number.isFinite)) failFbx('value', 'the transforms of the models multiply to infinity');
  return { nodes, worlds, nodeOfModel: Int32Array.from(models, (_, n) => n + first) };
}

/** Gives models whose inherit type matters another parent and local transforms. */
function hangSpecial(
  models: readonly FbxModel[],
  stacks: readonly FbxStack[],
  rest: LocalTransform[],
  parents: Int32Array,
  log?: (message: string) => void,
): void {
  const special = listSpecial(models, stacks);
  if (special.length === 0) return;
  const frames: { stack?: FbxStack; k: number }[] = [{ k: 0 }];
  for (const stack of stacks) for (let k = 0; k < stack.times.length; k++) frames.push({ stack, k });
  if (frames.length * models.length * 16 > MAX_WORLDS) {
    log?.(`the inherit types of ${special.length} models are not applied: the animation is too long`);
    return;
  }
  const worlds = frames.map(({ stack, k }) => poseModels(models, rest, stack, k));
  const inverse = new Float64Array(16);
  const local = new Float64Array(16);
  const localInto = (m: number, above: number, f: number): boolean => {
    if (above < 0) for (let c = 0; c < 16; c++) local[c] = worlds[f][16 * m + c];
    else if (!invertAffine(worlds[f], inverse, 16 * above)) return false;
    else multiply(inverse, worlds[f], local, 0, 16 * m);
    return true;
  };
  let sheared = 0;
  for (const m of special) {
    const holds = (above: number): boolean => frames.every((_, f) => localInto(m, above, f) && !isSheared(local));
    let above = models[m].parent;
    while (above >= 0 && !holds(above)) above = models[above].parent;
    if (above < 0 && !holds(-1)) sheared++;
    parents[m] = above;
    const factors = makeAffineFactors();
    const write: WriteLocal = (to, f) => {
      localInto(m, above, f);
      decomposeAffineInto(local, factors, 0, true);
      to.translation.set(factors.translation);
      to.rotation.set(factors.rotation);
      to.scale.set(factors.scale);
    };
    write(rest[m], 0);
    let f = 1;
    for (const stack of stacks) {
      stack.models.set(m, makeTrack(stack.times.length, f, write));
      f += stack.times.length;
    }
  }
  if (sheared > 0) {
    const names = special.slice(0, 3).map((m) => quoteName(models[m].object.name));
    log?.(`${sheared} models are sheared by scales above them (${names.join(', ')}); the shear was left out`);
  }
}

/** Writes the transform of a model in a frame. */
type WriteLocal = (to: Record<'translation' | 'rotation' | 'scale', Float64Array>, frame: number) => void;

/** Keys of a model in all frames of a stack. Signs of quaternions follow the key before. */
function makeTrack(frameCount: number, first: number, write: WriteLocal): FbxModelTrack {
  const track: FbxModelTrack = {
    translations: new Float64Array(3 * frameCount),
    rotations: new Float64Array(4 * frameCount),
    scales: new Float64Array(3 * frameCount),
    isMoved: { translation: true, rotation: true, scale: true },
  };
  for (let k = 0; k < frameCount; k++) {
    const to = {
      translation: track.translations.subarray(3 * k, 3 * k + 3),
      rotation: track.rotations.subarray(4 * k, 4 * k + 4),
      scale: track.scales.subarray(3 * k, 3 * k + 3),
    };
    write(to, first + k);
    let dot = 0;
    for (let c = 0; c < 4 && k > 0; c++) dot += track.rotations[4 * k + c] * track.rotations[4 * k - 4 + c];
    if (dot < 0) for (let c = 0; c < 4; c++) track.rotations[4 * k + c] *= -1;
  }
  return track;
}

/** Models that do not simply multiply onto their parent in every frame. */
function listSpecial(models: readonly FbxModel[], stacks: readonly FbxStack[]): number[] {
  const isUnit = new Uint8Array(models.length);
  const isUniform = new Uint8Array(models.length);
  models.forEach(({ transform, parent }, m) => {
    const lists = [transform.scaling, ...stacks.flatMap(({ models: tracks }) => tracks.get(m)?.scales ?? [])];
    isUnit[m] = lists.every((list) => list.every((x) => Math.abs(x - 1) <= SAME_SCALE)) ? 1 : 0;
    const isOwnUniform = lists.every((list) => {
      for (let c = 0; c < list.length; c += 3)
        if (Math.abs(list[c + 1] - list[c]) + Math.abs(list[c + 2] - list[c]) > SAME_SCALE * Math.abs(list[c]))
          return false;
      return true;
    });
    isUniform[m] = isOwnUniform && (parent < 0 || isUniform[parent]) ? 1 : 0;
  });
  return [...models.keys()].filter((m) => {
    const { parent, transform } = models[m];
    if (parent < 0 || transform.inherit === 'RSrs') return false;
    return !isUniform[parent] || (transform.inherit === 'Rrs' && !isUnit[parent]);
  });
}

/** World matrices of all models in a frame, by the rules of FBX. */
function poseModels(
  models: readonly FbxModel[],
  rest: readonly LocalTransform[],
  stack: FbxStack | undefined,
  k: number,
): Float64Array {
  const worlds = new Float64Array(16 * models.length);
  const placed: FbxWorld[] = [];
  const locals: LocalTransform[] = [];
  models.forEach(({ parent, transform }, m) => {
    const track = stack?.models.get(m);
    const local = track
      ? {
          translation: track.translations.subarray(3 * k, 3 * k + 3),
          rotation: track.rotations.subarray(4 * k, 4 * k + 4),
          scale: track.scales.subarray(3 * k, 3 * k + 3),
        }
      : rest[m];
    locals.push(local);
    const above = parent < 0 ? undefined : { world: placed[parent], scaling: locals[parent].scale };
    placed.push(placeFbxInWorld(transform.inherit, local, above));
    worlds.set(placed[m].matrix, 16 * m);
  });
  return worlds;
}

/** Keys of the nodes. Tracks that stay at the rest value are left out; constant ones get one key. */
export function makeFbxTracks(stack: FbxStack, tree: FbxNodeTree): Animation {
  const times = Float32Array.from(stack.times);
  const tracks: Track[] = [];
  const { nodes, nodeOfModel } = tree;
  for (const [m, track] of stack.models) {
    const node = nodeOfModel[m];
    const put = (path: 'translation' | 'rotation' | 'scale', list: Float64Array, restList: Float64Array): void => {
      if (!track.isMoved[path]) return;
      const size = path === 'rotation' ? 4 : 3;
      const rest = restList.subarray(size * node, size * node + size);
      if (isConstant(list, size, rest)) return;
      const isStill = isConstant(list, size, list.subarray(0, size));
      if (isStill)
        tracks.push({
          node,
          path,
          interpolation: 'LINEAR',
          times: times.slice(0, 1),
          values: Float32Array.from(list.subarray(0, size)),
        });
      else if (track.isStepped?.[path]) tracks.push({ node, path, ...holdKeys(times, list, size) });
      else tracks.push({ node, path, interpolation: 'LINEAR', times, values: Float32Array.from(list) });
    };
    put('translation', track.translations, nodes.translations);
    put('rotation', track.rotations, nodes.rotations);
    put('scale', track.scales, nodes.scales);
  }
  return { name: stack.name, duration: times[times.length - 1], tracks };
}

/** Keys of a property that jumps: the first, each that is another than the one before, and the last. */
export function holdKeys(
  times: Float32Array,
  list: ArrayLike<number>,
  size: number,
): Pick<Track, 'interpolation' | 'times' | 'values'> {
  const kept = [...times.keys()].filter((k) => {
    if (k === 0 || k === times.length - 1) return true;
    for (let c = 0; c < size; c++) if (list[size * k + c] !== list[size * (k - 1) + c]) return true;
    return false;
  });
  return {
    interpolation: 'STEP',
    times: Float32Array.from(kept, (k) => times[k]),
    values: Float32Array.from(kept.flatMap((k) => Array.from({ length: size }, (_, c) => list[size * k + c]))),
  };
}

function isConstant(list: Float64Array, size: number, value: Float64Array): boolean {
  for (let c = 0; c < list.length; c++) if (list[c] !== value[c % size]) return false;
  return true;
}
