// SPDX-License-Identifier: MIT
import type { Scene } from '../gltf/index.ts';

/** A scene with a new node at rest, which is the parent of some roots. */
export function insertRoot(scene: Scene, name: string, below: ReadonlySet<number>): Scene {
  const { nodes, shapes, animations, cameras = [], lights = [], extras } = scene;
  const shift = <T extends { node: number }>(item: T): T => ({ ...item, node: item.node + 1 });
  return {
    ...scene,
    nodes: {
      names: [name, ...nodes.names],
      parents: Int32Array.from([-1, ...nodes.parents], (parent, n) => {
        if (n === 0) return -1;
        if (parent >= 0) return parent + 1;
        return below.has(n - 1) ? 0 : -1;
      }),
      translations: Float64Array.of(0, 0, 0, ...nodes.translations),
      rotations: Float64Array.of(0, 0, 0, 1, ...nodes.rotations),
      scales: Float64Array.of(1, 1, 1, ...nodes.scales),
    },
    shapes: shapes.map((shape) => ({
      ...shift(shape),
      ...(shape.skin ? { skin: { ...shape.skin, joints: shape.skin.joints.map((joint) => joint + 1) } } : {}),
    })),
    animations: animations.map((animation) => ({ ...animation, tracks: animation.tracks.map(shift) })),
    cameras: cameras.map(shift),
    lights: lights.map(shift),
    extras: new Map([...(extras ?? [])].map(([node, own]) => [node + 1, own])),
  };
}
