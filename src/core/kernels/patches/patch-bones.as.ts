// SPDX-License-Identifier: MIT
// Rigid bones fitted to patches of nearest points; patch-bones.ts has the arguments and the reference implementation.
import { rotateOne } from './rotations.as';
import { f64s } from '../matrices/vectors.as';
import { PatchBones } from '../slots.as';

export function patchBones(args: usize, p: i32, thread: i32): void {
  const keys = <usize>load<f64>(args, PatchBones.keys), u = <usize>load<f64>(args, PatchBones.rest);
  const v = <usize>load<f64>(args, PatchBones.posed);
  const vertex = load<u32>(<usize>load<f64>(args, PatchBones.vertices) + (<usize>p << 2));
  const size = <i32>load<u32>(<usize>load<f64>(args, PatchBones.sizes) + (<usize>p << 2));
  const count = <i32>load<f64>(args, PatchBones.vertexCount), rows = <i32>load<f64>(args, PatchBones.rows);
  const width = <i32>load<f64>(args, PatchBones.width), frames = load<f64>(args, PatchBones.frames);
  const rowStride = f64s(<usize>load<f64>(args, PatchBones.row)), numberStride = f64s(<usize>load<f64>(args, PatchBones.number));
  const list = <usize>load<f64>(args, PatchBones.lists) + (<usize>(p * count) << 2);
  const out = <usize>load<f64>(args, PatchBones.out) + f64s(p * <i32>load<f64>(args, PatchBones.bone));
  const scratch = <usize>load<f64>(args, PatchBones.scratch) + <usize>thread * <usize>load<f64>(args, PatchBones.bytesPerThread);
  const own = keys + f64s(vertex * width), copy = scratch + f64s(count);
  measureDistances(keys, own, count, width, 1 / frames, scratch);
  for (let o: usize = 0; o < f64s(count); o += 8) store<f64>(copy + o, load<f64>(scratch + o));
  const threshold = selectValue(copy, count, size - 1);
  let found = 0;
  for (let i = 0; i < count && found < size; i++) {
    if (load<f64>(scratch + f64s(i)) < threshold) store<u32>(list + (<usize>(found++) << 2), i);
  }
  for (let i = 0; i < count && found < size; i++) {
    if (load<f64>(scratch + f64s(i)) == threshold) store<u32>(list + (<usize>(found++) << 2), i);
  }
  fitPatch(u, v, rows, list, size, out, rowStride, numberStride, scratch);
}

function measureDistances(keys: usize, own: usize, count: i32, width: i32, share: f64, out: usize): void {
  const x = load<f64>(own), y = load<f64>(own, 8), z = load<f64>(own, 16), bytes = f64s(width);
  let key = keys;
  for (let i = 0; i < count; i++) {
    const dx = load<f64>(key) - x, dy = load<f64>(key, 8) - y, dz = load<f64>(key, 16) - z;
    let sum = f64x2.splat(0);
    for (let o: usize = 32; o < bytes; o += 16) {
      const d = f64x2.sub(v128.load(key + o), v128.load(own + o));
      sum = f64x2.add(sum, f64x2.mul(d, d));
    }
    store<f64>(out + f64s(i), dx * dx + dy * dy + dz * dz + share * (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)));
    key += bytes;
  }
}

// @ts-ignore: decorator
@inline function at(values: usize, i: i32): f64 { return load<f64>(values + f64s(i)); }

/** The value of rank k (from 0); reorders the values. Parts in three, so that equal values end the search. */
function selectValue(values: usize, count: i32, k: i32): f64 {
  let low = 0, high = count - 1;
  while (low < high) {
    const a = at(values, low), b = at(values, (low + high) >> 1), c = at(values, high);
    const pivot = max(min(a, b), min(max(a, b), c));
    let less = low, i = low, more = high;
    while (i <= more) {
      const x = at(values, i);
      if (x < pivot) {
        store<f64>(values + f64s(i++), at(values, less));
        store<f64>(values + f64s(less++), x);
      } else if (x > pivot) {
        store<f64>(values + f64s(i), at(values, more));
        store<f64>(values + f64s(more--), x);
      } else i++;
    }
    if (k < less) high = less - 1;
    else if (k > more) low = more + 1;
    else return pivot;
  }
  return at(values, k);
}

/** scratch: 3 numbers per point for the centered rest positions, then 9 for a matrix. The distances are not needed any more. */
function fitPatch(u: usize, v: usize, rows: i32, list: usize, size: i32, out: usize, rowStride: usize, numberStride: usize, scratch: usize): void {
  let cx: f64 = 0, cy: f64 = 0, cz: f64 = 0;
  const share = 1 / <f64>size;
  for (let n = 0; n < size; n++) {
    const p = u + f64s(3 * load<u32>(list + (<usize>n << 2)));
    cx += load<f64>(p); cy += load<f64>(p, 8); cz += load<f64>(p, 16);
  }
  cx *= share; cy *= share; cz *= share;
  for (let n = 0; n < size; n++) {
    const p = u + f64s(3 * load<u32>(list + (<usize>n << 2))), q = scratch + f64s(3 * n);
    store<f64>(q, load<f64>(p) - cx); store<f64>(q, load<f64>(p, 8) - cy, 8); store<f64>(q, load<f64>(p, 16) - cz, 16);
  }
  const m = scratch + f64s(3 * size);
  for (let row = 0; row < rows; row += 3) {
    let m0: f64 = 0, m1: f64 = 0, m2: f64 = 0, m3: f64 = 0, m4: f64 = 0, m5: f64 = 0, m6: f64 = 0, m7: f64 = 0, m8: f64 = 0;
    let sx: f64 = 0, sy: f64 = 0, sz: f64 = 0;
    for (let n = 0; n < size; n++) {
      const p = v + f64s(load<u32>(list + (<usize>n << 2)) * rows + row), q = scratch + f64s(3 * n);
      const x = load<f64>(p), y = load<f64>(p, 8), z = load<f64>(p, 16);
      const a = load<f64>(q), b = load<f64>(q, 8), c = load<f64>(q, 16);
      sx += x; sy += y; sz += z;
      m0 += x * a; m1 += y * a; m2 += z * a;
      m3 += x * b; m4 += y * b; m5 += z * b;
      m6 += x * c; m7 += y * c; m8 += z * c;
    }
    store<f64>(m, m0); store<f64>(m, m1, 8); store<f64>(m, m2, 16);
    store<f64>(m, m3, 24); store<f64>(m, m4, 32); store<f64>(m, m5, 40);
    store<f64>(m, m6, 48); store<f64>(m, m7, 56); store<f64>(m, m8, 64);
    rotateOne(m, m);
    for (let r = 0; r < 3; r++) {
      const o = out + <usize>(row + r) * rowStride, q = m + f64s(r);
      const x = load<f64>(q), y = load<f64>(q, 24), z = load<f64>(q, 48);
      store<f64>(o, x); store<f64>(o + numberStride, y); store<f64>(o + 2 * numberStride, z);
      store<f64>(o + 3 * numberStride, (r == 0 ? sx : r == 1 ? sy : sz) * share - x * cx - y * cy - z * cz);
    }
  }
}
