// SPDX-License-Identifier: MIT

import type { FbxSpan } from '../../syntax/fbx-header.ts';
import { fbxArray, fbxDouble, fbxLong, fbxNode } from '../../syntax/fbx-pack.ts';
import { FBX_TICKS, type FbxBuilder, type FbxProperty, fbxProperties, fbxTicks } from '../fbx-builder.ts';

/** Keys of one property of one object: straight lines between them, or steps. */
export interface FbxWrittenTrack {
  target: number;
  property: 'Lcl Translation' | 'Lcl Rotation' | 'Lcl Scaling' | 'DeformPercent';
  /** keyCount, seconds */
  times: ArrayLike<number>;
  /** keyCount x axes */
  values: ArrayLike<number>;
  isStepped?: boolean;
}

const AXES = ['X', 'Y', 'Z'];
/** Name of a curve node, as other programs write it. */
const NODE_NAMES = { 'Lcl Translation': 'T', 'Lcl Rotation': 'R', 'Lcl Scaling': 'S', DeformPercent: 'DeformPercent' };
/** Linear interpolation, with the flags of tangents that editors expect. */
const LINEAR_FLAGS = 0x6104;
/** A key that holds until the next. */
const CONSTANT_FLAGS = 0x2;
/** Slopes, and two weights of a third packed into the bits of a float. */
const LINEAR_DATA = new Float32Array(Uint32Array.of(0, 0, 0x0d050d05, 0).buffer);

/** Adds an animation: a stack with one layer, and curves for each axis of each track. */
export function addFbxAnimation(
  builder: FbxBuilder,
  { name, start, end, rate }: FbxSpan,
  tracks: readonly FbxWrittenTrack[],
): void {
  const time = (property: string, seconds: number): FbxProperty => [
    property,
    'KTime',
    'Time',
    '',
    fbxLong(fbxTicks(seconds, rate)),
  ];
  const stack = builder.add('AnimationStack', name, 'AnimStack', '', [
    fbxProperties([
      time('LocalStart', start),
      time('LocalStop', end),
      time('ReferenceStart', start),
      time('ReferenceStop', end),
    ]),
  ]);
  const layer = builder.add('AnimationLayer', name, 'AnimLayer', '', []);
  builder.connect(layer, stack);
  for (const { target, property, times, values, isStepped } of tracks) {
    const axes = property === 'DeformPercent' ? [property] : AXES;
    const starts = axes.map((axis, c): FbxProperty => [`d|${axis}`, 'Number', '', 'A', fbxDouble(values[c])]);
    const node = builder.add('AnimationCurveNode', NODE_NAMES[property], 'AnimCurveNode', '', [fbxProperties(starts)]);
    builder.connect(node, layer);
    builder.connect(node, target, property);
    const { ticks, kept } = listTicks(times, rate);
    axes.forEach((axis, c) => {
      const own = Float32Array.from(kept, (k) => values[k * axes.length + c]);
      const curve = builder.add('AnimationCurve', '', 'AnimCurve', '', [
        fbxNode('Default', [fbxDouble(values[c])]),
        fbxNode('KeyVer', [4008]),
        fbxNode('KeyTime', [fbxArray(ticks)]),
        fbxNode('KeyValueFloat', [fbxArray(own)]),
        fbxNode('KeyAttrFlags', [fbxArray(Int32Array.of(isStepped ? CONSTANT_FLAGS : LINEAR_FLAGS))]),
        fbxNode('KeyAttrDataFloat', [fbxArray(LINEAR_DATA)]),
        fbxNode('KeyAttrRefCount', [fbxArray(Int32Array.of(kept.length))]),
      ]);
      builder.connect(curve, node, `d|${axis}`);
    });
  }
}

/**
 * Times of keys in time units, which rise. Of two keys beside one frame, as those of a jump are, only the nearer one is moved to it; of keys at one time, the last is
 * kept.
 */
function listTicks(times: ArrayLike<number>, rate: number): { ticks: BigInt64Array; kept: number[] } {
  const exact = Array.from(times, (time) => Math.round(time * FBX_TICKS));
  const all = Array.from(times, (time) => fbxTicks(time, rate));
  const moveOf = (k: number): number => Math.abs(all[k] - exact[k]);
  for (let k = all.length - 2; k >= 0; k--) {
    if (all[k] < all[k + 1]) continue;
    const farther = moveOf(k) > moveOf(k + 1) ? k : k + 1;
    all[farther] = exact[farther];
  }
  const kept = [...all.keys()].filter((k) => k + 1 === all.length || all[k + 1] > all[k]);
  return { ticks: BigInt64Array.from(kept, (k) => BigInt(all[k])), kept };
}
