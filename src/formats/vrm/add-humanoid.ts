// SPDX-License-Identifier: MIT
// The humanoid of VRM 1.0 in a glTF: extensions.VRMC_vrm with the bones that a rig has. Bones that the specification requires and the rig does not have become nodes without weights below the bone that they belong to.
import type { GltfSource } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { boneAbove, REQUIRED_BONES } from './human-bones.ts';
import { isObject } from './json-walk.ts';

export interface HumanBones {
  /** Node by name of the bone: hips, leftUpperArm … */
  nodes: ReadonlyMap<string, number>;
  /** Node names that replace those of the file. */
  names: ReadonlyMap<number, string>;
}

/** The bone that a required bone hangs on if the rig does not have it, and the bone whose length it takes on. */
const HUNG_ON: Readonly<Record<string, string>> = {
  leftHand: 'leftLowerArm',
  rightHand: 'rightLowerArm',
  leftFoot: 'leftLowerLeg',
  rightFoot: 'rightLowerLeg',
  head: 'spine',
};

/** Where the licence of an avatar that was not given one is stated. */
const LICENSE = 'https://vrm.dev/licenses/1.0/';

/** Changes the JSON of a glTF: names of nodes and, if there is none, the humanoid. Throws an InputError if a bone is missing that cannot be added. */
export function addHumanoid(
  source: GltfSource,
  name: string,
  { nodes, names }: HumanBones,
): { source: GltfSource; added: string[] } {
  const list = (Array.isArray(source.json.nodes) ? source.json.nodes : []).map((node: unknown, n) => {
    const own = names.get(n);
    return isObject(node) && own !== undefined ? { ...node, name: own } : node;
  });
  const bones = keepBelow(list, nodes);
  const added: string[] = [];
  for (const bone of REQUIRED_BONES[1]) {
    if (bones.has(bone)) continue;
    const above = bones.get(HUNG_ON[bone] ?? '');
    const parent = above === undefined ? undefined : list[above];
    if (above === undefined || !isObject(parent))
      throw new InputError('the humanoid of VRM', `needs ${bone}, and the rig has none`);
    const length = isObject(parent) && Array.isArray(parent.translation) ? parent.translation : [0, 0, 0];
    const index = list.push({ name: bone, translation: length }) - 1;
    list[above] = { ...parent, children: [...(Array.isArray(parent.children) ? parent.children : []), index] };
    bones.set(bone, index);
    added.push(bone);
  }
  const humanBones = Object.fromEntries([...bones].map(([bone, node]) => [bone, { node }]));
  const extensions = isObject(source.json.extensions) ? source.json.extensions : {};
  const used = Array.isArray(source.json.extensionsUsed) ? source.json.extensionsUsed : [];
  const meta = { name, authors: ['unknown'], licenseUrl: LICENSE };
  const json = {
    ...source.json,
    nodes: list,
    extensionsUsed: [...new Set([...used, 'VRMC_vrm'])],
    extensions: { ...extensions, VRMC_vrm: { specVersion: '1.0', meta, humanoid: { humanBones } } },
  };
  return { source: { ...source, json }, added };
}

/** The bones whose nodes are below those of the bones that they belong to: others cannot be bones of a humanoid. */
function keepBelow(list: readonly unknown[], nodes: ReadonlyMap<string, number>): Map<string, number> {
  const parents = new Map<number, number>();
  list.forEach((node, n) => {
    const children: unknown[] = isObject(node) && Array.isArray(node.children) ? node.children : [];
    for (const child of children) if (typeof child === 'number') parents.set(child, n);
  });
  const isBelow = (node: number, above: number): boolean => {
    let n: number | undefined = node;
    while (n !== undefined && n !== above) n = parents.get(n);
    return n === above;
  };
  const kept = new Map(nodes);
  for (const [bone, node] of nodes) {
    let above = boneAbove(bone);
    while (above !== undefined && !kept.has(above)) above = boneAbove(above);
    const place = above === undefined ? undefined : kept.get(above);
    if (place !== undefined && !isBelow(node, place)) kept.delete(bone);
  }
  return kept;
}

/** Changes names of nodes alone. */
export function renameNodes(source: GltfSource, names: ReadonlyMap<number, string>): GltfSource {
  const list: unknown[] = Array.isArray(source.json.nodes) ? source.json.nodes : [];
  const nodes = list.map((node, n) => {
    const own = names.get(n);
    return isObject(node) && own !== undefined ? { ...node, name: own } : node;
  });
  return { ...source, json: { ...source.json, nodes } };
}

/** Changes rotations of nodes: by node of the file, x y z w. A matrix is replaced by nothing else: joints of humanoids have rotations. */
export function turnNodes(source: GltfSource, turns: ReadonlyMap<number, number[]>): GltfSource {
  const list: unknown[] = Array.isArray(source.json.nodes) ? source.json.nodes : [];
  const nodes = list.map((node, n) => {
    const rotation = turns.get(n);
    if (!isObject(node) || rotation === undefined) return node;
    if ('matrix' in node) throw new InputError('the rest pose', `cannot be set, since node ${n} has a matrix`);
    return { ...node, rotation };
  });
  return { ...source, json: { ...source.json, nodes } };
}
