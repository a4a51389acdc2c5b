// SPDX-License-Identifier: MIT
// Animations in few bytes. The numbers of all tracks of a kind are one view. Rotations are stored by meshopt's quaternion filter and lengths by its
// exponential filter, in steps by node (motion-steps.ts).
import type { GLTF } from '@gltf-transform/core';
import { TYPE_SIZE } from '../check/check-gltf-data.ts';
import { readJsonFloats } from '../check/json-accessor.ts';
import { jsonAccessor } from '../document/gltf-json.ts';
import type { MotionSteps } from './motion-steps.ts';
import type { SmallViews } from './small-views.ts';

type Encoder = typeof import('meshoptimizer/encoder').MeshoptEncoder;

const ROTATION_BITS: [number, number] = [5, 16];
const MANTISSA_BITS = 23;
/** Step of numbers that move no vertices, and of weights of shapes. */
const UNSEEN_STEP = 2 ** -12;
/** Component type of 16-bit integers. */
const SHORT = 5122;

/** Stores the times and values of all animations. Accessors are changed in place. */
export function storeSmallMotion(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  views: SmallViews,
  encoder: Encoder,
  steps: MotionSteps,
): void {
  // by path: the shortest step of the nodes that an accessor moves
  const kinds = new Map<string, Map<number, number>>();
  const times = new Set<number>();
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels) {
      const { input, output } = samplers[sampler];
      times.add(input);
      const kind = kinds.get(target.path) ?? new Map<number, number>();
      kinds.set(target.path, kind);
      const isStepped = target.path === 'translation' || target.path === 'rotation' || target.path === 'scale';
      const own = isStepped && target.node !== undefined ? steps[target.path as keyof MotionSteps][target.node] : 0;
      kind.set(output, Math.min(kind.get(output) || Number.POSITIVE_INFINITY, own > 0 ? own : UNSEEN_STEP));
    }
  }
  for (const [path, outputs] of kinds) {
    const packed = [...outputs].map(([index, step]) => {
      const values = readJsonFloats(json, binary, index);
      if (path === 'rotation') return { index, width: 8, bytes: packRotations(encoder, values, step) };
      const size = TYPE_SIZE[jsonAccessor(json, index).type];
      return { index, width: 4 * size, bytes: packLengths(values, step) };
    });
    const filter = path === 'rotation' ? 'QUATERNION' : 'EXPONENTIAL';
    for (const width of new Set(packed.map((one) => one.width))) {
      const own = packed.filter((one) => one.width === width);
      const view = views.addElements(joinBytes(own.map(({ bytes }) => bytes)), width, filter);
      let byteOffset = 0;
      for (const { index, bytes } of own) {
        const accessor = jsonAccessor(json, index);
        placeAccessor(accessor, view, byteOffset);
        if (path === 'rotation') {
          accessor.componentType = SHORT;
          accessor.normalized = true;
          delete accessor.min;
          delete accessor.max;
        }
        byteOffset += bytes.length;
      }
    }
  }
  const inputs = [...times].map((index) => ({ index, values: readJsonFloats(json, binary, index) }));
  const bytes = inputs.map(({ values }) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  if (inputs.length === 0) return;
  const view = views.addElements(joinBytes(bytes), 4);
  let byteOffset = 0;
  for (const { index, values } of inputs) {
    placeAccessor(jsonAccessor(json, index), view, byteOffset);
    byteOffset += values.byteLength;
  }
}

export function placeAccessor(accessor: GLTF.IAccessor, view: number, byteOffset: number): void {
  accessor.bufferView = view;
  if (byteOffset > 0) accessor.byteOffset = byteOffset;
  else delete accessor.byteOffset;
}

/** Quaternions of one track: a step of a component, 2 ** (1 - bits) / √2, turns by about twice as much. */
function packRotations(encoder: Encoder, values: Float32Array, step: number): Uint8Array {
  const bits = Math.ceil(Math.log2((2 * Math.SQRT2) / step));
  return encoder.encodeFilterQuat(values, values.length / 4, 8, clamp(bits, ROTATION_BITS));
}

/** Numbers of one track as multiples of a power of two: 24 bits of mantissa and 8 of exponent, as the exponential filter decodes. */
export function packLengths(values: Float32Array, step: number): Uint8Array {
  let largest = 0;
  for (const x of values) largest = Math.max(largest, Math.abs(x));
  const least = largest > 0 ? Math.floor(Math.log2(largest)) - MANTISSA_BITS + 2 : 0;
  const exponent = Math.max(-100, least, Math.floor(Math.log2(step)));
  const packed = Uint32Array.from(
    values,
    (x) => ((exponent << 24) | (Math.round(x * 2 ** -exponent) & 0xffffff)) >>> 0,
  );
  return new Uint8Array(packed.buffer);
}

function clamp(bits: number, [least, most]: [number, number]): number {
  return Math.min(most, Math.max(least, bits));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
