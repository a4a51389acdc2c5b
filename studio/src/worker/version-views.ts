// SPDX-License-Identifier: MIT
// The data of an asset for the page: its motions, its bones with their ranges, and its files.

import { FrameBaker, listPoseTimes, sampleAnimation, type TimedMotion } from '../../../src/entry/deform.ts';
import {
  type Asset,
  defaultRanges,
  type JointRange,
  measureHeight,
  rangesFromMotions,
} from '../../../src/entry/index.ts';
import type { FileBytes } from '../messages/protocol.ts';
import type { NodeView, RigView } from '../messages/views.ts';

/** The motions of an asset with the times of their frames; one frame for an asset that does not move. */
export function listMotions(asset: Asset): TimedMotion[] {
  if (asset.clips.length > 0) return asset.clips.map(({ name, times }) => ({ name, times }));
  const all = listPoseTimes(asset, Number.POSITIVE_INFINITY);
  return all.map(({ animation, times }) => ({ name: animation?.name ?? 'rest', times }));
}

/** Frames of all motions that are looked at for their boxes. */
const REACH_FRAMES = 24;

/** Directions of the outermost points: along the axes and between them. */
const DIRECTIONS = Array.from({ length: 27 }, (_, n) => [
  (n % 3) - 1,
  (Math.floor(n / 3) % 3) - 1,
  Math.floor(n / 9) - 1,
]).filter((one) => one.some((x) => x !== 0));

/** The outermost points of each motion of an asset, from some of its frames: pointCount x 3. Richer models move about as their plain skins do. */
export function measureReach(asset: Asset, motions: readonly TimedMotion[]): Float32Array[] {
  const baker = new FrameBaker({ ...asset, ddm: undefined, twoLayer: undefined, linearTwoLayer: undefined });
  const count = Math.max(2, Math.floor(REACH_FRAMES / motions.length));
  return motions.map((motion, n) => {
    const last = motion.times.length - 1;
    const frames = new Set(Array.from({ length: count }, (_, k) => Math.round((k * last) / (count - 1))));
    return Float32Array.from([...frames].flatMap((k) => listOutermost(baker.bake(motion, n, k, 1).positions)));
  });
}

/** The coordinates of the outermost point in each direction. */
function listOutermost(positions: Float32Array): number[] {
  return DIRECTIONS.flatMap(([x, y, z]) => {
    let best = 0;
    let farthest = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < positions.length; c += 3) {
      const distance = x * positions[c] + y * positions[c + 1] + z * positions[c + 2];
      if (distance <= farthest) continue;
      farthest = distance;
      best = c;
    }
    return [...positions.subarray(best, best + 3)];
  });
}

/** The nodes of an asset with what they hold. */
export function makeNodeView({ nodes, rig, source }: Asset): NodeView {
  const joints = new Set(rig ? [...rig.nodeOfBone].filter((_, bone) => rig.isJoint[bone] === 1) : []);
  const listed = Array.isArray(source?.json.nodes) ? (source.json.nodes as Record<string, unknown>[]) : [];
  // the order of the nodes is not that of the file, and names may repeat: what a repeated name holds is not stated
  const named = new Map<unknown, Record<string, unknown> | undefined>();
  for (const node of listed) named.set(node.name, named.has(node.name) ? undefined : node);
  const kinds = nodes.names.map((name, n) => {
    const { mesh, camera, extensions } = named.get(name) ?? {};
    const hasLight = typeof extensions === 'object' && extensions !== null && 'KHR_lights_punctual' in extensions;
    const all = [joints.has(n) && 'joint', mesh !== undefined && 'mesh', camera !== undefined && 'camera'];
    return [...all, hasLight && 'light'].filter(Boolean).join(', ');
  });
  return { names: nodes.names, parents: nodes.parents, kinds };
}

export function makeRigView({ rig, mesh, animations, ...asset }: Asset): RigView {
  const { skeleton, skin, isJoint } = rig!;
  const limits = defaultRanges(skeleton, measureHeight(mesh.positions, 'y'));
  const whole = { ...asset, rig, mesh, animations };
  const times = (duration: number) => Float64Array.from({ length: 32 }, (_, k) => (k * duration) / 31);
  const motions = animations.map((animation) => sampleAnimation(whole, animation, times(animation.duration)).motion);
  const moved = motions.length > 0 ? rangesFromMotions(skeleton, motions) : limits;
  return {
    names: skeleton.names,
    parents: skeleton.parents,
    binds: skeleton.bindMatrices,
    skin,
    isJoint,
    ranges: joinRanges(limits, moved),
  };
}

/** The ranges of the paper, extended to those of the file's animations. */
function joinRanges(a: readonly JointRange[], b: readonly JointRange[]): Float64Array {
  const out = new Float64Array(6 * a.length);
  for (let j = 0; j < a.length; j++) {
    for (let c = 0; c < 3; c++) {
      out[6 * j + 2 * c] = Math.min(a[j].rotation[c][0], b[j].rotation[c][0]);
      out[6 * j + 2 * c + 1] = Math.max(a[j].rotation[c][1], b[j].rotation[c][1]);
    }
  }
  return out;
}

export function findResource(files: readonly FileBytes[], uri: string): Uint8Array {
  const wanted = baseName(uri);
  const found = files.find(({ name }) => name === uri) ?? files.find(({ name }) => baseName(name) === wanted);
  if (!found) throw new Error(`it needs "${wanted}" as well; open both files together`);
  return found.bytes;
}

export function baseName(path: string): string {
  return path.replace(/^.*[/\\](?=.)/, '');
}
