// SPDX-License-Identifier: MIT
// Rows of a sparse L D Lᵀ; sparse-factor.ts has the arguments and the reference implementation.
import { SparseFactor } from '../slots.as';

// @ts-ignore: decorator
@inline function word(array: usize, n: u32): u32 {
  return load<u32>(array + (<usize>n << 2));
}

// @ts-ignore: decorator
@inline function at8(array: usize, n: u32): usize {
  return array + (<usize>n << 3);
}

export function sparseFactor(args: usize, chunk: i32, thread: i32): void {
  const list = <usize>load<f64>(args, SparseFactor.list), chunks = <usize>load<f64>(args, SparseFactor.chunks);
  const first = <u32>load<f64>(args, SparseFactor.firstChunk) + <u32>chunk;
  const parent = <usize>load<f64>(args, SparseFactor.parent), columnStart = <usize>load<f64>(args, SparseFactor.columnStart);
  const rowStart = <usize>load<f64>(args, SparseFactor.rowStart);
  const rowColumns = <usize>load<f64>(args, SparseFactor.rowColumns), rowSources = <usize>load<f64>(args, SparseFactor.rowSources);
  const runs = <usize>load<f64>(args, SparseFactor.runs);
  const entries = <usize>load<f64>(args, SparseFactor.entries), end = <usize>load<f64>(args, SparseFactor.end);
  const rows = <usize>load<f64>(args, SparseFactor.rows);
  const values = <usize>load<f64>(args, SparseFactor.values), inversePivots = <usize>load<f64>(args, SparseFactor.inversePivots);
  const pivots = <usize>load<f64>(args, SparseFactor.pivots);
  const diagonals = <usize>load<f64>(args, SparseFactor.diagonals), size = <u32>load<f64>(args, SparseFactor.size);
  const tolerance = load<f64>(args, SparseFactor.tolerance);
  const scratch = <usize>thread * <usize>size;
  const y = <usize>load<f64>(args, SparseFactor.y) + (scratch << 3), met = <usize>load<f64>(args, SparseFactor.met) + (scratch << 2);
  const stack = <usize>load<f64>(args, SparseFactor.stack) + (scratch << 2), last = word(chunks, first + 1);
  for (let place = word(chunks, first); place < last; place++) {
    const k = word(list, place), mark = k + 1;
    let top = size, diagonal: f64 = 0;
    store<u32>(met + (<usize>k << 2), mark);
    const stop = word(rowStart, k + 1);
    for (let e = word(rowStart, k); e < stop; e++) {
      const column = word(rowColumns, e), a = load<f64>(at8(entries, word(rowSources, e)));
      if (column == k) {
        diagonal = a;
        continue;
      }
      store<f64>(at8(y, column), a);
      let walked: u32 = 0;
      for (let i = column; word(met, i) != mark; i = word(parent, i)) {
        store<u32>(met + (<usize>i << 2), mark);
        store<u32>(stack + (<usize>walked << 2), i);
        walked++;
      }
      while (walked > 0) {
        top--;
        walked--;
        store<u32>(stack + (<usize>top << 2), word(stack, walked));
      }
    }
    let pivot = diagonal;
    for (let n = top; n < size; ) {
      const i = word(stack, n);
      let width: u32 = 1;
      if (n + 3 < size && word(stack, n + 3) == i + 3 && word(runs, i) > 3) {
        width = 4;
        updateFour(i, y, columnStart, end, rows, values);
      } else {
        const yi = load<f64>(at8(y, i)), to = word(end, i);
        for (let q = word(columnStart, i); q < to; q++) {
          const target = at8(y, word(rows, q));
          store<f64>(target, load<f64>(target) - load<f64>(at8(values, q)) * yi);
        }
      }
      for (let c = i; c < i + width; c++) {
        const yc = load<f64>(at8(y, c));
        store<f64>(at8(y, c), 0);
        const l = yc * load<f64>(at8(inversePivots, c));
        pivot -= l * yc;
        const to = word(end, c);
        store<u32>(rows + (<usize>to << 2), k);
        store<f64>(at8(values, to), l);
        store<u32>(end + (<usize>c << 2), to + 1);
      }
      n += width;
    }
    store<f64>(at8(pivots, k), pivot);
    store<f64>(at8(diagonals, k), diagonal);
    const isPositive = pivot > tolerance * Math.abs(diagonal) && pivot < Infinity;
    store<f64>(at8(inversePivots, k), isPositive ? 1 / pivot : 0);
  }
}

/** Eliminates four finished unknowns, whose columns have the same rows below the last, from those below: two rows at a time. */
// @ts-ignore: decorator
@inline function updateFour(i: u32, y: usize, columnStart: usize, end: usize, rows: usize, values: usize): void {
  const own = at8(y, i), s0 = word(columnStart, i + 3), to = word(end, i + 3);
  let p = at8(values, word(columnStart, i)), q = at8(values, word(columnStart, i + 1)), r = at8(values, word(columnStart, i + 2));
  let s = at8(values, s0), row = rows + (<usize>s0 << 2), count = to - s0;
  const a = load<f64>(own);
  const b = load<f64>(own, 8) - load<f64>(p) * a;
  const c = load<f64>(own, 16) - load<f64>(p, 8) * a - load<f64>(q) * b;
  const d = load<f64>(own, 24) - load<f64>(p, 16) * a - load<f64>(q, 8) * b - load<f64>(r) * c;
  store<f64>(own, b, 8);
  store<f64>(own, c, 16);
  store<f64>(own, d, 24);
  p += 24;
  q += 16;
  r += 8;
  const a2 = f64x2.splat(a), b2 = f64x2.splat(b), c2 = f64x2.splat(c), d2 = f64x2.splat(d);
  for (; count > 1; count -= 2) {
    const ab = f64x2.add(f64x2.mul(v128.load(p), a2), f64x2.mul(v128.load(q), b2));
    const sum = f64x2.add(f64x2.add(ab, f64x2.mul(v128.load(r), c2)), f64x2.mul(v128.load(s), d2));
    const x = at8(y, load<u32>(row)), z = at8(y, load<u32>(row, 4));
    store<f64>(x, load<f64>(x) - f64x2.extract_lane(sum, 0));
    store<f64>(z, load<f64>(z) - f64x2.extract_lane(sum, 1));
    p += 16;
    q += 16;
    r += 16;
    s += 16;
    row += 8;
  }
  if (count == 0) return;
  const x = at8(y, load<u32>(row));
  store<f64>(x, load<f64>(x) - (load<f64>(p) * a + load<f64>(q) * b + load<f64>(r) * c + load<f64>(s) * d));
}
