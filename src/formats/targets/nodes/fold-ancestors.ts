// SPDX-License-Identifier: MIT
// Nodes above a skeleton that hold a transform alone, such as an "Armature" that is turned, become part of its top bones.
import type { Scene } from '../../gltf/index.ts';
import { listJoints } from './list-joints.ts';
import { type NewNode, reindexScene } from './reindex-scene.ts';
import { moveNodesBy, type Similarity } from './similarity.ts';
import { uniformScaleOf } from './unscale-nodes.ts';

/** Difference of the numbers of a transform from none that is the rounding of computing. */
const SAME = 1e-9;
/** The same of a root bone as files have it: exporters write rotations such as 1.2e-7. */
export const SAME_ROOT = 1e-5;

/**
 * Moves the transforms of nodes above joints to the nodes below them, and removes those that then carry nothing. Nodes that are animated, draw a mesh without a skin,
 * have a camera, a light or custom properties, or a scale that differs by axis, are kept. What is drawn does not change.
 */
export function foldAncestors(scene: Scene): Scene {
  return removeEmpty(moveDown(scene));
}

/** Nodes above joints that do nothing but place them. */
function listPlacers(scene: Scene): number[] {
  const { above, moved } = listJoints(scene);
  const { shapes, cameras = [], lights = [], nodes } = scene;
  const busy = new Set([
    ...moved,
    ...shapes.flatMap(({ node, skin }) => (skin ? [] : [node])),
    ...cameras.map(({ node }) => node),
    ...lights.map(({ node }) => node),
  ]);
  return [...above].filter((n) => !busy.has(n) && uniformScaleOf(nodes.scales, n) !== undefined).sort((a, b) => a - b);
}

function moveDown(scene: Scene): Scene {
  let folded = scene;
  for (const n of listPlacers(scene)) {
    if (isPlain(folded, n)) continue;
    const { nodes } = folded;
    const move: Similarity = {
      translation: [...nodes.translations.subarray(3 * n, 3 * n + 3)],
      rotation: [...nodes.rotations.subarray(4 * n, 4 * n + 4)],
      scale: nodes.scales[3 * n],
    };
    const moves = new Map<number, Similarity>();
    nodes.parents.forEach((parent, child) => {
      if (parent === n) moves.set(child, move);
    });
    const moved = moveNodesBy(folded, moves);
    moved.nodes.translations.fill(0, 3 * n, 3 * n + 3);
    moved.nodes.rotations.set([0, 0, 0, 1], 4 * n);
    moved.nodes.scales.fill(1, 3 * n, 3 * n + 3);
    folded = moved;
  }
  return folded;
}

function removeEmpty(scene: Scene): Scene {
  const { nodes, shapes, extras } = scene;
  const drawing = new Set(shapes.map(({ node }) => node));
  const removed = new Set(listPlacers(scene).filter((n) => isPlain(scene, n) && !drawing.has(n) && !extras?.has(n)));
  if (removed.size === 0) return scene;
  const placeOf = new Int32Array(nodes.parents.length).fill(-1);
  const list: NewNode[] = [];
  for (let n = 0; n < nodes.parents.length; n++) {
    const above = nodes.parents[n];
    const parent = above < 0 ? -1 : placeOf[above];
    // what hangs below a removed node hangs below the next one above
    placeOf[n] = removed.has(n) ? parent : list.push({ node: n, parent }) - 1;
  }
  return reindexScene(scene, list);
}

/** Whether a node has no transform at rest. */
export function isPlain({ nodes: { translations, rotations, scales } }: Scene, n: number, same = SAME): boolean {
  const [x, y, z, w] = rotations.subarray(4 * n, 4 * n + 4);
  return (
    translations.subarray(3 * n, 3 * n + 3).every((t) => Math.abs(t) <= same) &&
    [x, y, z, Math.abs(w) - 1].every((q) => Math.abs(q) <= same) &&
    scales.subarray(3 * n, 3 * n + 3).every((s) => Math.abs(s - 1) <= same)
  );
}
