// SPDX-License-Identifier: MIT
// OSSIFY_helper_bones in a document: added by writers, read for the bones of a rig.
import type { Document, Node, vec3, vec4 } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { invertAffine, multiply } from '../../../core/math/mat4.ts';
import { orthonormalizeInto } from '../../../core/math/orthonormalize.ts';
import { quaternionFromMatrix } from '../../../core/math/quaternion.ts';
import type { AssetRig } from '../../../core/model/asset.ts';
import type {
  ConvertedRig,
  HelperBones,
  HelperController,
  HelperMotion,
} from '../../../core/model/deformed/helper-bones.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { LOCAL_SIZE, restRotationOf } from '../../../core/model/skin/rest-local.ts';
import {
  decodeHelperBone,
  HELPER_EXTENSION,
  packHelperFollow,
  packHelperTerms,
} from '../../../deformers/helper-bones/index.ts';
import { type DecodeBudget, label } from '../../../deformers/layout/index.ts';
import { disposeUnused } from '../document/add-accessor.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import type { GltfNodes } from '../read/read-gltf-nodes.ts';
import { addGltfAnimation, type GltfTrack } from '../write/add-gltf-animation.ts';
import { rebindGltfSkins } from '../write/skins/rebind-gltf-skins.ts';
import { type GltfHelper, GltfHelperExtension } from './gltf-helper-extension.ts';
import { addGltfSkinBlend } from './gltf-skin-blend.ts';

/**
 * Replaces the weights of the skinned pieces of a document by those of a converted rig, and adds its helper bones, keys and controllers. Changed in place.
 * @param nodeOfBone the node of a bone of the asset's rig
 */
export function addGltfConverted(
  document: Document,
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  nodeOfBone: (bone: number) => Node,
  { model, bones, motions, dropMorphs }: ConvertedRig,
): void {
  removeGltfHelperBones(document);
  if (dropMorphs) removeGltfMorphs(document);
  const jointOf = (bone: number): Node => nodeOfBone(bones[bone]);
  const helpers = makeGltfHelperNodes(document, model, jointOf);
  const nodeOf = (bone: number): Node => helpers.get(bone) ?? jointOf(bone);
  const { skeleton, skin } = model;
  const named = listReadBones(pieces, model);
  const bound = rebindGltfSkins(document, pieces, restMatrices, { skeleton, skin, named, nodeOf });
  if (model.blend) addGltfSkinBlend(document, bound, model.blend);
  addGltfHelperBones(document, model, nodeOf);
  addGltfHelperMotions(document, [...helpers.values()], motions);
}

/** A row per vertex. The first vertex of each primitive has all input bones and parents of controllers, and the bones of the blend, which must be joints of its skin. */
function listReadBones(pieces: readonly GltfPiece[], { skin, skeleton, controllers, blend }: HelperBones) {
  const read = new Set<number>([blend?.skin, blend?.normalSkin].flatMap((one) => (one ? [...one.boneIndices] : [])));
  for (const { bone, joints } of controllers) {
    for (const one of [bone, ...joints]) {
      read.add(one);
      if (skeleton.parents[one] >= 0) read.add(skeleton.parents[one]);
    }
  }
  const rowStart = new Uint32Array(skin.rowStart.length);
  const first = new Set(pieces.map(({ vertexStart }) => vertexStart));
  const sorted = [...read].sort((a, b) => a - b);
  const boneIndices: number[] = [];
  for (let i = 0; i + 1 < rowStart.length; i++) {
    if (first.has(i)) for (const bone of sorted) boneIndices.push(bone);
    rowStart[i + 1] = boneIndices.length;
  }
  return { rowStart, boneIndices: Uint32Array.from(boneIndices) };
}

/**
 * Adds a node for every helper of a model under the node of its parent, in its rest pose. Changed in place.
 * @param nodeOf the node of a joint of the model's skeleton
 * @returns the nodes of helpers, by bone of the model's skeleton
 */
function makeGltfHelperNodes(
  document: Document,
  model: HelperBones,
  nodeOf: (bone: number) => Node,
): Map<number, Node> {
  const made = new Map<number, Node>();
  for (const { bone } of model.controllers) {
    const { translation, rotation, scale } = restOf(model, bone);
    const node = document.createNode(model.skeleton.names[bone]);
    node.setTranslation(translation).setRotation(rotation).setScale(scale);
    nodeOf(model.skeleton.parents[bone]).addChild(node);
    made.set(bone, node);
  }
  return made;
}

/** Writes the controllers of a model on the nodes of its helpers, as OSSIFY_helper_bones. Changed in place. */
export function addGltfHelperBones(document: Document, model: HelperBones, nodeOf: (bone: number) => Node): void {
  if (model.controllers.length === 0) return;
  const extension = document.createExtension(GltfHelperExtension);
  const { parents } = model.skeleton;
  for (const controller of model.controllers) {
    const { joints, reaches, bone } = controller;
    const property = extension.createHelper().setFacts({
      ...packHelperFollow(controller),
      ...restOf(model, bone),
      inputs: [...joints].map((joint, n) => ({
        rest: rotationOf(restRotationOf(model.skeleton, joint)),
        reach: reaches[n],
      })),
      terms: packHelperTerms(controller),
    });
    joints.forEach((joint, n) => {
      property.setNode(n, 'node', nodeOf(joint));
      if (parents[joint] >= 0) property.setNode(n, 'parent', nodeOf(parents[joint]));
    });
    nodeOf(bone).setExtension(HELPER_EXTENSION, property);
  }
}

/** Adds keys of helpers to the animations of a document, by index. Changed in place. */
function addGltfHelperMotions(document: Document, helpers: readonly Node[], motions: readonly HelperMotion[]): void {
  const animations = document.getRoot().listAnimations();
  for (const { animation, times, locals } of motions) {
    const stored = keyTimesOf(times, animations[animation].getName());
    const all = Uint32Array.from(times.keys());
    const tracks: GltfTrack[] = helpers.flatMap((node, h) => {
      const pick = (from: number, size: number): Float32Array => {
        const out = new Float32Array(times.length * size);
        for (let k = 0; k < times.length; k++)
          for (let c = 0; c < size; c++) out[k * size + c] = locals[(k * helpers.length + h) * LOCAL_SIZE + from + c];
        return out;
      };
      const rotations = pick(3, 4);
      alignSigns(rotations);
      return [
        { node, path: 'translation' as const, values: pick(0, 3), kept: all },
        { node, path: 'rotation' as const, values: rotations, kept: all },
        { node, path: 'scale' as const, values: pick(7, 3), kept: all },
      ];
    });
    const added = addGltfAnimation(document, 'helpers', stored, tracks);
    for (const channel of added.listChannels()) animations[animation].addChannel(channel);
    for (const sampler of added.listSamplers()) animations[animation].addSampler(sampler);
    added.dispose();
  }
}

/** Removes morph targets from a document, with their channels. */
function removeGltfMorphs(document: Document): void {
  const root = document.getRoot();
  for (const animation of root.listAnimations())
    for (const channel of animation.listChannels()) {
      if (channel.getTargetPath() !== 'weights') continue;
      const sampler = channel.getSampler();
      channel.dispose();
      sampler?.dispose();
    }
  for (const node of root.listNodes()) node.setWeights([]);
  for (const mesh of root.listMeshes()) {
    const { targetNames: _names, ...extras } = mesh.getExtras();
    mesh.setWeights([]).setExtras(extras);
    for (const primitive of mesh.listPrimitives())
      for (const target of primitive.listTargets()) {
        const accessors = target.listAttributes();
        primitive.removeTarget(target);
        target.dispose();
        disposeUnused(document, accessors);
      }
  }
}

/** Removes helper bones of an earlier conversion from a document: their nodes, keys and controllers. */
function removeGltfHelperBones(document: Document): void {
  const root = document.getRoot();
  for (const animation of root.listAnimations())
    for (const channel of animation.listChannels()) {
      if (!channel.getTargetNode()?.getExtension(HELPER_EXTENSION)) continue;
      const sampler = channel.getSampler();
      channel.dispose();
      sampler?.dispose();
    }
  root
    .listExtensionsUsed()
    .find((extension) => extension.extensionName === HELPER_EXTENSION)
    ?.dispose();
}

/** Chooses signs by the rotation before, so that interpolation takes the short way. */
function alignSigns(rotations: Float32Array): void {
  for (let o = 4; o < rotations.length; o += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += rotations[o + c] * rotations[o - 4 + c];
    if (dot < 0) for (let c = 0; c < 4; c++) rotations[o + c] = -rotations[o + c];
  }
}

interface Transform {
  translation: vec3;
  rotation: vec4;
  scale: vec3;
}

/** A bone in its parent's space at rest. */
function restOf({ skeleton: { parents, bindMatrices } }: HelperBones, bone: number): Transform {
  const m = new Float64Array(16);
  invertAffine(bindMatrices, m, 16 * parents[bone]);
  multiply(m, bindMatrices, m, 0, 16 * bone);
  const scale = [0, 4, 8].map((c) => Math.hypot(m[c], m[c + 1], m[c + 2]));
  return { translation: [m[12], m[13], m[14]], rotation: rotationOf(m), scale: scale as vec3 };
}

function rotationOf(m: Float64Array): vec4 {
  orthonormalizeInto(m);
  const q: vec4 = [0, 0, 0, 1];
  quaternionFromMatrix(m, q);
  return q;
}

/**
 * Reads the controllers of OSSIFY_helper_bones, for the bones of a rig. Unsupported versions, and helpers or inputs that are not joints, are
 * ignored with a warning; such helpers are animated by their keys.
 */
export function readGltfHelperBones(
  document: Document,
  nodes: GltfNodes,
  rig: AssetRig,
  budget: DecodeBudget,
  log?: (message: string) => void,
): HelperController[] {
  const all = document.getRoot().listNodes();
  const bonesAt = new Map<number, number[]>();
  rig.nodeOfBone.forEach((tree, bone) => {
    const here = bonesAt.get(tree);
    if (here) here.push(bone);
    else bonesAt.set(tree, [bone]);
  });
  const listBones = (n: number): number[] => bonesAt.get(nodes.treeOf(all[n])) ?? [];
  const helpers = [...all.keys()].flatMap((n) => {
    const property = all[n].getExtension<GltfHelper>(HELPER_EXTENSION);
    return property ? [{ n, json: property.getFacts() }] : [];
  });
  const isHelper = new Set(helpers.flatMap(({ n }) => listBones(n)));
  const controllers: HelperController[] = [];
  const notes = new Set<string>();
  for (const { n, json } of helpers) {
    const where = `${HELPER_EXTENSION} of node ${label(all[n].getName(), n)}`;
    try {
      const { inputs, order, coefficients, follow } = decodeHelperBone({ where, json, nodeCount: all.length, budget });
      for (const bone of listBones(n)) {
        const joints = inputs.map(({ node }) => listBones(node).find((joint) => !isHelper.has(joint)) ?? -1);
        const parent = rig.skeleton.parents[bone];
        if (parent < 0 || isHelper.has(parent) || joints.includes(-1)) {
          notes.add(`${where} reads or hangs on a node that is no joint; it plays by its keys`);
          continue;
        }
        const reaches = Float64Array.from(inputs, ({ reach }) => reach);
        const controller = { bone, joints: Int32Array.from(joints), reaches, order, coefficients };
        controllers.push(follow ? { ...controller, follow } : controller);
      }
    } catch (error) {
      if (!(error instanceof FormatError && error.code === 'version')) throw error;
      notes.add(error.fault);
    }
  }
  for (const note of notes) log?.(note);
  return controllers;
}
