// SPDX-License-Identifier: MIT
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Scene } from '../../gltf/index.ts';

/** Leaves nodes out of a scene that nothing refers to. Nodes below them must be left out too. */
export function dropUsdNodes(scene: Scene, isDropped: (node: number) => boolean): Scene {
  const { nodes } = scene;
  const kept = nodes.names.map((_, n) => n).filter((n) => !isDropped(n));
  if (kept.length === nodes.names.length) return scene;
  const places = new Int32Array(nodes.names.length).fill(-1);
  kept.forEach((n, place) => {
    places[n] = place;
  });
  const move = <T extends { node: number }>(one: T): T => ({ ...one, node: places[one.node] });
  return {
    ...scene,
    nodes: pickNodes(nodes, kept, places),
    shapes: scene.shapes.map(({ skin, ...shape }) => ({
      ...move(shape),
      ...(skin ? { skin: { ...skin, joints: skin.joints.map((joint) => places[joint]) } } : {}),
    })),
    animations: scene.animations.map((animation) => ({ ...animation, tracks: animation.tracks.map(move) })),
    cameras: scene.cameras?.map(move),
    lights: scene.lights?.map(move),
    extras: new Map([...(scene.extras ?? [])].flatMap(([n, own]) => (isDropped(n) ? [] : [[places[n], own] as const]))),
  };
}

function pickNodes(
  { names, parents, translations, rotations, scales }: NodeTree,
  kept: number[],
  places: Int32Array,
): NodeTree {
  const pick = (values: Float64Array, size: number): Float64Array =>
    Float64Array.from({ length: size * kept.length }, (_, c) => values[size * kept[Math.floor(c / size)] + (c % size)]);
  return {
    names: kept.map((n) => names[n]),
    parents: Int32Array.from(kept, (n) => (parents[n] < 0 ? -1 : places[parents[n]])),
    translations: pick(translations, 3),
    rotations: pick(rotations, 4),
    scales: pick(scales, 3),
  };
}
