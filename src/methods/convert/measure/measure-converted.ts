// SPDX-License-Identifier: MIT

import type { Compute } from '../../../core/kernels/compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { listStillControllers } from '../../../core/model/deformed/helper-bones.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeHelperControllers } from '../../../deformers/helper-bones/index.ts';
import { makeLinearBlend, narrowDeformer } from '../../../deformers/linear-blend/index.ts';
import { bakeAt, listKeyTimes, makeAssetDeformer } from '../../../deformers/playback/index.ts';
import type { ConvertRigResult } from '../helper-input.ts';
import { SourceProbe } from '../sample/source-probe.ts';
import { type ConversionError, measureConversion } from './measure-conversion.ts';

export interface MeasuredConverted {
  /** The file against its source. */
  error: ConversionError;
  /** The source's own weights as linear blend skinning against it, where they are known. */
  lbs?: ConversionError;
  /** Maximum difference between keys and controllers at the keys of the helpers, relative to the box diagonal; absent without keys. */
  baked?: number;
  /** Microseconds to evaluate one controller. */
  controllerMicroseconds?: number;
}

/** Maximum number of key times to compare. */
const MAX_KEYS = 200;
const TIMED_BATCHES = 40;
const TIMED_POSES = 100;

/**
 * Measures a helper-bone file at random poses of its source, and its keys against its controllers.
 * @param asset the written file
 * @param clip in place of a source: the frames that were converted
 */
export async function measureConverted(
  asset: Asset,
  result: ConvertRigResult & { source?: RigSource },
  clip: Clip | undefined,
  options: {
    compute: Compute;
    poses: number;
    seed: number;
    normals: boolean;
    onPose: (part: number) => Promise<boolean>;
  },
): Promise<MeasuredConverted> {
  const helperCount = result.model.controllers.length;
  if (!asset.rig || (asset.helpers?.length ?? 0) < helperCount)
    throw new InputError('the written file', 'lost its helper bones');
  const times = helperCount > 0 ? timeControllers(asset) : undefined;
  // keys of delayed helpers depend on the past
  const isStill = asset.helpers?.every(({ follow }) => !follow);
  const common = { baked: helperCount > 0 && isStill ? measureBaked(asset) : undefined, controllerMicroseconds: times };
  if (clip) return { error: measureClip(asset, clip), ...common };
  const source = result.source!;
  const jointCount = source.skeleton.names.length;
  const still = { ...asset, helpers: asset.helpers && listStillControllers(asset.helpers) };
  const targets = [
    narrowDeformer(makeAssetDeformer(still), matchBones(result.model.skeleton, asset.rig.skeleton, jointCount)),
  ];
  if (source.skin) targets.push(makeLinearBlend(source.mesh, source.skin, jointCount));
  const [error, lbs] = await options.compute.scope((memory) =>
    measureConversion(new SourceProbe(source, memory), targets, result.rotations, options),
  );
  return { error, lbs, ...common };
}

/** By joint of one skeleton, the bone of another: of the same name, with the closest bind matrix. */
function matchBones(from: Skeleton, to: Skeleton, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, j) => {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    to.names.forEach((name, bone) => {
      if (name !== from.names[j] && name.replace(/^node \d+$/, '') !== from.names[j]) return;
      let off = 0;
      for (let c = 0; c < 16; c++)
        off = Math.max(off, Math.abs(to.bindMatrices[16 * bone + c] - from.bindMatrices[16 * j + c]));
      if (off < least) [best, least] = [bone, off];
    });
    return best;
  });
}

function measureBaked(asset: Asset): number | undefined {
  if (asset.animations.length === 0) return undefined;
  const nodes = new Set(asset.helpers!.map(({ bone }) => asset.rig!.nodeOfBone[bone]));
  let far = 0;
  for (const animation of asset.animations) {
    const tracks = animation.tracks.filter(({ node }) => nodes.has(node));
    const keys = listKeyTimes({ ...animation, tracks });
    const step = Math.max(1, Math.ceil(keys.length / MAX_KEYS));
    const times = Float64Array.from(keys.filter((_, k) => k % step === 0));
    if (times.length === 0) continue;
    const [driven, played] = [asset, { ...asset, helpers: undefined }].map((one) => bakeAt(one, animation, times));
    for (let c = 0; c < driven.positions.length; c++)
      far = Math.max(far, Math.abs(driven.positions[c] - played.positions[c]));
  }
  return far / (measureBounds(asset.mesh.positions).diagonal || 1);
}

/** Microseconds per controller: the fastest of several batches, to exclude other work on the machine. */
function timeControllers(asset: Asset): number {
  const { skeleton, skin } = asset.rig!;
  const controllers = makeHelperControllers({
    kind: 'helper-bones',
    mesh: asset.mesh,
    skeleton,
    skin,
    controllers: asset.helpers!,
  });
  const bones = makeIdentities(skeleton.names.length);
  let least = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < TIMED_BATCHES; batch++) {
    const begin = performance.now();
    for (let n = 0; n < TIMED_POSES; n++) controllers.poseInto(bones);
    least = Math.min(least, performance.now() - begin);
  }
  return (1000 * least) / TIMED_POSES / asset.helpers!.length;
}

/** The written file against the frames of a clip. */
function measureClip(asset: Asset, clip: Clip): ConversionError {
  const played = bakeAt(asset, asset.animations[0], clip.times);
  const rest = clip.mesh.positions;
  let [off, moved, max] = [0, 0, 0];
  for (let k = 0; k < frameCountOf(clip); k++) {
    const [expected, found] = [frameOf(clip, k), frameOf(played, k)];
    for (let c = 0; c < rest.length; c += 3) {
      const d = distance(expected, found, c);
      off += d;
      moved += distance(expected, rest, c);
      max = Math.max(max, Math.sqrt(d));
    }
  }
  const count = (frameCountOf(clip) * rest.length) / 3;
  return {
    alpha: 100 * Math.sqrt(off / Math.max(moved, Number.MIN_VALUE)),
    rmse: Math.sqrt(off / count),
    max,
    p99: max,
    poses: frameCountOf(clip),
  };
}

function distance(a: Float32Array, b: Float32Array, c: number): number {
  return (a[c] - b[c]) ** 2 + (a[c + 1] - b[c + 1]) ** 2 + (a[c + 2] - b[c + 2]) ** 2;
}
