// SPDX-License-Identifier: MIT
// Transforms of prims: those of nodes that stay, and samples of nodes that hang below joints.
import { sampleTrackInto } from '../../../../core/keyframes/sample-track.ts';
import { compose, multiply } from '../../../../core/math/mat4.ts';
import type { Animation, Track } from '../../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../../core/model/skin/node-tree.ts';
import type { Scene } from '../../../gltf/index.ts';
import { splitMatrix } from '../../read/usd-motion.ts';
import { type UsdDraftProperty, type UsdDraftValue, uniformOf } from '../usd-draft.ts';
import type { UsdClock } from './usd-clock.ts';

/** Maximum error between samples: radians and ratios, and parts of the size of the scene. */
const TOLERANCE = 1e-5;
const MAX_HALVINGS = 10;

/** Translation, rotation and scale of a node, as far as it has any. */
export function listNodeTransforms({ translations, rotations, scales }: NodeTree, node: number): UsdDraftProperty[] {
  const translation = translations.slice(3 * node, 3 * node + 3);
  const rotation = Float32Array.from(rotations.subarray(4 * node, 4 * node + 4));
  const scale = scales.slice(3 * node, 3 * node + 3);
  return listOperations({
    ...(translation.some((x) => x !== 0) ? { translate: { value: translation } } : {}),
    ...(rotation.some((x, c) => x !== (c === 3 ? 1 : 0)) ? { orient: { value: rotation } } : {}),
    ...(scale.some((x) => x !== 1) ? { scale: { value: scale } } : {}),
  });
}

const TYPES = { translate: 'double3', orient: 'quatf', scale: 'double3' } as const;

type Operations = Partial<Record<keyof typeof TYPES, Pick<UsdDraftProperty, 'value' | 'samples'>>>;

function listOperations(operations: Operations): UsdDraftProperty[] {
  const names = (['translate', 'orient', 'scale'] as const).filter((name) => operations[name]);
  if (names.length === 0) return [];
  return [
    ...names.map((name) => ({ name: `xformOp:${name}`, type: TYPES[name], ...operations[name] })),
    uniformOf(
      'xformOpOrder',
      'token[]',
      names.map((name) => `xformOp:${name}`),
    ),
  ];
}

interface WorldSettings {
  node: number;
  /** The node in whose space the samples are; -1 for the world. */
  above: number;
  clock: UsdClock;
  /** Size of the scene. */
  size: number;
}

/** The transform of a node in the space of one above it, through the first animation. */
export function listWorldSamples(scene: Scene, { node, above, clock, size }: WorldSettings): UsdDraftProperty[] {
  const [animation] = scene.animations;
  const chain: number[] = [];
  for (let n = node; n >= 0 && n !== above; n = scene.nodes.parents[n]) chain.unshift(n);
  const tracks = animation?.tracks.filter((track) => track.path !== 'weights' && chain.includes(track.node)) ?? [];
  const at = (time: number | undefined) => splitMatrix(worldAt(scene.nodes, chain, tracks, time));
  const rest = at(undefined);
  if (!animation || tracks.length === 0)
    return listOperations({
      translate: { value: rest.translation },
      orient: { value: Float32Array.from(rest.rotation) },
      scale: { value: rest.scale },
    });
  const times = listTimes(animation, tracks, at, size);
  const keys = times.map(at);
  const samples = (values: readonly UsdDraftValue[]): { samples: UsdDraftProperty['samples'] } => ({
    samples: { codes: clock.codesOf(times), at: (k) => values[k] },
  });
  return listOperations({
    translate: samples(keys.map(({ translation }) => translation)),
    orient: samples(keys.map(({ rotation }) => Float32Array.from(rotation))),
    scale: samples(keys.map(({ scale }) => scale)),
  });
}

type Placed = ReturnType<typeof splitMatrix>;

/** Keys of the tracks, and times between them until transforms between samples are close to linear. */
function listTimes(
  { duration }: Animation,
  tracks: readonly Track[],
  at: (time: number) => Placed,
  size: number,
): number[] {
  const keys = [...new Set([0, duration, ...tracks.flatMap(({ times }) => [...times])])].sort((a, b) => a - b);
  const out = new Set(keys);
  for (let k = 0; k + 1 < keys.length; k++) {
    const stack = [{ from: keys[k], to: keys[k + 1], depth: 0 }];
    for (let span = stack.pop(); span; span = stack.pop()) {
      const middle = (span.from + span.to) / 2;
      if (span.depth >= MAX_HALVINGS || isNear(at(span.from), at(span.to), at(middle), size)) continue;
      out.add(middle);
      const depth = span.depth + 1;
      stack.push({ from: span.from, to: middle, depth }, { from: middle, to: span.to, depth });
    }
  }
  return [...out].sort((a, b) => a - b);
}

/** Whether a transform is halfway between two others. */
function isNear(a: Placed, b: Placed, middle: Placed, size: number): boolean {
  const dot = a.rotation.reduce((sum, x, c) => sum + x * b.rotation[c], 0);
  const sign = dot < 0 ? -1 : 1;
  const half = a.rotation.map((x, c) => x + sign * b.rotation[c]);
  const length = Math.hypot(...half) || 1;
  const side = half.reduce((sum, x, c) => sum + x * middle.rotation[c], 0) < 0 ? -1 : 1;
  return (
    middle.rotation.every((x, c) => Math.abs(side * x - half[c] / length) <= TOLERANCE) &&
    middle.scale.every((x, c) => Math.abs(x - (a.scale[c] + b.scale[c]) / 2) <= TOLERANCE * Math.abs(x)) &&
    middle.translation.every((x, c) => Math.abs(x - (a.translation[c] + b.translation[c]) / 2) <= TOLERANCE * size)
  );
}

function worldAt(
  { translations, rotations, scales }: NodeTree,
  chain: readonly number[],
  tracks: readonly Track[],
  time: number | undefined,
): Float64Array {
  const world = new Float64Array(16);
  chain.forEach((node, depth) => {
    const values = {
      translation: translations.slice(3 * node, 3 * node + 3),
      rotation: rotations.slice(4 * node, 4 * node + 4),
      scale: scales.slice(3 * node, 3 * node + 3),
    };
    if (time !== undefined)
      for (const track of tracks)
        if (track.node === node && track.path !== 'weights') sampleTrackInto(track, time, values[track.path]);
    const local = new Float64Array(16);
    compose(values.translation, values.rotation, values.scale, local);
    if (depth === 0) world.set(local);
    else multiply(world, local, world);
  });
  return world;
}
