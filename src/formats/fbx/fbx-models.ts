// SPDX-License-Identifier: MIT

import { multiplyQuaternions } from '../../core/math/quaternion.ts';
import { type FbxTransform, readFbxTransform } from './fbx-transform.ts';
import { failFbx } from './syntax/fbx-node.ts';
import type { FbxObject } from './syntax/fbx-object.ts';
import type { FbxObjects } from './syntax/fbx-objects.ts';

/** A node of the scene. */
export interface FbxModel {
  object: FbxObject;
  /** Index of a model before it, -1 at the top. */
  parent: number;
  transform: FbxTransform;
  /** A camera or light whose rotation was changed to the axes of a scene. */
  isTurned: boolean;
}

/** From the axes of cameras and lights of FBX, which look along x and shine along −y, to those of a scene. */
const TURNS: Readonly<Record<string, Float64Array>> = {
  Camera: Float64Array.of(0, -Math.SQRT1_2, 0, Math.SQRT1_2),
  Light: Float64Array.of(-Math.SQRT1_2, 0, 0, Math.SQRT1_2),
};

/** Lists the models of a scene, parents first. */
export function listFbxModels({ objects, parentsOf }: FbxObjects): FbxModel[] {
  const models = objects.filter(({ kind }) => kind === 'Model');
  const below = new Map<FbxObject, FbxObject[]>();
  const parentOf = new Map<FbxObject, FbxObject>();
  const tops: FbxObject[] = [];
  for (const object of models) {
    const parent = parentsOf(object.id).find((link) => link.object.kind === 'Model' && link.property === '')?.object;
    if (!parent) {
      tops.push(object);
      continue;
    }
    parentOf.set(object, parent);
    const list = below.get(parent);
    if (list) list.push(object);
    else below.set(parent, [object]);
  }
  const out: FbxModel[] = [];
  const placeOf = new Map<FbxObject, number>();
  const stack = tops.reverse();
  for (let object = stack.pop(); object; object = stack.pop()) {
    const parent = parentOf.get(object);
    placeOf.set(object, out.length);
    const children = below.get(object) ?? [];
    const transform = readFbxTransform(object);
    const turn = children.length === 0 ? TURNS[object.type] : undefined;
    if (turn) multiplyQuaternions(transform.postInverse, turn, transform.postInverse);
    const place = parent ? (placeOf.get(parent) ?? -1) : -1;
    out.push({ object, parent: place, transform, isTurned: turn !== undefined });
    for (let c = children.length - 1; c >= 0; c--) stack.push(children[c]);
  }
  // what no top leads to goes round in a circle
  const lost = models.find((object) => !placeOf.has(object));
  if (lost) failFbx('hierarchy', `the parents of "${lost.name}" form a cycle`);
  return out;
}
