// SPDX-License-Identifier: MIT
import { boneAbove, HUMAN_BONES, listHumanBones, REQUIRED_BONES } from './human-bones.ts';
import type { Json } from './json-walk.ts';
import type { VrmCheck } from './vrm-faults.ts';

/** Checks the bones of a humanoid: all that are required, known names, nodes of their own, in the order of a body, and with positive scales. */
export function checkHumanoid(check: VrmCheck, vrm: Json, version: 0 | 1, root: string): void {
  const where = `${root}.humanoid.humanBones`;
  const nodeOf = new Map<string, number>();
  const boneOfNode = new Map<number, string>();
  for (const { name, node } of listHumanBones(vrm, version)) {
    const place = `${where}.${name}`;
    if (!HUMAN_BONES[version].has(name)) check.add('bone-name', place, `is no human bone of VRM ${version}`);
    if (nodeOf.has(name)) check.add('bone-unique', place, 'is given twice');
    if (!check.index(node, 'nodes', place)) continue;
    const other = boneOfNode.get(node);
    if (other !== undefined) check.add('bone-unique', place, `has the node of ${other}`);
    nodeOf.set(name, node);
    boneOfNode.set(node, name);
    const { scale } = check.nodes[node];
    if (Array.isArray(scale) && scale.some((x) => !(x > 0)))
      check.add('bone-scale', place, `has a node whose scale is not positive: nodes[${node}]`);
  }
  for (const bone of REQUIRED_BONES[version])
    if (!nodeOf.has(bone)) check.add('bone-required', where, `has no ${bone}, which a humanoid needs`);
  for (const [bone, node] of nodeOf) {
    let above = boneAbove(bone);
    while (above !== undefined && !nodeOf.has(above)) above = boneAbove(above);
    const parent = above === undefined ? undefined : nodeOf.get(above);
    if (parent !== undefined && parent !== node && !check.isAbove(parent, node))
      check.add('bone-parent', `${where}.${bone}`, `is not below ${above}`);
  }
}
