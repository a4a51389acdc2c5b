// SPDX-License-Identifier: MIT
// Parameters of a file as joints that controllers read: custom properties that its animations change, weights of shapes, and nodes that move no vertex. A parameter p is a joint under the root
// that turns about its x axis by (p − rest) / range radians; a node is a joint with the rotation of the node. Such a joint carries no vertex. All run-times evaluate it like any other joint.

import { sampleTrackInto } from '../../core/keyframes/sample-track.ts';
import { compose, invertAffine, multiply } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions, quaternionFromRotationVector } from '../../core/math/quaternion.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Track } from '../../core/model/clip/animation.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { findMotion, sampleAnimation } from '../../deformers/playback/index.ts';

/** A parameter that is offered to controllers. */
export interface InputJoint {
  /** Name of the joint. */
  name: string;
  /** What it is: a JSON pointer, or the name of the shape or node. */
  source: string;
  /** Value at which the joint does not turn, and radians per unit; absent for the rotation of a node. */
  rest?: number;
  radiansPerUnit?: number;
}

/** An input with its rotation in every frame of every clip. */
interface Input extends InputJoint {
  /** frames of all clips x 4 */
  rotations: Float64Array;
}

/** Values that change by less, relative to the largest value, are constant. */
const MIN_CHANGE = 1e-6;
const MAX_INPUTS = 64;
const NONE = [0, 0, 0];
const ONES = [1, 1, 1];

/** Adds joints for the parameters of an asset to the skeleton that was found in its clips, and to its motions. */
export function addInputJoints(
  asset: Asset,
  clips: readonly Clip[],
  skeleton: Skeleton,
  motions: readonly Motion[],
  animation?: string,
): { skeleton: Skeleton; motions: Motion[]; inputs: InputJoint[] } {
  const inputs = asset.clips.length > 0 ? [] : listInputs(asset, clips, skeleton, animation).slice(0, MAX_INPUTS);
  if (inputs.length === 0) return { skeleton, motions: [...motions], inputs: [] };
  const [count, root] = [skeleton.names.length, skeleton.parents.indexOf(-1)];
  const all = count + inputs.length;
  const bindMatrices = new Float64Array(16 * all);
  bindMatrices.set(skeleton.bindMatrices);
  // at the origin of the root, along the axes of the model
  const bind = new Float64Array(16);
  for (let e = 0; e < 16; e += 5) bind[e] = 1;
  bind.set(skeleton.bindMatrices.subarray(16 * root + 12, 16 * root + 15), 12);
  const inverse = new Float64Array(16);
  invertAffine(bind, inverse);
  for (let n = 0; n < inputs.length; n++) bindMatrices.set(bind, 16 * (count + n));
  const turned = new Float64Array(16);
  let frame = 0;
  const widened = motions.map((motion) => {
    const matrices = new Float64Array(motion.times.length * all * 16);
    for (let k = 0; k < motion.times.length; k++, frame++) {
      const pose = matrices.subarray(k * all * 16, (k + 1) * all * 16);
      pose.set(motion.matrices.subarray(k * count * 16, (k + 1) * count * 16));
      for (const [n, { rotations }] of inputs.entries()) {
        compose(NONE, rotations, ONES, turned, 0, 4 * frame, 0);
        multiply(bind, turned, turned);
        multiply(turned, inverse, turned);
        multiply(pose, turned, pose, 16 * root, 0, 16 * (count + n));
      }
    }
    return { ...motion, matrices };
  });
  return {
    skeleton: {
      names: [...skeleton.names, ...inputs.map(({ name }) => name)],
      parents: Int32Array.from([...skeleton.parents, ...inputs.map(() => root)]),
      bindMatrices,
    },
    motions: widened,
    inputs: inputs.map(({ rotations: _rotations, ...input }) => input),
  };
}

/** All parameters that change in the clips. */
function listInputs(asset: Asset, clips: readonly Clip[], skeleton: Skeleton, animation?: string): Input[] {
  const list = new InputList(asset, clips, skeleton, animation);
  list.addProperties();
  list.addShapes();
  for (const node of listIdleNodes(asset)) list.addNode(node);
  return list.found;
}

class InputList {
  readonly found: Input[] = [];
  readonly #asset: Asset;
  readonly #clips: readonly Clip[];
  /** By clip, its animation. */
  readonly #chosen: readonly number[];
  readonly #frameCount: number;
  readonly #names: Set<string>;

  constructor(asset: Asset, clips: readonly Clip[], skeleton: Skeleton, animation?: string) {
    this.#asset = asset;
    this.#clips = clips;
    this.#chosen = clips.map((_, n) => (animation === undefined ? n : findMotion(asset, animation)));
    this.#frameCount = clips.reduce((sum, { times }) => sum + times.length, 0);
    this.#names = new Set(skeleton.names);
  }

  addProperties(): void {
    for (const { name, pointer, rest, tracks } of this.#asset.properties ?? []) {
      const value = new Float64Array(1);
      const values = this.#overFrames((n, times) =>
        Float64Array.from(times, (time) => {
          value[0] = rest;
          if (tracks[n]) sampleTrackInto(tracks[n], time, value);
          return value[0];
        }),
      );
      this.#addNumber(name, pointer, rest, values);
    }
  }

  /** Adds the weights of shapes; targets with one weight once. */
  addShapes(): void {
    const targets = this.#asset.morphs?.targets ?? [];
    if (targets.length === 0) return;
    const weights = this.#clips.map(({ times }, n) => weightsAt(this.#asset, this.#chosen[n], times));
    const seen = new Set<string>();
    for (const [t, { name, node, weight }] of targets.entries()) {
      if (seen.has(`${node} ${weight}`)) continue;
      seen.add(`${node} ${weight}`);
      const values = weights.flatMap((own) => Array.from(own).filter((_, e) => e % targets.length === t));
      this.#addNumber(name || `shape ${weight}`, `shape "${name || weight}"`, 0, Float64Array.from(values));
    }
  }

  /** Adds the translation of a node, by coordinate, and its rotation. */
  addNode(node: number): void {
    const { names, translations } = this.#asset.nodes;
    const name = names[node] || `node ${node}`;
    for (let c = 0; c < 3; c++) {
      const value = new Float64Array(3);
      const values = this.#overFrames((n, times) =>
        Float64Array.from(times, (time) => {
          value.set(translations.subarray(3 * node, 3 * node + 3));
          const track = this.#trackAt(n, node, 'translation');
          if (track) sampleTrackInto(track, time, value);
          return value[c];
        }),
      );
      this.#addNumber(`${name} ${'xyz'[c]}`, `node "${name}", translation`, translations[3 * node + c], values);
    }
    const rotations = this.#rotationsOf(node);
    if (rotations.some((x, e) => e % 4 < 3 && Math.abs(x) > MIN_CHANGE))
      this.found.push({ name: this.#unique(name), source: `node "${name}", rotation`, rotations });
  }

  /** frames of all clips x 4: the rotations of a node from rest */
  #rotationsOf(node: number): Float64Array {
    const { rotations: turns } = this.#asset.nodes;
    const back = new Float64Array(4);
    conjugateQuaternion(turns, back, 4 * node);
    return this.#overFrames((n, times) => {
      const own = new Float64Array(4 * times.length);
      const track = this.#trackAt(n, node, 'rotation');
      times.forEach((time, k) => {
        own.set(turns.subarray(4 * node, 4 * node + 4), 4 * k);
        if (track) sampleTrackInto(track, time, own, 4 * k);
        multiplyQuaternions(back, own, own, 0, 4 * k, 4 * k);
      });
      return own;
    });
  }

  #addNumber(name: string, source: string, rest: number, values: Float64Array): void {
    const range = values.reduce((most, value) => Math.max(most, Math.abs(value - rest)), 0);
    const size = values.reduce((most, value) => Math.max(most, Math.abs(value)), Math.abs(rest));
    const first = values[0];
    if (!values.some((value) => Math.abs(value - first) > MIN_CHANGE * size)) return;
    const rotations = new Float64Array(4 * this.#frameCount);
    const vector = new Float64Array(3);
    for (let k = 0; k < this.#frameCount; k++) {
      vector[0] = (values[k] - rest) / range;
      quaternionFromRotationVector(vector, rotations, 0, 4 * k);
    }
    this.found.push({ name: this.#unique(name), source, rest, radiansPerUnit: 1 / range, rotations });
  }

  #overFrames(valuesOf: (animation: number, times: Float64Array) => ArrayLike<number>): Float64Array {
    return Float64Array.from(this.#clips.flatMap(({ times }, n) => Array.from(valuesOf(this.#chosen[n], times))));
  }

  #trackAt(animation: number, node: number, path: string): Track | undefined {
    return this.#asset.animations[animation].tracks.find((track) => track.node === node && track.path === path);
  }

  #unique(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#names.has(name); n++) name = `${wanted} ${n}`;
    this.#names.add(name);
    return name;
  }
}

function weightsAt(asset: Asset, animation: number, times: Float64Array): Float32Array {
  return sampleAnimation(asset, asset.animations[animation], times).morphWeights;
}

/** Animated nodes that move no vertex: no bone follows them or a node below them. */
function listIdleNodes({ nodes, rig, animations }: Asset): number[] {
  const moves = new Uint8Array(nodes.names.length);
  for (const node of rig?.nodeOfBone ?? []) for (let n = node; n >= 0; n = nodes.parents[n]) moves[n] = 1;
  const animated = animations.flatMap(({ tracks }) => tracks.filter(({ path }) => path !== 'weights'));
  return [...new Set(animated.map(({ node }) => node))].filter((node) => !moves[node]).sort((a, b) => a - b);
}
