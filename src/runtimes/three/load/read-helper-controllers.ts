// SPDX-License-Identifier: MIT
import { Quaternion, Vector3 } from 'three';
import { faultOf } from '../../../core/model/errors.ts';
import { decodeHelperBone, HELPER_EXTENSION } from '../../../deformers/helper-bones/index.ts';
import { type DecodeBudget, label } from '../../../deformers/layout/index.ts';
import type { SceneController } from '../helper-skeleton.ts';
import { listOf } from './load-extension.ts';

interface NodeDef {
  name?: string;
  children?: number[];
  extensions?: Record<string, unknown> | null;
}

/**
 * Reads the controllers of a skin's helper bones. Invalid controllers, other versions, and helpers whose inputs or parents are not joints of the skin
 * are animated by their keys, with a warning.
 * @param joints nodes of the skin, in order
 */
export function readHelperControllers(
  nodes: readonly NodeDef[],
  joints: readonly number[],
  budget: DecodeBudget,
  note: (message: string) => void,
): SceneController[] {
  const placeOf = new Map(joints.map((node, place) => [node, place]));
  const parentOf = new Map<number, number>();
  nodes.forEach((def, node) => {
    for (const child of listOf<number>(def?.children)) parentOf.set(child, node);
  });
  /** The nearest joint above. */
  const jointAbove = (node: number): number => {
    let above = parentOf.get(node);
    // Nodes that no scene shows may form a cycle.
    for (let step = 0; step < nodes.length && above !== undefined; step++) {
      const place = placeOf.get(above);
      if (place !== undefined) return place;
      above = parentOf.get(above);
    }
    return -1;
  };
  const controllers: SceneController[] = [];
  joints.forEach((node, bone) => {
    const json = nodes[node].extensions?.[HELPER_EXTENSION];
    if (json === undefined) return;
    const where = `${HELPER_EXTENSION} of node ${label(nodes[node].name, node)}`;
    try {
      const decoded = decodeHelperBone({ where, json, nodeCount: nodes.length, budget });
      // a skeleton is updated without a time: delayed helpers play by their keys
      if (decoded.follow) return;
      const inputs = decoded.inputs.map((input) => ({
        bone: placeOf.get(input.node) ?? -1,
        parent: input.parent === undefined ? -1 : (placeOf.get(input.parent) ?? -2),
        rest: new Quaternion().fromArray(input.rest),
        reach: input.reach,
      }));
      const parent = jointAbove(node);
      if (parent < 0 || inputs.some((input) => input.bone < 0 || input.parent < -1)) {
        note(`${where} reads or hangs on a node that is no joint; it plays by its keys`);
        return;
      }
      controllers.push({
        ...{ bone, parent, inputs, order: decoded.order, coefficients: decoded.coefficients },
        translation: new Vector3().fromArray(decoded.translation),
        rotation: new Quaternion().fromArray(decoded.rotation),
        scale: new Vector3().fromArray(decoded.scale),
      });
    } catch (error) {
      note(`${faultOf(error)}; it plays by its keys`);
    }
  });
  return controllers;
}
