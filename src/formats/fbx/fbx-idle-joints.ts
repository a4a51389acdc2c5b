// SPDX-License-Identifier: MIT
// Joints without weights. Exporters leave out their clusters, so that a skin names part of its skeleton: the other limb nodes are added to it,
// where they are in the bind pose of the nearest joint.
import { invertAffine, multiply } from '../../core/math/mat4.ts';
import type { SceneShape, SceneSkin } from '../gltf/index.ts';
import type { FbxModel } from './fbx-models.ts';
import type { FbxNodeTree } from './syntax/fbx-node-tree.ts';

const LIMBS = new Set(['LimbNode', 'Limb', 'Root']);

/** Adds limb nodes that no skin names to the largest skin of their skeleton. Shapes get other skins. */
export function addIdleJoints(shapes: SceneShape[], models: readonly FbxModel[], tree: FbxNodeTree): void {
  const known = new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []));
  if (known.size === 0) return;
  const { nodeOfModel } = tree;
  const limbs = models.flatMap(({ object }, m) => (LIMBS.has(object.type) ? [nodeOfModel[m]] : []));
  const idle = new Set(limbs.filter((node) => !known.has(node)));
  if (idle.size === 0) return;
  const order = [...shapes.keys()].sort((a, b) => countOf(shapes[b]) - countOf(shapes[a]));
  for (const s of order) {
    const { skin } = shapes[s];
    if (!skin || idle.size === 0) continue;
    const grown = growSkin(skin, limbs, idle, tree);
    if (grown !== skin) shapes[s] = { ...shapes[s], skin: grown };
  }
}

const countOf = ({ skin }: SceneShape): number => skin?.joints.length ?? 0;

/** Adds idle limbs below and above the joints of a skin, and takes them from the set. */
function growSkin(skin: SceneSkin, limbs: readonly number[], idle: Set<number>, tree: FbxNodeTree): SceneSkin {
  const binds = new Map<number, Float64Array>(
    skin.joints.map((node, j) => [node, skin.inverseBinds.slice(16 * j, 16 * j + 16)]),
  );
  const { parents } = tree.nodes;
  const added: number[] = [];
  const add = (node: number, from: number): void => {
    const bind = binds.get(from);
    const own = bind && carryBind(bind, from, node, tree.worlds);
    if (!own) return;
    binds.set(node, own);
    idle.delete(node);
    added.push(node);
  };
  // nodes above come first
  for (const node of limbs) {
    if (!idle.has(node)) continue;
    let above = parents[node];
    while (above >= 0 && !binds.has(above)) above = parents[above];
    if (above >= 0) add(node, above);
  }
  for (const node of [...binds.keys()])
    for (let [below, above] = [node, parents[node]]; above >= 0; above = parents[above]) {
      if (idle.has(above)) add(above, below);
      if (binds.has(above)) below = above;
    }
  if (added.length === 0) return skin;
  const inverseBinds = new Float64Array(skin.inverseBinds.length + 16 * added.length);
  inverseBinds.set(skin.inverseBinds);
  added.forEach((node, n) => {
    inverseBinds.set(binds.get(node) ?? [], skin.inverseBinds.length + 16 * n);
  });
  return { ...skin, joints: [...skin.joints, ...added], inverseBinds };
}

/** The inverse bind matrix of a node that keeps its place relative to a joint: world⁻¹ world(joint) bind(joint). */
function carryBind(bind: Float64Array, joint: number, node: number, worlds: Float64Array): Float64Array | undefined {
  const out = new Float64Array(16);
  if (!invertAffine(worlds, out, 16 * node)) return undefined;
  multiply(out, worlds, out, 0, 16 * joint);
  multiply(out, bind, out);
  return out.every(Number.isFinite) ? out : undefined;
}
