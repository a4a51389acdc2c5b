// SPDX-License-Identifier: MIT
// Constraints of FBX: what places a model by others. Properties that are not stated have the defaults of the FBX SDK.
import { quoteName } from '../../../core/model/plain-text.ts';
import { numberOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf, vectorProperty } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import type { NodeConstraint } from './bake-constraints.ts';

const KINDS: readonly (readonly [RegExp, NodeConstraint['kind']])[] = [
  [/^Position From Positions$/i, 'position'],
  [/^Rotation From Rotations$/i, 'rotation'],
  [/^Scale From Scales$/i, 'scale'],
  [/^Parent-Child$/i, 'parent'],
  [/^Aim$/i, 'aim'],
];

const ALL = [true, true, true] as const;

/** Directions that the up axis of an aim is turned to: the scene's, an object, the rotation of an object, a vector, none. */
const UP_KINDS = ['scene', 'object', 'objectRotation', 'vector', 'none'] as const;

/** Lists the active constraints of a file, in its order. A note names those of other kinds, such as inverse kinematics. */
export function listFbxConstraints(
  objects: FbxObjects,
  nodeOf: ReadonlyMap<string, number>,
  log?: (message: string) => void,
): NodeConstraint[] {
  const out: NodeConstraint[] = [];
  const others: FbxObject[] = [];
  for (const object of objects.objects) {
    if (object.kind !== 'Constraint' || numberProperty(object, 'Active', 1) === 0) continue;
    const kind = KINDS.find(([pattern]) => pattern.test(object.type))?.[1];
    const made = kind && readConstraint(objects, object, kind, nodeOf);
    if (made) out.push(made);
    else others.push(object);
  }
  if (others.length > 0) {
    const types = [...new Set(others.map(({ type }) => quoteName(type)))].join(', ');
    log?.(
      `${others.length === 1 ? 'a constraint is' : `${others.length} constraints are`} not applied (${types}): bake the animation in the program that made the file`,
    );
  }
  return out;
}

function readConstraint(
  objects: FbxObjects,
  object: FbxObject,
  kind: NodeConstraint['kind'],
  nodeOf: ReadonlyMap<string, number>,
): NodeConstraint | undefined {
  const links = objects.childrenOf(object.id);
  const nodesAt = (pattern: RegExp) =>
    links.flatMap(({ object: model, property }) => {
      const node = pattern.test(property) ? nodeOf.get(model.id) : undefined;
      return node === undefined ? [] : [{ node, weight: weightOf(object, model) }];
    });
  const [constrained] = nodesAt(/^Constrained Object/i);
  const sources = nodesAt(kind === 'aim' ? /^Aim At Object/i : /^Source/i).filter(({ weight }) => weight > 0);
  if (!constrained || sources.length === 0) return undefined;
  const axes = (name: string): [boolean, boolean, boolean] => {
    const has = (axis: string): boolean => numberProperty(object, `Affect${name}${axis}`, 1) !== 0;
    return [has('X'), has('Y'), has('Z')];
  };
  const turns = kind === 'parent' ? axes('Rotation') : axes('');
  // angles about some axes only depend on their order in the program
  if ((kind === 'parent' || kind === 'rotation' || kind === 'aim') && !turns.every(Boolean)) return undefined;
  const up = UP_KINDS[numberProperty(object, 'WorldUpType', 0)] ?? 'scene';
  const [upNode] = nodesAt(/^World Up Object/i);
  return {
    ...{ kind, node: constrained.node, sources },
    translates: kind === 'position' ? axes('') : kind === 'parent' ? axes('Translation') : ALL,
    scales: kind === 'scale' ? axes('') : ALL,
    ...(kind === 'aim'
      ? {
          aim: {
            direction: directionOf(object, 'AimVector', [1, 0, 0]),
            up: directionOf(object, 'UpVector', [0, 1, 0]),
            upKind: up,
            world: directionOf(object, 'WorldUpVector', [0, 1, 0]),
            ...(upNode ? { upNode: upNode.node } : {}),
          },
        }
      : {}),
  };
}

/** Percent by the name of a source, as a number from zero on. */
function weightOf(object: FbxObject, { name }: FbxObject): number {
  const value = numberOfFbx(propertyOf(object, `${name}.Weight`)?.[0]);
  return value === undefined || !Number.isFinite(value) ? 1 : Math.max(0, value / 100);
}

function directionOf(object: FbxObject, name: string, fallback: readonly number[]): Float64Array {
  const own = propertyOf(object, name) ? vectorProperty(object, name, 0) : Float64Array.from(fallback);
  return own.some((x) => x !== 0) ? own : Float64Array.from(fallback);
}
