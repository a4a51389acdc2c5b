// SPDX-License-Identifier: MIT
import { isObject, type Json, objectsOf } from './json-walk.ts';

/** A place where an avatar breaks a rule of VRM. */
export interface VrmFault {
  /** The rule, a short name. */
  rule: string;
  /** The place in the JSON. */
  where: string;
  /** What is wrong, a sentence without capital and full stop. */
  message: string;
}

/** The lists of a glTF that avatars refer to. */
const LISTS = ['nodes', 'meshes', 'materials', 'textures', 'images'] as const;
type List = (typeof LISTS)[number];

/** A glTF with the faults that were found in its avatar. */
export class VrmCheck {
  readonly faults: VrmFault[] = [];
  readonly json: Json;
  readonly nodes: readonly Json[];
  /** By node, -1 for roots. */
  readonly parents: Int32Array;
  readonly #counts: Record<List, number>;

  constructor(json: Json) {
    this.json = json;
    this.nodes = objectsOf(json.nodes);
    this.#counts = Object.fromEntries(LISTS.map((list) => [list, objectsOf(json[list]).length])) as Record<
      List,
      number
    >;
    this.parents = new Int32Array(this.nodes.length).fill(-1);
    this.nodes.forEach(({ children }, n) => {
      if (Array.isArray(children))
        for (const child of children) if (child < this.parents.length) this.parents[child] = n;
    });
  }

  add(rule: string, where: string, message: string): void {
    this.faults.push({ rule, where, message });
  }

  /** Notes an index without an item; returns whether it has one. */
  index(value: unknown, list: List, where: string): value is number {
    const count = this.#counts[list];
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < count) return true;
    this.add('index', where, `names ${list}[${String(value)}], but the file has ${count}`);
    return false;
  }

  /** Notes a value that is not one of a list. */
  choice(value: unknown, choices: readonly string[], where: string): void {
    if (value !== undefined && !choices.includes(value as string))
      this.add('value', where, `must be one of ${choices.join(', ')}`);
  }

  /** Notes numbers of another length, that are not finite or outside a range. */
  numbers(value: unknown, length: number, where: string, [least, most] = [-Infinity, Infinity]): void {
    if (value === undefined) return;
    const isGood =
      Array.isArray(value) &&
      value.length === length &&
      value.every((x) => typeof x === 'number' && Number.isFinite(x) && x >= least && x <= most);
    if (!isGood)
      this.add('value', where, `must hold ${length} numbers${least > -Infinity ? ` from ${least} to ${most}` : ''}`);
  }

  /** Notes a number that is not finite or outside a range. */
  number(value: unknown, where: string, [least, most] = [-Infinity, Infinity]): void {
    if (value !== undefined) this.numbers([value], 1, where, [least, most]);
  }

  /** The objects of a list of the avatar; notes a list that is empty, as VRM 1 forbids, or no list. */
  list(parent: Json, key: string, where: string): Json[] {
    const value = parent[key];
    if (value === undefined) return [];
    if (!Array.isArray(value) || value.length === 0)
      this.add('list', `${where}.${key}`, 'must be a list of at least one item');
    return objectsOf(value);
  }

  /** Number of morph targets of a mesh. */
  targetCount(mesh: unknown): number {
    const own = Array.isArray(this.json.meshes) ? this.json.meshes[mesh as number] : undefined;
    const [primitive] = isObject(own) ? objectsOf(own.primitives) : [];
    return Array.isArray(primitive?.targets) ? primitive.targets.length : 0;
  }

  /** Whether a node is another one or above it. */
  isAbove(above: number, node: number): boolean {
    let steps = 0;
    for (let n = node; n >= 0 && steps <= this.parents.length; n = this.parents[n], steps++)
      if (n === above) return true;
    return false;
  }
}
