// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { HELPER_EXTENSION, HELPER_EXTENSION_VERSION, unpackHelperTerms } from '../extension/helper-bones.ts';
import type { AssetRig } from '../model/asset.ts';
import type { HelperController } from '../model/helper-bones.ts';
import { fail, indexField, integerField, label, numbersField, objectField } from './gltf-fields.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';

/** Most terms of a controller that is taken for one. */
const MOST_TERMS = 100_000;
/** The smallest reach that means anything, radians. */
const LEAST_REACH = 1e-9;

/**
 * Reads the controllers of OSSIFY_helper_bones, for the bones of a rig. Versions of the future are left alone, with a note, and so are helpers that are no joint
 * or read none: their keys play anyway.
 */
export function readGltfHelperBones(
  json: GLTF.IGLTF,
  nodes: GltfNodes,
  rig: AssetRig,
  log?: (message: string) => void,
): HelperController[] {
  const controllers: HelperController[] = [];
  const bonesAt = new Map<number, number[]>();
  rig.nodeOfBone.forEach((tree, bone) => {
    bonesAt.set(tree, [...(bonesAt.get(tree) ?? []), bone]);
  });
  const listBones = (node: number): number[] => bonesAt.get(nodes.treeOf[node]) ?? [];
  const defs = json.nodes ?? [];
  const isHelper = new Set<number>();
  defs.forEach((def, n) => {
    if (def.extensions?.[HELPER_EXTENSION] !== undefined) for (const bone of listBones(n)) isHelper.add(bone);
  });
  const notes = new Set<string>();
  defs.forEach((def, n) => {
    const value = def.extensions?.[HELPER_EXTENSION];
    if (value === undefined) return;
    const where = `${HELPER_EXTENSION} of node ${label(def.name, n)}`;
    const own = objectField(value, where);
    const version = integerField(own.version, `${where}: version`, 1);
    if (version !== HELPER_EXTENSION_VERSION) {
      notes.add(`${HELPER_EXTENSION} of version ${version} is not read; helpers play by their keys`);
      return;
    }
    if (!Array.isArray(own.inputs) || own.inputs.length > defs.length)
      fail('syntax', `${where}: inputs must be a list of joints, at most one per node`);
    if (!Array.isArray(own.terms) || own.terms.length > MOST_TERMS)
      fail('syntax', `${where}: terms must be a list of at most ${MOST_TERMS}`);
    const inputs = (own.inputs as unknown[]).map((input, i) => {
      const at = `${where}: inputs[${i}]`;
      const { node, reach } = objectField(input, at);
      const [angle] = numbersField([reach ?? Math.PI], `${at}.reach`, 1);
      if (!(angle > LEAST_REACH && angle <= Math.PI * (1 + 1e-6)))
        fail('value', `${at}.reach must be an angle up to half a turn`);
      return { node: indexField(node, defs.length, `${at}.node`, 'node'), reach: Math.min(angle, Math.PI) };
    });
    let unpacked: ReturnType<typeof unpackHelperTerms>;
    try {
      unpacked = unpackHelperTerms(own.terms as unknown[], inputs.length);
    } catch (error) {
      fail('value', `${where}: ${(error as Error).message}`);
    }
    for (const bone of listBones(n)) {
      const joints = inputs.map(({ node }) => listBones(node).find((joint) => !isHelper.has(joint)) ?? -1);
      const parent = rig.skeleton.parents[bone];
      if (parent < 0 || isHelper.has(parent) || joints.includes(-1)) {
        notes.add(`${where} reads or hangs on a node that is no joint; it plays by its keys`);
        continue;
      }
      controllers.push({
        bone,
        joints: Int32Array.from(joints),
        reaches: Float64Array.from(inputs, ({ reach }) => reach),
        ...unpacked!,
      });
    }
  });
  for (const note of notes) log?.(note);
  return controllers;
}

/** Joints that controllers name, beside those that are named already, by skin: they move something without any weight. Changed in place. */
export function nameHelperJointsInto(json: GLTF.IGLTF, named: Map<number, Set<number>>): void {
  const read = new Set<unknown>();
  (json.nodes ?? []).forEach((def, n) => {
    const value = def.extensions?.[HELPER_EXTENSION] as { inputs?: unknown } | undefined;
    if (typeof value !== 'object' || value === null) return;
    read.add(n);
    if (Array.isArray(value.inputs)) for (const input of value.inputs) read.add((input as { node?: unknown })?.node);
  });
  if (read.size === 0) return;
  (json.skins ?? []).forEach(({ joints }, skin) => {
    const own = named.get(skin) ?? new Set<number>();
    joints.forEach((node, j) => {
      if (read.has(node)) own.add(j);
    });
    if (own.size > 0) named.set(skin, own);
  });
}
