// SPDX-License-Identifier: MIT
import { Quaternion, Vector3 } from 'three';
import { HELPER_EXTENSION, HELPER_EXTENSION_VERSION, unpackHelperTerms } from '../extension/helper-bones.ts';
import type { SceneController } from './helper-skeleton.ts';

interface NodeDef {
  name?: string;
  children?: number[];
  extensions?: Record<string, Record<string, unknown>>;
}

/**
 * The controllers of a skin's helper bones. Helpers that read or hang on nodes that are no joints of the skin, and versions of the future, are left to their
 * keys, with a note.
 * @param joints nodes of the skin, in order
 */
export function readHelperControllers(
  nodes: readonly NodeDef[],
  joints: readonly number[],
  note: (message: string) => void,
): SceneController[] {
  const placeOf = new Map(joints.map((node, place) => [node, place]));
  const parentOf = new Map<number, number>();
  nodes.forEach(({ children }, node) => {
    for (const child of children ?? []) parentOf.set(child, node);
  });
  /** The nearest joint above. */
  const jointAbove = (node: number): number => {
    let above = parentOf.get(node);
    while (above !== undefined && !placeOf.has(above)) above = parentOf.get(above);
    return above === undefined ? -1 : placeOf.get(above)!;
  };
  const controllers: SceneController[] = [];
  joints.forEach((node, bone) => {
    const def = nodes[node].extensions?.[HELPER_EXTENSION];
    if (def === undefined) return;
    const where = `${HELPER_EXTENSION} of node "${nodes[node].name ?? node}"`;
    if (def.version !== HELPER_EXTENSION_VERSION) {
      note(`${where} is of version ${def.version}, which is not read; it plays by its keys`);
      return;
    }
    try {
      const inputs = (Array.isArray(def.inputs) ? def.inputs : []).map((input) => ({
        bone: placeOf.get(input.node) ?? -1,
        parent: input.parent === undefined ? -1 : (placeOf.get(input.parent) ?? -2),
        rest: new Quaternion(...numbersOf(input.rest, 4, 'rest', [0, 0, 0, 1])).normalize(),
        reach: Math.min(Math.PI, numbersOf([input.reach ?? Math.PI], 1, 'reach')[0]),
      }));
      const parent = jointAbove(node);
      if (parent < 0 || inputs.some((input) => input.bone < 0 || input.parent < -1)) {
        note(`${where} reads or hangs on a node that is no joint; it plays by its keys`);
        return;
      }
      controllers.push({
        ...{ bone, parent, inputs },
        translation: new Vector3(...numbersOf(def.translation, 3, 'translation', [0, 0, 0])),
        rotation: new Quaternion(...numbersOf(def.rotation, 4, 'rotation', [0, 0, 0, 1])).normalize(),
        scale: new Vector3(...numbersOf(def.scale, 3, 'scale', [1, 1, 1])),
        ...unpackHelperTerms(Array.isArray(def.terms) ? def.terms : [], inputs.length),
      });
    } catch (error) {
      note(`${where}: ${(error as Error).message}; it plays by its keys`);
    }
  });
  return controllers;
}

function numbersOf(value: unknown, count: number, name: string, otherwise?: number[]): number[] {
  if (value === undefined && otherwise) return otherwise;
  if (!Array.isArray(value) || value.length !== count || !value.every(Number.isFinite))
    throw new Error(`${name} must be ${count} finite numbers`);
  return value;
}
