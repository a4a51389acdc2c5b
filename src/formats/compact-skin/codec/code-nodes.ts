// SPDX-License-Identifier: MIT
// Nodes and skins of a stream. Translations at rest are on a grid, relative to the node before; rotations and scales are floats where they are not the identity.

import type { FieldCoder } from '../entropy/field-coder.ts';
import type { CompactJoints, CompactNode } from './compact-skin.ts';

const NODE_BYTES = 2000;
const MAX_NODES = 65535;
const IDENTITY = [0, 0, 0, 1];
const ONES = [1, 1, 1];

/**
 * Codes nodes.
 * @param jsonCount number of nodes in the JSON, which are before those of the stream
 * @param step grid of translations
 */
export function codeNodes(
  fields: FieldCoder,
  jsonCount: number,
  step: number,
  given: readonly CompactNode[] = [],
): CompactNode[] {
  const count = fields.count(given.length, MAX_NODES);
  fields.reserve(count * NODE_BYTES);
  const nodes: CompactNode[] = [];
  const last = [0, 0, 0];
  let lastParent = -1;
  for (let n = 0; n < count; n++) {
    const node = given[n];
    const name = fields.name(node?.name ?? '');
    const isSame = n > 0 && fields.flag(node?.parent === lastParent, 3);
    // parents are before their children
    if (!isSame) lastParent = fields.count((node?.parent ?? -1) + 1, jsonCount + n) - 1;
    const hasTranslation = fields.flag(node?.translation.some((x) => Math.round(x / step) !== 0) ?? false, 4);
    const translation = [0, 0, 0];
    if (hasTranslation)
      for (let r = 0; r < 3; r++) {
        last[r] += fields.integer(Math.round((node?.translation[r] ?? 0) / step) - last[r]);
        translation[r] = last[r] * step;
      }
    nodes.push({
      ...{ name, parent: lastParent, translation },
      rotation: codeUnless(fields, IDENTITY, 5, node?.rotation),
      scale: codeUnless(fields, ONES, 6, node?.scale),
    });
  }
  return nodes;
}

/** Codes skins; joints are nodes of the JSON or of the stream. */
export function codeSkins(
  fields: FieldCoder,
  nodeCount: number,
  given: readonly CompactJoints[] = [],
): CompactJoints[] {
  const count = fields.count(given.length, MAX_NODES);
  fields.reserve(count * NODE_BYTES);
  const skins: CompactJoints[] = [];
  for (let n = 0; n < count; n++) {
    const skin = given[n];
    const name = fields.name(skin?.name ?? '');
    const skeleton = fields.count((skin?.skeleton ?? -1) + 1, nodeCount) - 1;
    const jointCount = fields.count(skin?.joints.length ?? 0, nodeCount);
    fields.reserve(jointCount * 64);
    const joints: number[] = [];
    let last = -1;
    for (let j = 0; j < jointCount; j++) {
      last += 1 + fields.integer((skin?.joints[j] ?? 0) - last - 1);
      last = Math.max(0, Math.min(nodeCount - 1, last));
      joints.push(last);
    }
    if (!fields.flag(skin?.inverseBindMatrices !== undefined, 7)) skins.push({ name, joints, skeleton });
    else {
      const inverseBindMatrices = new Float32Array(16 * jointCount);
      for (let e = 0; e < inverseBindMatrices.length; e++)
        inverseBindMatrices[e] =
          e % 4 === 3 ? (e % 16 === 15 ? 1 : 0) : fields.float(skin?.inverseBindMatrices?.[e] ?? 0);
      skins.push({ name, joints, skeleton, inverseBindMatrices });
    }
  }
  return skins;
}

/** Codes floats unless they are the usual ones. */
function codeUnless(
  fields: FieldCoder,
  usual: readonly number[],
  context: number,
  given?: readonly number[],
): number[] {
  const isOther = fields.flag(given?.some((x, c) => Math.fround(x) !== usual[c]) ?? false, context);
  return isOther ? usual.map((_, c) => fields.float(given?.[c] ?? 0)) : [...usual];
}
