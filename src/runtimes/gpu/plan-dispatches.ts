// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import { OFFSET_ALIGNMENT } from './gpu-device.ts';

/** A range of a buffer to bind: its offset is aligned, and the data of the kernel starts `shift` bytes later. */
export interface BoundRange {
  offset: number;
  size: number;
  /** Bytes from the start of the binding. */
  shift: number;
}

/** Per-instance data: `stride` bytes per instance, starting at `offset`. */
export interface InstanceArray {
  offset: number;
  stride: number;
}

/** One dispatch: some instances, some windows of vertices. */
export interface DispatchPlan {
  firstInstance: number;
  instanceCount: number;
  firstWindow: number;
  windowCount: number;
  /** In the order of the given arrays. */
  ranges: BoundRange[];
}

export interface DispatchLimits {
  /** Maximum size of a binding in bytes. */
  maxBinding: number;
  /** Maximum number of workgroups per dimension. */
  maxGroups: number;
}

/**
 * Splits work so that no dispatch exceeds the limits of the device: the size of a binding, and workgroups per dimension.
 * @param arrays per-instance arrays that the kernel binds
 * @param perGroup instances per workgroup
 */
export function planDispatches(
  instanceCount: number,
  windowCount: number,
  arrays: readonly InstanceArray[],
  perGroup: number,
  { maxBinding, maxGroups }: DispatchLimits,
): DispatchPlan[] {
  const widest = Math.max(...arrays.map((array) => array.stride));
  // a binding starts up to one alignment early
  const room = Math.floor((maxBinding - OFFSET_ALIGNMENT) / widest);
  if (room < 1)
    throw new InputError(
      'gpu',
      `one instance takes ${widest} bytes and the device binds ${maxBinding} at once; ask for a higher maxStorageBufferBindingSize, or split the mesh`,
    );
  const step = Math.min(room >= perGroup ? room - (room % perGroup) : room, maxGroups * perGroup);
  const plans: DispatchPlan[] = [];
  for (let first = 0; first < instanceCount; first += step) {
    const count = Math.min(step, instanceCount - first);
    const ranges = arrays.map((array) => rangeOf(array, first, count));
    for (let firstWindow = 0; firstWindow < windowCount; firstWindow += maxGroups) {
      const windows = Math.min(maxGroups, windowCount - firstWindow);
      plans.push({ firstInstance: first, instanceCount: count, firstWindow, windowCount: windows, ranges });
    }
  }
  return plans;
}

function rangeOf({ offset, stride }: InstanceArray, first: number, count: number): BoundRange {
  const start = offset + first * stride;
  const shift = start % OFFSET_ALIGNMENT;
  return { offset: start - shift, size: shift + count * stride, shift };
}
