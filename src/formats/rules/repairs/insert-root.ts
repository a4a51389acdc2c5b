// SPDX-License-Identifier: MIT
import type { Scene } from '../../gltf/index.ts';
import { reindexScene } from '../../targets/index.ts';

/** A scene with a new first node without a transform, which is the parent of some roots. */
export function insertRoot(scene: Scene, name: string, below: ReadonlySet<number>): Scene {
  const { parents } = scene.nodes;
  const parentOf = (node: number): number => (parents[node] >= 0 ? parents[node] + 1 : below.has(node) ? 0 : -1);
  const nodes = Array.from(parents.keys(), (node) => ({ node, parent: parentOf(node) }));
  return reindexScene(scene, [{ name, parent: -1 }, ...nodes]);
}
