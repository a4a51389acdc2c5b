// SPDX-License-Identifier: MIT
import type { Document, GLTF } from '@gltf-transform/core';
import { label } from '../../../deformers/layout/index.ts';
import { jsonAccessor } from '../document/gltf-json.ts';
import { findNotFinite, floatsOf } from '../document/read-accessor.ts';
import type { GltfRepairs } from './gltf-repairs.ts';
import type { SourcePatch } from './source-patch.ts';

/** Least time in seconds between two keys of a jump at time zero, where the next float is too close to divide by. */
const LEAST_STEP = 1e-6;

/** Keys to play. */
interface Keys {
  /** Indices of keys of the file. */
  kept: number[];
  /** Their times, rising. */
  times: Float32Array;
  /** Number of keys whose time is new. */
  moved: number;
}

/**
 * Repairs animations whose keys are not finite, whose rotations have no length or whose times do not rise. Of keys at one time, the first and the last are
 * kept, one float apart: viewers play them as a jump. Channels without a key left are removed. Animations are changed in place.
 */
export function repairGltfKeys(document: Document, patch: SourcePatch, repairs: GltfRepairs): void {
  const accessors = document.getRoot().listAccessors();
  const animations = patch.json.animations ?? [];
  let isChanged = false;
  for (const [a, animation] of animations.entries()) {
    const paths = new Map(animation.channels.map(({ sampler, target }) => [sampler, target.path]));
    const lost = new Set<number>();
    animation.samplers.forEach((sampler, s) => {
      const path = paths.get(s);
      if (path === undefined) return;
      const times = floatsOf(accessors[sampler.input]);
      const values = floatsOf(accessors[sampler.output]);
      const keys = findKeys(times, values, path === 'rotation');
      if (!keys) return;
      isChanged = true;
      const where = `animation ${label(animation.name, a)}`;
      if (keys.kept.length === 0) {
        lost.add(s);
        return;
      }
      countKeys(keys, times.length, where, repairs);
      putKeys(sampler, keys, values, patch);
    });
    if (lost.size > 0)
      repairs.add('channel', `animation ${label(animation.name, a)} has a channel without keys`, lost.size);
    animation.channels = animation.channels.filter(({ sampler }) => !lost.has(sampler));
  }
  if (isChanged) patch.setAnimations(animations.filter(({ channels }) => channels.length > 0));
}

function countKeys({ kept, moved }: Keys, count: number, where: string, repairs: GltfRepairs): void {
  if (kept.length < count) {
    const gap = kept.findIndex((k, n) => k !== n);
    repairs.add('key', `key ${gap < 0 ? kept.length : gap} of ${where}`, count - kept.length);
  }
  if (moved > 0) repairs.add('jump', where, moved);
}

function putKeys(
  sampler: GLTF.IAnimationSampler,
  { kept, times }: Keys,
  values: Float32Array,
  patch: SourcePatch,
): void {
  const { type, count } = jsonAccessor(patch.json, sampler.output);
  const keyCount = jsonAccessor(patch.json, sampler.input).count;
  const size = (values.length / count) * (count / keyCount);
  const own = new Float32Array(kept.length * size);
  kept.forEach((k, n) => {
    own.set(values.subarray(k * size, (k + 1) * size), n * size);
  });
  sampler.input = patch.add('SCALAR', times);
  sampler.output = patch.add(type, own);
}

/** The keys of a track that can be played; undefined if all can. */
function findKeys(times: Float32Array, values: Float32Array, isRotation: boolean): Keys | undefined {
  const size = values.length / times.length;
  const hasLengths = !isRotation || times.every((_, k) => hasLength(values, k * size, size));
  if (hasLengths && findNotFinite(values) < 0 && areRising(times)) return undefined;
  const isSound = (k: number): boolean =>
    findNotFinite(values.subarray(k * size, (k + 1) * size)) < 0 && (!isRotation || hasLength(values, k * size, size));
  const kept: number[] = [];
  const own: number[] = [];
  const drop = (): void => {
    kept.pop();
    own.pop();
  };
  for (let k = 0; k < times.length; k++) {
    const last = kept.length === 0 ? Number.NEGATIVE_INFINITY : times[kept[kept.length - 1]];
    if (!(times[k] >= last) || !Number.isFinite(times[k]) || !isSound(k)) continue;
    if (times[k] > last) {
      // the end of a jump may lie on the next float already
      if (own.length > 0 && own[own.length - 1] >= times[k]) drop();
      kept.push(k);
      own.push(times[k]);
      continue;
    }
    if (kept.length > 1 && times[kept[kept.length - 2]] === last) drop();
    kept.push(k);
    own.push(times[k] === 0 ? LEAST_STEP : nextFloat(times[k]));
  }
  const moved = kept.filter((k, n) => times[k] !== own[n]).length;
  return { kept, times: Float32Array.from(own), moved };
}

function areRising(times: Float32Array): boolean {
  return times.every((time, k) => Number.isFinite(time) && (k === 0 || time > times[k - 1]));
}

/** Whether a rotation has a length; of a spline, the middle of its three quaternions. */
function hasLength(values: Float32Array, start: number, size: number): boolean {
  const o = start + (size === 12 ? 4 : 0);
  return values[o] !== 0 || values[o + 1] !== 0 || values[o + 2] !== 0 || values[o + 3] !== 0;
}

/** The next larger 32-bit float. */
function nextFloat(value: number): number {
  const bits = new Int32Array(Float32Array.of(value).buffer);
  bits[0] += value < 0 ? -1 : 1;
  return new Float32Array(bits.buffer)[0];
}
