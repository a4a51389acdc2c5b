// SPDX-License-Identifier: MIT
import { quoteName } from '../../../core/model/plain-text.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import { moveShapeBy } from './similarity.ts';

/** Difference from one of a scale that is left as it is: the rounding of 32-bit numbers in files. */
const SAME_SCALE = 1e-6;
/** Ratio of the scales of two axes that count as one. */
const SAME_AXES = 1e-5;
/** Smallest scale that is a size and not a switch that hides a part. */
const SMALLEST = 1e-6;

/**
 * Moves the uniform scales that nodes have at rest into the meshes, the translations below them and the inverse bind matrices: every node then has the scale one at
 * rest. What is drawn does not change. A scale that differs by axis, is negative or zero is kept, and noted where bones are below it.
 */
export function unscaleNodes(scene: Scene, log?: (message: string) => void): Scene {
  const { nodes, shapes, animations } = scene;
  const factors = factorsOf(nodes);
  noteKept(scene, log);
  const changed = factors.own.filter((factor) => Math.abs(factor - 1) > SAME_SCALE).length;
  if (changed === 0) return scene;
  const parentOf = (n: number): number => (nodes.parents[n] < 0 ? 1 : factors.total[nodes.parents[n]]);
  const largest = factors.total.reduce((most, x) => (Math.abs(Math.log(x)) > Math.abs(Math.log(most)) ? x : most), 1);
  log?.(
    `${changed === 1 ? 'the scale of a node' : `the scales of ${changed} nodes`} (up to ${Number(largest.toPrecision(4))}) ${changed === 1 ? 'was' : 'were'} moved into the mesh`,
  );
  return {
    ...scene,
    nodes: {
      ...nodes,
      translations: nodes.translations.map((x, c) => x * parentOf(Math.floor(c / 3))),
      scales: nodes.scales.map((x, c) => x / factors.own[Math.floor(c / 3)]),
    },
    shapes: shapes.map((shape) => unscaleShape(shape, factors.total)),
    animations: animations.map((animation) => ({
      ...animation,
      tracks: animation.tracks.map((track) => {
        if (track.path === 'translation')
          return { ...track, values: track.values.map((x) => x * parentOf(track.node)) };
        if (track.path === 'scale') return { ...track, values: track.values.map((x) => x / factors.own[track.node]) };
        return track;
      }),
    })),
  };
}

/** By node: the scale that it loses, and that of all nodes above and itself. */
function factorsOf({ parents, scales }: NodeTree): { own: Float64Array; total: Float64Array } {
  const own = new Float64Array(parents.length).fill(1);
  const total = new Float64Array(parents.length).fill(1);
  for (let n = 0; n < parents.length; n++) {
    const above = parents[n] < 0 ? 1 : total[parents[n]];
    const scale = uniformScaleOf(scales, n);
    if (scale !== undefined && Math.abs(scale - 1) > SAME_SCALE) own[n] = scale;
    total[n] = above * own[n];
  }
  return { own, total };
}

/** The scale of a node; undefined if it is not the same on all axes, or not above zero. */
export function uniformScaleOf(scales: Float64Array, n: number): number | undefined {
  const [x, y, z] = scales.subarray(3 * n, 3 * n + 3);
  const isUniform = Math.abs(x - y) <= SAME_AXES * Math.abs(x) && Math.abs(x - z) <= SAME_AXES * Math.abs(x);
  return isUniform && x > SMALLEST ? x : undefined;
}

function unscaleShape(shape: SceneShape, total: Float64Array): SceneShape {
  const { skin, node } = shape;
  if (!skin) {
    const scale = total[node];
    return scale === 1 ? shape : moveShapeBy(shape, { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale });
  }
  const inverseBinds = skin.inverseBinds.map((x, c) => (c % 4 === 3 ? x : x * total[skin.joints[Math.floor(c / 16)]]));
  return { ...shape, skin: { ...skin, inverseBinds } };
}

function noteKept({ nodes, shapes }: Scene, log?: (message: string) => void): void {
  const joints = new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []));
  const isAbove = new Set<number>();
  for (let n = nodes.parents.length - 1; n >= 0; n--)
    if (joints.has(n) || isAbove.has(n)) isAbove.add(n).add(nodes.parents[n]);
  const kept = [...isAbove]
    .filter((n) => n >= 0 && uniformScaleOf(nodes.scales, n) === undefined)
    .sort((a, b) => a - b);
  if (kept.length === 0) return;
  const [first] = kept.map((n) => quoteName(nodes.names[n]));
  log?.(
    kept.length === 1
      ? `the node ${first} keeps a scale that is negative, zero or differs by axis`
      : `${kept.length} nodes, the first of which is ${first}, keep scales that are negative, zero or differ by axis`,
  );
}
