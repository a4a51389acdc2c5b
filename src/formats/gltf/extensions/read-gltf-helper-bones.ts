// SPDX-License-Identifier: MIT
import type { Document } from '@gltf-transform/core';
import type { AssetRig } from '../../../core/model/asset.ts';
import type { HelperController } from '../../../core/model/deformed/helper-bones.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { decodeHelperBone, HELPER_EXTENSION } from '../../../deformers/helper-bones/index.ts';
import { type DecodeBudget, label } from '../../../deformers/layout/index.ts';
import type { GltfNodes } from '../read/read-gltf-nodes.ts';
import type { GltfHelper } from './gltf-helper-extension.ts';

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
  const helpers = [...all.keys()].filter((n) => all[n].getExtension(HELPER_EXTENSION));
  const isHelper = new Set(helpers.flatMap(listBones));
  const controllers: HelperController[] = [];
  const notes = new Set<string>();
  for (const n of helpers) {
    const where = `${HELPER_EXTENSION} of node ${label(all[n].getName(), n)}`;
    const json = all[n].getExtension<GltfHelper>(HELPER_EXTENSION)!.getFacts();
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
