// SPDX-License-Identifier: MIT

import { sampleTrackInto, sizeOfTrack } from '../../core/keyframes/sample-track.ts';
import { compose, IDENTITY, invertAffine, multiply } from '../../core/math/mat4.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { boneCountOfMotion, type Motion } from '../../core/model/clip/motion.ts';
import { coefficientCountOf } from '../../core/model/deformed/skin-correction.ts';
import { InputError } from '../../core/model/errors.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import { sampleCorrectionInto } from '../corrections/index.ts';

/** Poses of an asset at the frames of an animation. */
export interface SampledAnimation {
  /** Bones of the asset's rig, rest to posed; no bones without a rig. */
  motion: Motion;
  /** frameCount x targetCount, in the order of asset.morphs.targets; empty without morphs */
  morphWeights: Float32Array;
  /** frameCount x coefficients of the asset's correction; empty without one, zero if the animation has none */
  corrections: Float32Array;
}

/**
 * Samples an animation of an asset at the given times: rest-to-posed matrices of all bones and weights of all morph targets.
 * Without an animation every frame is the nodes' rest pose. A bone whose bind matrix has no inverse (a part scaled to
 * nothing at rest) stays at rest.
 * @example
 * ```ts
 * import { poseOf } from 'ossify';
 * import { sampleAnimation } from 'ossify/deform';
 *
 * const { motion } = sampleAnimation(asset, asset.animations[0], [0, 0.5, 1]);
 * const bonesAtStart = poseOf(motion, 0); // boneCount x 16
 * ```
 */
export function sampleAnimation(
  asset: Asset,
  animation: Animation | undefined,
  times: ArrayLike<number>,
): SampledAnimation {
  if (animation?.motion) return samplePosed(asset, animation, animation.motion, times);
  const frameCount = times.length;
  const nodes = asset.nodes;
  const nodeCount = nodes.names.length;
  const nodeOfBone = asset.rig?.nodeOfBone ?? new Int32Array(0);
  const boneCount = nodeOfBone.length;
  const targets = asset.morphs?.targets ?? [];

  const inverseBinds = new Float64Array(boneCount * 16);
  const isInvertible = new Uint8Array(boneCount);
  const bindMatrices = asset.rig?.skeleton.bindMatrices ?? new Float64Array(0);
  for (let j = 0; j < boneCount; j++) {
    isInvertible[j] = invertAffine(bindMatrices, inverseBinds, j * 16, j * 16) ? 1 : 0;
  }

  // A pose of the nodes that tracks overwrite; nodes without a track keep their rest transforms.
  const posed: NodeTree = {
    ...nodes,
    translations: nodes.translations.slice(),
    rotations: nodes.rotations.slice(),
    scales: nodes.scales.slice(),
  };
  const weightsOfNode = makeRestWeights(asset);
  const tracks = (animation?.tracks ?? []).filter((track) => track.times.length > 0);
  for (const track of tracks) checkTrack(track, nodeCount, weightsOfNode);

  const worlds = new Float64Array(nodeCount * 16);
  const matrices = new Float64Array(frameCount * boneCount * 16);
  const morphWeights = new Float32Array(frameCount * targets.length);
  for (let k = 0; k < frameCount; k++) {
    for (const track of tracks) poseTrack(track, times[k], posed, weightsOfNode);
    worldMatricesInto(posed, worlds);
    for (let j = 0; j < boneCount; j++) {
      const o = (k * boneCount + j) * 16;
      if (isInvertible[j]) multiply(worlds, inverseBinds, matrices, nodeOfBone[j] * 16, j * 16, o);
      else for (let c = 0; c < 16; c++) matrices[o + c] = IDENTITY[c];
    }
    for (let n = 0; n < targets.length; n++) {
      morphWeights[k * targets.length + n] = weightsOfNode.get(targets[n].node)?.[targets[n].weight] ?? 0;
    }
  }
  return {
    motion: { name: animation?.name ?? asset.name, times: Float64Array.from(times), matrices },
    morphWeights,
    corrections: sampleCorrections(asset, animation, times),
  };
}

/** Matrices at the given times, linear between frames and clamped outside. Morph targets stay at rest. */
function samplePosed(asset: Asset, animation: Animation, motion: Motion, times: ArrayLike<number>): SampledAnimation {
  const stride = 16 * boneCountOfMotion(motion);
  const matrices = new Float64Array(times.length * stride);
  const last = motion.times.length - 1;
  for (let k = 0, from = 0; k < times.length; k++) {
    while (from > 0 && motion.times[from] > times[k]) from--;
    while (from + 1 < last && motion.times[from + 1] <= times[k]) from++;
    const to = Math.min(from + 1, last);
    const span = motion.times[to] - motion.times[from];
    const ratio = span > 0 ? Math.min(1, Math.max(0, (times[k] - motion.times[from]) / span)) : 0;
    for (let c = 0; c < stride; c++) {
      const [a, b] = [motion.matrices[from * stride + c], motion.matrices[to * stride + c]];
      matrices[k * stride + c] = (1 - ratio) * a + ratio * b;
    }
  }
  const targets = asset.morphs?.targets ?? [];
  const weights = makeRestWeights(asset);
  const rest = targets.map(({ node, weight }) => weights.get(node)?.[weight] ?? 0);
  return {
    motion: { name: animation.name, times: Float64Array.from(times), matrices },
    morphWeights: Float32Array.from({ length: times.length * rest.length }, (_, n) => rest[n % rest.length]),
    corrections: sampleCorrections(asset, animation, times),
  };
}

/** Coefficients of the animation's track: the track of the same index. */
function sampleCorrections(asset: Asset, animation: Animation | undefined, times: ArrayLike<number>): Float32Array {
  const { correction } = asset;
  if (!correction) return new Float32Array(0);
  const count = coefficientCountOf(correction);
  const out = new Float32Array(times.length * count);
  const track = animation && correction.tracks[asset.animations.indexOf(animation)];
  if (track) for (let k = 0; k < times.length; k++) sampleCorrectionInto(track, times[k], out, k * count);
  return out;
}

/** World matrices of all nodes in one pass: a parent comes before its children. worlds: nodeCount x 16 */
export function worldMatricesInto(nodes: NodeTree, worlds: Float64Array): void {
  for (let n = 0; n < nodes.names.length; n++) {
    compose(nodes.translations, nodes.rotations, nodes.scales, worlds, n * 3, n * 4, n * 3, n * 16);
    const parent = nodes.parents[n];
    if (parent >= 0) multiply(worlds, worlds, worlds, parent * 16, n * 16, n * 16);
  }
}

/** Weights per node at rest, one per target: from the file, or zero. */
function makeRestWeights(asset: Asset): Map<number, Float64Array> {
  const weightsOfNode = new Map<number, Float64Array>();
  const countOfNode = new Map<number, number>();
  for (const target of asset.morphs?.targets ?? []) {
    countOfNode.set(target.node, Math.max(countOfNode.get(target.node) ?? 0, target.weight + 1));
  }
  for (const [node, count] of countOfNode) weightsOfNode.set(node, new Float64Array(count));
  for (const rest of asset.morphs?.restWeights ?? []) {
    const weights = weightsOfNode.get(rest.node);
    if (weights) weights.set(rest.weights.subarray(0, weights.length));
  }
  return weightsOfNode;
}

function checkTrack(track: Track, nodeCount: number, weightsOfNode: Map<number, Float64Array>): void {
  if (!(track.node >= 0 && track.node < nodeCount)) {
    throw new InputError('sample animation', `a track moves node ${track.node} of ${nodeCount}`);
  }
  const size = sizeOfTrack(track);
  const expected = track.path === 'rotation' ? 4 : track.path === 'weights' ? weightsOfNode.get(track.node)?.length : 3;
  // Weights of a node without a mesh have no effect.
  if (expected !== undefined && size !== expected) {
    throw new InputError(
      'sample animation',
      `the ${track.path} track of node ${track.node} has ${size} numbers per key, expected ${expected}`,
    );
  }
}

function poseTrack(track: Track, time: number, posed: NodeTree, weightsOfNode: Map<number, Float64Array>): void {
  if (track.path === 'translation') sampleTrackInto(track, time, posed.translations, track.node * 3);
  else if (track.path === 'rotation') sampleTrackInto(track, time, posed.rotations, track.node * 4);
  else if (track.path === 'scale') sampleTrackInto(track, time, posed.scales, track.node * 3);
  else {
    const weights = weightsOfNode.get(track.node);
    if (weights) sampleTrackInto(track, time, weights);
  }
}
