// SPDX-License-Identifier: MIT
import { multiply } from '../../../core/math/mat4.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';
import { foldAncestors, isPlain, SAME_ROOT } from './fold-ancestors.ts';
import { listJoints } from './list-joints.ts';
import { reindexScene } from './reindex-scene.ts';

/**
 * Gives all bones one root: a bone of this name at the origin, without rotation and scale, that is a joint of every skin. A root that is such a bone already is kept.
 * Nodes above the bones that only place them become part of the bones. What is drawn does not change.
 */
export function makeOneRoot(scene: Scene, name: string, log?: (message: string) => void): Scene {
  if (!scene.shapes.some(({ skin }) => skin)) return scene;
  const folded = foldAncestors(scene);
  const { tops, above } = listJoints(folded);
  const { names, parents } = folded.nodes;
  const [top] = tops;
  const isRoot =
    tops.length === 1 &&
    parents[top] < 0 &&
    isPlain(folded, top, SAME_ROOT) &&
    names[top].toLowerCase() === name.toLowerCase();
  if (isRoot) return withJoint(renameRoot(folded, top, name), top);
  log?.(
    tops.length === 1
      ? `a root bone ${quoteName(name)} was added above ${quoteName(names[top])}`
      : `a root bone ${quoteName(name)} was added above ${tops.length} top bones`,
  );
  const isBelow = (n: number): boolean => parents[n] < 0 && (above.has(n) || tops.includes(n));
  const rooted = reindexScene(folded, [
    { name, parent: -1 },
    ...names.map((_, n) => ({ node: n, parent: isBelow(n) ? 0 : parents[n] < 0 ? -1 : parents[n] + 1 })),
  ]);
  return withJoint(renameRoot(rooted, 0, name), 0);
}

/** Other nodes lose the name. */
function renameRoot(scene: Scene, root: number, name: string): Scene {
  const taken = new Set(scene.nodes.names.map((one) => one.toLowerCase()));
  const names = scene.nodes.names.map((own, n) => {
    if (n === root || own.toLowerCase() !== name.toLowerCase()) return n === root ? name : own;
    let k = 2;
    while (taken.has(`${name}_${k}`.toLowerCase())) k++;
    taken.add(`${name}_${k}`.toLowerCase());
    return `${own}_${k}`;
  });
  return { ...scene, nodes: { ...scene.nodes, names } };
}

/** The root as a joint of every skin, bound where the first joint has the mesh. */
function withJoint(scene: Scene, root: number): Scene {
  const worlds = worldsOfNodes(scene.nodes);
  return {
    ...scene,
    shapes: scene.shapes.map((shape) =>
      shape.skin && !shape.skin.joints.includes(root) ? { ...shape, skin: addJoint(shape.skin, root, worlds) } : shape,
    ),
  };
}

function addJoint(skin: SceneSkin, root: number, worlds: Float64Array): SceneSkin {
  const { joints, inverseBinds } = skin;
  const binds = new Float64Array(inverseBinds.length + 16);
  binds.set(inverseBinds);
  // the root has no transform, so that its matrix is where the mesh is drawn
  if (joints.length > 0) multiply(worlds, inverseBinds, binds, 16 * joints[0], 0, inverseBinds.length);
  return { ...skin, joints: [...joints, root], inverseBinds: binds };
}
