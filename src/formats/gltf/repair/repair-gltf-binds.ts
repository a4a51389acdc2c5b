// SPDX-License-Identifier: MIT
import type { Document, GLTF, Skin } from '@gltf-transform/core';
import { IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { isRegular } from '../../../core/model/skin/choose-bind-space.ts';
import { label } from '../../../deformers/layout/index.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { type GltfNodes, readGltfNodes } from '../read/read-gltf-nodes.ts';
import type { GltfRepairs } from './gltf-repairs.ts';
import type { SourcePatch } from './source-patch.ts';

/** Tolerance of the last row, which some exporters round. */
const MAX_ROW_ERROR = 1e-3;

/**
 * Computes inverse bind matrices that are missing, not finite or without an inverse from the rest pose, such that they agree with the first matrix that is there: the joint's
 * inverse rest matrix, times where that joint places the mesh at rest.
 */
export function repairGltfBinds(document: Document, patch: SourcePatch, repairs: GltfRepairs): void {
  let nodes: GltfNodes | undefined;
  const skins = document.getRoot().listSkins();
  const repaired = patch.json.skins?.map((stored, s): GLTF.ISkin => {
    const accessor = skins[s].getInverseBindMatrices();
    if (!accessor) return stored;
    const values = floatsOf(accessor);
    const wrong = skins[s].listJoints().flatMap((_, j) => (isWhole(values, j) ? [] : [j]));
    if (wrong.length === 0) return stored;
    nodes ??= readGltfNodes(document);
    repairs.add('bind', `joint ${wrong[0]} of skin ${label(stored.name, s)}`, wrong.length);
    return { ...stored, inverseBindMatrices: patch.add('MAT4', computeBinds(skins[s], values, wrong, nodes)) };
  });
  if (repaired?.some((skin, s) => skin !== patch.json.skins?.[s])) patch.setSkins(repaired);
}

function isWhole(values: Float32Array, joint: number): boolean {
  const own = Float64Array.from(values.subarray(16 * joint, 16 * joint + 16));
  const isAffine = [3, 7, 11, 15].every((c) => Math.abs(own[c] - IDENTITY[c]) <= MAX_ROW_ERROR);
  return own.length === 16 && own.every(Number.isFinite) && isAffine && isRegular(own, 0);
}

function computeBinds(
  skin: Skin,
  values: Float32Array,
  wrong: readonly number[],
  { treeOf, worlds }: GltfNodes,
): Float32Array {
  const joints = skin.listJoints().map(treeOf);
  const out = new Float32Array(16 * joints.length);
  out.set(values.subarray(0, Math.min(values.length, out.length)));
  const space = Float64Array.from(IDENTITY);
  const known = joints.findIndex((_, j) => !wrong.includes(j));
  if (known >= 0)
    multiply(worlds, Float64Array.from(values.subarray(16 * known, 16 * known + 16)), space, 16 * joints[known]);
  const inverse = new Float64Array(16);
  for (const j of wrong) {
    if (invertAffine(worlds, inverse, 16 * joints[j])) multiply(inverse, space, inverse);
    else inverse.set(IDENTITY);
    out.set(inverse, 16 * j);
  }
  return out;
}
