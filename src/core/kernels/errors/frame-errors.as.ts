// SPDX-License-Identifier: MIT
// Distances and angles between two shapes, a frame per chunk, and their sums over frames; frame-errors.ts has the arguments.
import { f64s } from '../matrices/vectors.as';
import { FrameErrors, VertexErrors } from '../slots.as';

const DEGREES: f64 = 57.29577951308232;

/** Sums of area vectors per point. */
function normalsInto(positions: usize, corners: usize, offsets: usize, cornerCount: i32, normals: usize, length: usize): void {
  memory.fill(normals, 0, length);
  for (let c: usize = 0, end = <usize>cornerCount << 2; c < end; c += 12) {
    const u = positions + (<usize>load<u32>(corners + c) << 2);
    const v = positions + (<usize>load<u32>(corners + c, 4) << 2);
    const w = positions + (<usize>load<u32>(corners + c, 8) << 2);
    const x = <f64>load<f32>(u), y = <f64>load<f32>(u, 4), z = <f64>load<f32>(u, 8);
    const ax = <f64>load<f32>(v) - x, ay = <f64>load<f32>(v, 4) - y, az = <f64>load<f32>(v, 8) - z;
    const bx = <f64>load<f32>(w) - x, by = <f64>load<f32>(w, 4) - y, bz = <f64>load<f32>(w, 8) - z;
    const nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
    for (let k: usize = 0; k < 12; k += 4) {
      const p = normals + (<usize>load<u32>(offsets + c + k) << 3);
      store<f64>(p, load<f64>(p) + nx);
      store<f64>(p, load<f64>(p, 8) + ny, 8);
      store<f64>(p, load<f64>(p, 16) + nz, 16);
    }
  }
}

/** Reorders values so that the value of a rank is in its place, smaller ones before it and larger ones after it (Hoare 1961). */
function selectRank(values: usize, from: i32, count: i32, rank: i32): void {
  let low = from, high = count - 1;
  while (low < high) {
    const pivot = load<f32>(values + (<usize>((low + high) >>> 1) << 2));
    let i = low, j = high;
    while (i <= j) {
      while (load<f32>(values + (<usize>i << 2)) < pivot) i++;
      while (load<f32>(values + (<usize>j << 2)) > pivot) j--;
      if (i > j) break;
      const p = values + (<usize>(i++) << 2), q = values + (<usize>(j--) << 2);
      const value = load<f32>(p);
      store<f32>(p, load<f32>(q));
      store<f32>(q, value);
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
}

/** Quartiles and maximum, as quantilesInto of measure/error/quantile.ts; values are reordered. */
function quartilesInto(values: usize, count: i32, out: usize): void {
  let from = 0;
  for (let n = 1; n < 5; n++) {
    const place = 0.25 * <f64>n * <f64>(count - 1), rank = min(count - 1, <i32>place), ratio = place - <f64>rank;
    selectRank(values, from, count, rank);
    from = rank;
    let value = <f64>load<f32>(values + (<usize>rank << 2));
    if (ratio > 0) {
      let next = load<f32>(values + (<usize>(rank + 1) << 2));
      for (let i = rank + 2; i < count; i++) next = min(next, load<f32>(values + (<usize>i << 2)));
      value += ratio * (<f64>next - value);
    }
    store<f64>(out + f64s(n - 1), value);
  }
}

export function frameErrors(args: usize, chunk: i32, thread: i32): void {
  const vertexCount = <i32>load<f64>(args, FrameErrors.vertexCount), pointCount = <i32>load<f64>(args, FrameErrors.pointCount);
  const cornerCount = <i32>load<f64>(args, FrameErrors.cornerCount);
  const truth = <usize>load<f64>(args, FrameErrors.truth) + <usize>chunk * <usize>vertexCount * 12;
  const shape = <usize>load<f64>(args, FrameErrors.shapes) + <usize>chunk * <usize>vertexCount * 12;
  const pointOfVertex = <usize>load<f64>(args, FrameErrors.pointOfVertex), corners = <usize>load<f64>(args, FrameErrors.corners);
  const offsets = <usize>load<f64>(args, FrameErrors.offsets);
  const squares = <usize>load<f64>(args, FrameErrors.squares) + f64s(<usize>chunk * <usize>vertexCount);
  const ofPoint = <usize>load<f64>(args, FrameErrors.ofPoint) + ((<usize>chunk * <usize>pointCount) << 2);
  const sums = <usize>load<f64>(args, FrameErrors.sums) + f64s(<usize>chunk * 8);
  const points = <usize>load<f64>(args, FrameErrors.scratch) + <usize>thread * <usize>load<f64>(args, FrameErrors.bytesPerThread);
  const a = points + f64s(pointCount), b = a + f64s(3 * pointCount);
  memory.fill(points, 0, f64s(pointCount));
  let bad: f64 = -1;
  for (let i = 0; i < vertexCount; i++) {
    const t = truth + <usize>i * 12, s = shape + <usize>i * 12;
    const x = <f64>load<f32>(s) - <f64>load<f32>(t), y = <f64>load<f32>(s, 4) - <f64>load<f32>(t, 4), z = <f64>load<f32>(s, 8) - <f64>load<f32>(t, 8);
    const square = x * x + y * y + z * z;
    if (!(square < Infinity) && bad < 0) bad = i;
    store<f64>(squares + f64s(i), square);
    const p = points + f64s(load<u32>(pointOfVertex + (<usize>i << 2)));
    if (square > load<f64>(p)) store<f64>(p, square);
  }
  let sum: f64 = 0;
  for (let p = 0; p < pointCount; p++) {
    const square = load<f64>(points + f64s(p));
    sum += square;
    store<f32>(ofPoint + (<usize>p << 2), <f32>Math.sqrt(square));
  }
  // points are no longer needed: the quartiles reorder a copy of the distances there
  memory.copy(points, ofPoint, <usize>pointCount << 2);
  if (pointCount > 0) quartilesInto(points, pointCount, sums + 32);
  const length = f64s(3 * pointCount);
  normalsInto(truth, corners, offsets, cornerCount, a, length);
  normalsInto(shape, corners, offsets, cornerCount, b, length);
  let squared: f64 = 0, count: f64 = 0;
  for (let o: usize = 0; o < length; o += 24) {
    const ax = load<f64>(a + o), ay = load<f64>(a + o, 8), az = load<f64>(a + o, 16);
    if (ax == 0 && ay == 0 && az == 0) continue;
    const bx = load<f64>(b + o), by = load<f64>(b + o, 8), bz = load<f64>(b + o, 16);
    const x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
    const isLost = bx == 0 && by == 0 && bz == 0;
    const angle = isLost ? 90 : DEGREES * Math.atan2(Math.sqrt(x * x + y * y + z * z), ax * bx + ay * by + az * bz);
    squared += angle * angle;
    count += 1;
  }
  store<f64>(sums, sum); store<f64>(sums, squared, 8); store<f64>(sums, count, 16); store<f64>(sums, bad, 24);
}

export function vertexErrors(args: usize, chunk: i32, _thread: i32): void {
  const truth = <usize>load<f64>(args, VertexErrors.truth), squares = <usize>load<f64>(args, VertexErrors.squares);
  const first = <usize>load<f64>(args, VertexErrors.first);
  const sums = <usize>load<f64>(args, VertexErrors.sums), largest = <usize>load<f64>(args, VertexErrors.largest);
  const shifts = <usize>load<f64>(args, VertexErrors.shifts), spreads = <usize>load<f64>(args, VertexErrors.spreads);
  const vertexCount = <i32>load<f64>(args, VertexErrors.vertexCount), frameCount = <i32>load<f64>(args, VertexErrors.frameCount);
  const size = <i32>load<f64>(args, VertexErrors.chunkSize);
  const begin = chunk * size, end = min(vertexCount, begin + size);
  for (let k = 0; k < frameCount; k++) {
    const row = squares + f64s(<usize>k * <usize>vertexCount);
    for (let i = begin; i < end; i++) {
      const square = load<f64>(row + f64s(i)), s = sums + f64s(i), l = largest + f64s(i);
      store<f64>(s, load<f64>(s) + square);
      if (square > load<f64>(l)) store<f64>(l, square);
    }
    const frame = truth + <usize>k * <usize>vertexCount * 12;
    let c = 3 * begin;
    for (; c + 1 < 3 * end; c += 2) {
      const at = <usize>c << 2, s = shifts + f64s(c), q = spreads + f64s(c);
      const x = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(frame + at)), f64x2.promote_low_f32x4(v128.load64_zero(first + at)));
      v128.store(s, f64x2.add(v128.load(s), x));
      v128.store(q, f64x2.add(v128.load(q), f64x2.mul(x, x)));
    }
    for (; c < 3 * end; c++) {
      const x = <f64>load<f32>(frame + (<usize>c << 2)) - <f64>load<f32>(first + (<usize>c << 2));
      const s = shifts + f64s(c), q = spreads + f64s(c);
      store<f64>(s, load<f64>(s) + x);
      store<f64>(q, load<f64>(q) + x * x);
    }
  }
}
