// SPDX-License-Identifier: MIT

import type { Document, Node, vec3, vec4 } from '@gltf-transform/core';
import {
  type AffineFactors,
  decomposeAffineInto,
  makeAffineFactors,
  SHEAR_TOLERANCE,
} from '../math/decompose-affine.ts';
import { invertAffine, multiply } from '../math/mat4.ts';
import { quaternionFromMatrix } from '../math/quaternion.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { InputError } from '../model/errors.ts';
import { boneCountOfMotion, type Motion } from '../model/motion.ts';
import { boneCountOf, type Skeleton } from '../model/skeleton.ts';
import { addGltfAnimation, keyTimesOf } from './add-gltf-animation.ts';
import { closeLoop, isLoop } from './close-loop.ts';
import { makeBoneBalls, measureJointReach } from './measure-joint-reach.ts';
import { type JointTrack, type JointTracks, keepJointKeys, thinJointKeys } from './thin-joint-keys.ts';

type JointLayout =
  /** Under its parent's joint: its local matrix is a translation, rotation and scale. */
  | 'parent'
  /** Under the root: its world matrix is of that kind, its local one is not. */
  | 'root'
  /** Two nodes under the root: the matrix is sheared. */
  | 'pair';

/**
 * Adds the bones of a skeleton under root as nodes at rest, and one animation per motion. A bone hangs on its parent where its local
 * matrix is translation, rotation and scale in every frame; a sheared bone is two nodes, A = U Σ Vᵀ. A motion that ends in the
 * pose it starts in ends with the bits it starts with.
 * @param tolerance maximum distance of the surface from the motion in its frames, for fewer keys; 0 keeps a key per frame
 * @returns by bone, the node that is its joint
 */
export function makeGltfJoints(document: Document, root: Node, model: SkinnedModel, tolerance = 0): Node[] {
  const { skeleton, motions, mesh } = model;
  const boneCount = boneCountOf(skeleton);
  for (const motion of motions) checkMotion(motion, boneCount);
  const worlds = makeWorlds(skeleton, motions);
  const frameCounts = motions.map((motion) => motion.times.length);
  const joints: Node[] = [];
  const aboves = new Int32Array(boneCount);
  const nodes: Node[][] = [];
  const moved: JointTracks[][] = motions.map(() => []);
  const local = new Float64Array(16);

  for (let j = 0; j < boneCount; j++) {
    const parent = skeleton.parents[j];
    const layout = chooseLayout(worlds, j, parent, local);
    const above = layout === 'parent' && parent >= 0 ? parent : -1;
    const outer = document.createNode(layout === 'pair' ? `${skeleton.names[j]} stretch` : skeleton.names[j]);
    const joint = layout === 'pair' ? document.createNode(skeleton.names[j]) : outer;
    (above >= 0 ? joints[above] : root).addChild(outer);
    if (joint !== outer) outer.addChild(joint);
    joints.push(joint);
    const limits = model.jointLimits?.[j];
    if (limits) joint.setExtras({ jointLimits: limits });
    aboves[j] = above;
    nodes.push([outer, outer, outer, joint]);

    const rest = makeAffineFactors();
    worlds.localInto(j, above, 0, local);
    decomposeAffineInto(local, rest, 0, layout !== 'pair');
    const restTurn = turnOf(rest);
    outer.setTranslation([...rest.translation] as vec3).setRotation([...rest.rotation] as vec4);
    outer.setScale([...rest.scale] as vec3);
    if (joint !== outer) joint.setRotation([...restTurn] as vec4);

    let frame = 1;
    motions.forEach((_, m) => {
      const count = frameCounts[m];
      const factors = copyFactors(rest);
      const translation = new Float32Array(count * 3);
      const rotation = new Float32Array(count * 4);
      const scale = new Float32Array(count * 3);
      const turn = new Float32Array(count * 4);
      for (let k = 0; k < count; k++) {
        worlds.localInto(j, above, frame++, local);
        decomposeAffineInto(local, factors, 0, layout !== 'pair');
        translation.set(factors.translation, k * 3);
        scale.set(factors.scale, k * 3);
        setContinuous(rotation, k, factors.rotation, rest.rotation);
        if (joint !== outer) setContinuous(turn, k, turnOf(factors), restTurn);
      }
      const tracks: JointTrack[] = [
        { path: 'translation', rest: rest.translation, values: translation },
        { path: 'rotation', rest: rest.rotation, values: rotation },
        { path: 'scale', rest: rest.scale, values: scale },
      ];
      if (joint !== outer) tracks.push({ path: 'rotation', rest: restTurn, values: turn });
      moved[m].push({ above, tracks });
    });
  }

  const balls = tolerance > 0 ? makeBoneBalls(model) : undefined;
  motions.forEach((motion, m) => {
    const times = keyTimesOf(motion.times, motion.name);
    if (isLoop(motion, mesh.positions)) closeLoop(moved[m]);
    const kept = balls
      ? thinJointKeys(moved[m], times, measureJointReach(balls, motion, skeleton.bindMatrices, aboves), tolerance)
      : keepJointKeys(moved[m]);
    const tracks = moved[m].flatMap((joint, j) =>
      joint.tracks.map(({ path, values }, n) => ({ node: nodes[j][n], path, values, kept: kept[j][n] })),
    );
    addGltfAnimation(document, motion.name, times, tracks);
  });
  return joints;
}

function checkMotion(motion: Motion, boneCount: number): void {
  if (motion.times.length === 0) throw new InputError('writeGlb', `the motion "${motion.name}" has no frames`);
  if (boneCountOfMotion(motion) !== boneCount)
    throw new InputError(
      'writeGlb',
      `the motion "${motion.name}" moves ${boneCountOfMotion(motion)} bones, the skeleton has ${boneCount}`,
    );
  for (let c = 0; c < motion.matrices.length; c++) {
    if (!Number.isFinite(motion.matrices[c])) {
      const k = Math.floor(c / (16 * boneCount));
      throw new InputError(
        'writeGlb',
        `frame ${k} of the motion "${motion.name}" has a bone matrix that is not finite`,
      );
    }
  }
}

interface Worlds {
  /** Frames in all, the bind pose first. */
  frameCount: number;
  /** Fills out with the matrix of bone j in frame k in the space of bone above (-1: model space). False when that has no inverse. */
  localInto(j: number, above: number, k: number, out: Float64Array): boolean;
}

/** Worlds of bones: the bind pose as frame 0, then every frame of every motion; world = (rest to posed) x bind. */
function makeWorlds(skeleton: Skeleton, motions: Motion[]): Worlds {
  const stride = skeleton.names.length * 16;
  const frames: { matrices: Float64Array; offset: number }[] = [];
  for (const motion of motions)
    for (let k = 0; k < motion.times.length; k++) frames.push({ matrices: motion.matrices, offset: k * stride });
  const inverse = new Float64Array(16);
  const worldInto = (j: number, k: number, out: Float64Array): void => {
    if (k === 0) for (let c = 0; c < 16; c++) out[c] = skeleton.bindMatrices[j * 16 + c];
    else multiply(frames[k - 1].matrices, skeleton.bindMatrices, out, frames[k - 1].offset + j * 16, j * 16);
  };
  return {
    frameCount: frames.length + 1,
    localInto(j, above, k, out) {
      worldInto(j, k, out);
      if (above < 0) return true;
      worldInto(above, k, inverse);
      if (!invertAffine(inverse, inverse)) return false;
      multiply(inverse, out, out);
      return true;
    },
  };
}

function chooseLayout(worlds: Worlds, j: number, parent: number, scratch: Float64Array): JointLayout {
  const holds = (above: number): boolean => {
    for (let k = 0; k < worlds.frameCount; k++)
      if (!worlds.localInto(j, above, k, scratch) || isSheared(scratch)) return false;
    return true;
  };
  if (holds(parent)) return 'parent';
  return parent >= 0 && holds(-1) ? 'root' : 'pair';
}

function isSheared(m: Float64Array): boolean {
  for (let p = 0; p < 2; p++) {
    for (let q = p + 1; q < 3; q++) {
      let dot = 0;
      for (let r = 0; r < 3; r++) dot += m[4 * p + r] * m[4 * q + r];
      const lengths =
        Math.hypot(m[4 * p], m[4 * p + 1], m[4 * p + 2]) * Math.hypot(m[4 * q], m[4 * q + 1], m[4 * q + 2]);
      if (Math.abs(dot) > SHEAR_TOLERANCE * lengths) return true;
    }
  }
  return false;
}

/** The rotation Vᵀ as a quaternion. */
function turnOf({ v }: AffineFactors): Float64Array {
  const out = new Float64Array(4);
  quaternionFromMatrix([v[0], v[3], v[6], 0, v[1], v[4], v[7], 0, v[2], v[5], v[8], 0, 0, 0, 0, 1], out);
  return out;
}

/** Starts a motion where the rest pose is. */
function copyFactors(from: AffineFactors): AffineFactors {
  const factors = makeAffineFactors();
  factors.v.set(from.v);
  factors.u.set(from.u);
  factors.mirror = from.mirror;
  return factors;
}

/** Stores key k with the sign that is nearer to the key before it, so that interpolation takes the short way. */
function setContinuous(values: Float32Array, k: number, q: Float64Array, rest: ArrayLike<number>): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += q[c] * (k > 0 ? values[(k - 1) * 4 + c] : rest[c]);
  for (let c = 0; c < 4; c++) values[k * 4 + c] = dot < 0 ? -q[c] : q[c];
}
