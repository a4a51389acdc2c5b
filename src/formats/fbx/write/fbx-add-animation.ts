// SPDX-License-Identifier: MIT

import type { FbxSpan } from '../syntax/fbx-header.ts';
import { fbxArray, fbxDouble, fbxLong, fbxNode } from '../syntax/fbx-pack.ts';
import { type FbxBuilder, type FbxProperty, fbxProperties, fbxTicks } from './fbx-builder.ts';

/** Keys of one property of one object, linear between them. */
export interface FbxWrittenTrack {
  target: number;
  property: 'Lcl Translation' | 'Lcl Rotation' | 'Lcl Scaling' | 'DeformPercent';
  /** keyCount, seconds */
  times: ArrayLike<number>;
  /** keyCount x axes */
  values: Float64Array;
}

const AXES = ['X', 'Y', 'Z'];
/** Name of a curve node, as other programs write it. */
const NODE_NAMES = { 'Lcl Translation': 'T', 'Lcl Rotation': 'R', 'Lcl Scaling': 'S', DeformPercent: 'DeformPercent' };
/** Linear interpolation, with the flags of tangents that editors expect. */
const LINEAR_FLAGS = 0x6104;
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
  for (const { target, property, times, values } of tracks) {
    const keyCount = times.length;
    const axes = property === 'DeformPercent' ? [property] : AXES;
    const starts = axes.map((axis, c): FbxProperty => [`d|${axis}`, 'Number', '', 'A', fbxDouble(values[c])]);
    const node = builder.add('AnimationCurveNode', NODE_NAMES[property], 'AnimCurveNode', '', [fbxProperties(starts)]);
    builder.connect(node, layer);
    builder.connect(node, target, property);
    const ticks = BigInt64Array.from({ length: keyCount }, (_, k) => BigInt(fbxTicks(times[k], rate)));
    axes.forEach((axis, c) => {
      const own = Float32Array.from({ length: keyCount }, (_, k) => values[k * axes.length + c]);
      const curve = builder.add('AnimationCurve', '', 'AnimCurve', '', [
        fbxNode('Default', [fbxDouble(values[c])]),
        fbxNode('KeyVer', [4008]),
        fbxNode('KeyTime', [fbxArray(ticks)]),
        fbxNode('KeyValueFloat', [fbxArray(own)]),
        fbxNode('KeyAttrFlags', [fbxArray(Int32Array.of(LINEAR_FLAGS))]),
        fbxNode('KeyAttrDataFloat', [fbxArray(LINEAR_DATA)]),
        fbxNode('KeyAttrRefCount', [fbxArray(Int32Array.of(keyCount))]),
      ]);
      builder.connect(curve, node, `d|${axis}`);
    });
  }
}
