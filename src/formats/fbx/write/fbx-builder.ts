// SPDX-License-Identifier: MIT
import { fbxDouble, fbxLong, fbxNode, type PackedNode, type PackedValue } from '../syntax/fbx-pack.ts';

/** Time units per second. */
export const FBX_TICKS = 46_186_158_000;

/** Identifier of the scene. */
const SCENE = 0;
const FIRST_ID = 1_000_000;

/** A property of an object: name, type, label, flags, values. */
export type FbxProperty = readonly [
  name: string,
  type: string,
  label: string,
  flags: string,
  ...values: (PackedValue | number | string)[],
];

/** Collects the objects and connections of an FBX to write. */
export class FbxBuilder {
  readonly #objects: PackedNode[] = [];
  readonly #connections: PackedNode[] = [];
  #next = FIRST_ID;

  /** Adds an object, and returns its identifier. */
  add(kind: string, name: string, label: string, type: string, children: PackedNode[]): number {
    const id = this.#next++;
    this.#objects.push(fbxNode(kind, [fbxLong(id), `${name}\0\x01${label}`, type], children));
    return id;
  }

  /** Connects an object to another, to the scene, or to a property of another. */
  connect(child: number, parent: number = SCENE, property?: string): void {
    const values = [property === undefined ? 'OO' : 'OP', fbxLong(child), fbxLong(parent)];
    this.#connections.push(fbxNode('C', property === undefined ? values : [...values, property]));
  }

  /** The nodes of the file that describe its objects. */
  finish(): PackedNode[] {
    const counts = new Map<string, number>([['GlobalSettings', 1]]);
    for (const { name } of this.#objects) counts.set(name, (counts.get(name) ?? 0) + 1);
    const total = this.#objects.length + 1;
    return [
      fbxNode(
        'Definitions',
        [],
        [
          fbxNode('Version', [100]),
          fbxNode('Count', [total]),
          ...[...counts].map(([kind, count]) => fbxNode('ObjectType', [kind], [fbxNode('Count', [count])])),
        ],
      ),
      fbxNode('Objects', [], this.#objects),
      fbxNode('Connections', [], this.#connections),
    ];
  }
}

/** The list of properties of an object. */
export function fbxProperties(properties: readonly FbxProperty[]): PackedNode {
  return fbxNode(
    'Properties70',
    [],
    properties.map((values) => fbxNode('P', values)),
  );
}

/** A local translation, rotation or scaling. */
export function fbxVector(name: string, values: ArrayLike<number>): FbxProperty {
  return [name, name, '', 'A', fbxDouble(values[0]), fbxDouble(values[1]), fbxDouble(values[2])];
}

/** A time of a key that is this close to a frame is on it: a thousandth of a frame, and less than a jump takes. */
const ON_FRAME = 1e-3;
const NEAR_FRAME = 2e-5;

/** Seconds in time units, exactly on a frame where they are very close to one. */
export function fbxTicks(seconds: number, rate: number): number {
  const frame = Math.round(seconds * rate);
  const distance = Math.abs(seconds * rate - frame);
  return Math.round((distance < Math.min(ON_FRAME, NEAR_FRAME * rate) ? frame / rate : seconds) * FBX_TICKS);
}
