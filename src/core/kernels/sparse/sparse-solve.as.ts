// SPDX-License-Identifier: MIT
// Repeated solves with a sparse L D L^T, eight right-hand sides per block; sparse-solve.ts has the arguments and the algebra.
// A group is one, two or four columns of L with the same rows below the last of them. For a group of four, four right-hand sides are in registers at
// a time: every block element that is read or written serves four columns of L, and every entry of L four right-hand sides.
import { SparseSolve } from '../slots.as';

// @ts-ignore: decorator
@inline function times(l: v128, a: v128): v128 { return f64x2.mul(l, a); }
// @ts-ignore: decorator
@inline function less(y: v128, l: v128, a: v128): v128 { return f64x2.sub(y, f64x2.mul(l, a)); }

export function sparseSolve(args: usize, chunk: i32, _thread: i32): void {
  const columnStart = <usize>load<f64>(args, SparseSolve.columnStart), rows = <usize>load<f64>(args, SparseSolve.rows);
  const values = <usize>load<f64>(args, SparseSolve.values);
  const inversePivots = <usize>load<f64>(args, SparseSolve.inversePivots), groups = <usize>load<f64>(args, SparseSolve.groups);
  const groupCount = <usize>load<f64>(args, SparseSolve.groupCount);
  const size = <usize>load<f64>(args, SparseSolve.size), diagonal = <usize>load<f64>(args, SparseSolve.diagonal);
  const addends = <usize>load<f64>(args, SparseSolve.addends);
  const y = <usize>load<f64>(args, SparseSolve.blocks) + <usize>chunk * (size << 6);
  const addend = addends ? addends + <usize>chunk * (size << 6) : 0;
  const iterations = <i32>load<f64>(args, SparseSolve.iterations);
  for (let n = 0; n < iterations; n++) {
    if (diagonal) scale(y, diagonal, size);
    if (addend) add(y, addend, size << 6);
    for (let g: usize = 0; g < groupCount; g++) {
      const j = <usize>load<u32>(groups + (g << 2)), width = <usize>load<u32>(groups + (g << 2), 4) - j;
      if (width == 4) forwardFour(y, columnStart, rows, values, j);
      else if (width == 2) forwardTwo(y, columnStart, rows, values, j);
      else forwardOne(y, columnStart, rows, values, j);
    }
    for (let g = groupCount; g-- > 0;) {
      const j = <usize>load<u32>(groups + (g << 2)), width = <usize>load<u32>(groups + (g << 2), 4) - j;
      if (width == 4) backwardFour(y, columnStart, rows, values, inversePivots, j);
      else if (width == 2) backwardTwo(y, columnStart, rows, values, inversePivots, j);
      else backwardOne(y, columnStart, rows, values, inversePivots, j);
    }
  }
}

function scale(y: usize, diagonal: usize, size: usize): void {
  for (let k: usize = 0; k < size; k++) {
    const d = v128.load64_splat(diagonal + (k << 3)), o = y + (k << 6);
    v128.store(o, f64x2.mul(v128.load(o), d)); v128.store(o, f64x2.mul(v128.load(o, 16), d), 16);
    v128.store(o, f64x2.mul(v128.load(o, 32), d), 32); v128.store(o, f64x2.mul(v128.load(o, 48), d), 48);
  }
}

function add(y: usize, addend: usize, bytes: usize): void {
  for (let o: usize = 0; o < bytes; o += 16) v128.store(y + o, f64x2.add(v128.load(y + o), v128.load(addend + o)));
}

// @ts-ignore: decorator
@inline function startOf(columnStart: usize, j: usize): usize { return <usize>load<u32>(columnStart + (j << 2)); }
// @ts-ignore: decorator
@inline function rowAt(y: usize, rows: usize, e: usize): usize { return y + (<usize>load<u32>(rows + (e << 2)) << 6); }

function forwardOne(y: usize, columnStart: usize, rows: usize, values: usize, j: usize): void {
  const o = y + (j << 6), end = startOf(columnStart, j + 1);
  const a0 = v128.load(o), a1 = v128.load(o, 16), a2 = v128.load(o, 32), a3 = v128.load(o, 48);
  for (let e = startOf(columnStart, j); e < end; e++) {
    const l = v128.load64_splat(values + (e << 3)), r = rowAt(y, rows, e);
    v128.store(r, less(v128.load(r), l, a0)); v128.store(r, less(v128.load(r, 16), l, a1), 16);
    v128.store(r, less(v128.load(r, 32), l, a2), 32); v128.store(r, less(v128.load(r, 48), l, a3), 48);
  }
}

function backwardOne(y: usize, columnStart: usize, rows: usize, values: usize, inversePivots: usize, j: usize): void {
  const o = y + (j << 6), end = startOf(columnStart, j + 1), d = v128.load64_splat(inversePivots + (j << 3));
  let a0 = times(d, v128.load(o)), a1 = times(d, v128.load(o, 16)), a2 = times(d, v128.load(o, 32)), a3 = times(d, v128.load(o, 48));
  for (let e = startOf(columnStart, j); e < end; e++) {
    const l = v128.load64_splat(values + (e << 3)), r = rowAt(y, rows, e);
    a0 = less(a0, l, v128.load(r)); a1 = less(a1, l, v128.load(r, 16));
    a2 = less(a2, l, v128.load(r, 32)); a3 = less(a3, l, v128.load(r, 48));
  }
  v128.store(o, a0); v128.store(o, a1, 16); v128.store(o, a2, 32); v128.store(o, a3, 48);
}

function forwardTwo(y: usize, columnStart: usize, rows: usize, values: usize, j: usize): void {
  const o = y + (j << 6), second = startOf(columnStart, j + 1), end = startOf(columnStart, j + 2);
  const p = values + (startOf(columnStart, j) << 3), l = v128.load64_splat(p);
  const a0 = v128.load(o), a1 = v128.load(o, 16), a2 = v128.load(o, 32), a3 = v128.load(o, 48);
  const b0 = less(v128.load(o, 64), l, a0), b1 = less(v128.load(o, 80), l, a1), b2 = less(v128.load(o, 96), l, a2), b3 = less(v128.load(o, 112), l, a3);
  v128.store(o, b0, 64); v128.store(o, b1, 80); v128.store(o, b2, 96); v128.store(o, b3, 112);
  let v = p + 8;
  for (let e = second; e < end; e++, v += 8) {
    const la = v128.load64_splat(v), lb = v128.load64_splat(values + (e << 3)), r = rowAt(y, rows, e);
    v128.store(r, less(less(v128.load(r), la, a0), lb, b0)); v128.store(r, less(less(v128.load(r, 16), la, a1), lb, b1), 16);
    v128.store(r, less(less(v128.load(r, 32), la, a2), lb, b2), 32); v128.store(r, less(less(v128.load(r, 48), la, a3), lb, b3), 48);
  }
}

function backwardTwo(y: usize, columnStart: usize, rows: usize, values: usize, inversePivots: usize, j: usize): void {
  const o = y + (j << 6), second = startOf(columnStart, j + 1), end = startOf(columnStart, j + 2);
  const p = values + (startOf(columnStart, j) << 3), d = v128.load64_splat(inversePivots + (j << 3)), f = v128.load64_splat(inversePivots + (j << 3), 8);
  let a0 = times(d, v128.load(o)), a1 = times(d, v128.load(o, 16)), a2 = times(d, v128.load(o, 32)), a3 = times(d, v128.load(o, 48));
  let b0 = times(f, v128.load(o, 64)), b1 = times(f, v128.load(o, 80)), b2 = times(f, v128.load(o, 96)), b3 = times(f, v128.load(o, 112));
  let v = p + 8;
  for (let e = second; e < end; e++, v += 8) {
    const la = v128.load64_splat(v), lb = v128.load64_splat(values + (e << 3)), r = rowAt(y, rows, e);
    let x = v128.load(r);
    a0 = less(a0, la, x); b0 = less(b0, lb, x);
    x = v128.load(r, 16);
    a1 = less(a1, la, x); b1 = less(b1, lb, x);
    x = v128.load(r, 32);
    a2 = less(a2, la, x); b2 = less(b2, lb, x);
    x = v128.load(r, 48);
    a3 = less(a3, la, x); b3 = less(b3, lb, x);
  }
  v128.store(o, b0, 64); v128.store(o, b1, 80); v128.store(o, b2, 96); v128.store(o, b3, 112);
  const l = v128.load64_splat(p);
  v128.store(o, less(a0, l, b0)); v128.store(o, less(a1, l, b1), 16); v128.store(o, less(a2, l, b2), 32); v128.store(o, less(a3, l, b3), 48);
}

function forwardFour(y: usize, columnStart: usize, rows: usize, values: usize, j: usize): void {
  const s = startOf(columnStart, j + 3), end = startOf(columnStart, j + 4);
  const p = values + (startOf(columnStart, j) << 3), q = values + (startOf(columnStart, j + 1) << 3), r = values + (startOf(columnStart, j + 2) << 3);
  for (let h: usize = 0; h < 64; h += 32) {
    const o = y + (j << 6) + h;
    const a0 = v128.load(o), a1 = v128.load(o, 16);
    let l = v128.load64_splat(p);
    const b0 = less(v128.load(o, 64), l, a0), b1 = less(v128.load(o, 80), l, a1);
    l = v128.load64_splat(p, 8);
    let m = v128.load64_splat(q);
    const c0 = less(less(v128.load(o, 128), l, a0), m, b0), c1 = less(less(v128.load(o, 144), l, a1), m, b1);
    l = v128.load64_splat(p, 16); m = v128.load64_splat(q, 8);
    const n = v128.load64_splat(r);
    const d0 = less(less(less(v128.load(o, 192), l, a0), m, b0), n, c0), d1 = less(less(less(v128.load(o, 208), l, a1), m, b1), n, c1);
    v128.store(o, b0, 64); v128.store(o, b1, 80); v128.store(o, c0, 128); v128.store(o, c1, 144); v128.store(o, d0, 192); v128.store(o, d1, 208);
    let vp = p + 24, vq = q + 16, vr = r + 8, vs = values + (s << 3);
    for (let e = s; e < end; e++, vp += 8, vq += 8, vr += 8, vs += 8) {
      const x = rowAt(y, rows, e) + h;
      let t = v128.load64_splat(vp);
      let u0 = times(t, a0), u1 = times(t, a1);
      t = v128.load64_splat(vq);
      u0 = f64x2.add(u0, times(t, b0)); u1 = f64x2.add(u1, times(t, b1));
      t = v128.load64_splat(vr);
      let w0 = times(t, c0), w1 = times(t, c1);
      t = v128.load64_splat(vs);
      w0 = f64x2.add(w0, times(t, d0)); w1 = f64x2.add(w1, times(t, d1));
      v128.store(x, f64x2.sub(v128.load(x), f64x2.add(u0, w0)));
      v128.store(x, f64x2.sub(v128.load(x, 16), f64x2.add(u1, w1)), 16);
    }
  }
}

function backwardFour(y: usize, columnStart: usize, rows: usize, values: usize, inversePivots: usize, j: usize): void {
  const s = startOf(columnStart, j + 3), end = startOf(columnStart, j + 4), pivots = inversePivots + (j << 3);
  const p = values + (startOf(columnStart, j) << 3), q = values + (startOf(columnStart, j + 1) << 3), r = values + (startOf(columnStart, j + 2) << 3);
  for (let h: usize = 0; h < 64; h += 32) {
    const o = y + (j << 6) + h;
    let t = v128.load64_splat(pivots);
    let a0 = times(t, v128.load(o)), a1 = times(t, v128.load(o, 16));
    t = v128.load64_splat(pivots, 8);
    let b0 = times(t, v128.load(o, 64)), b1 = times(t, v128.load(o, 80));
    t = v128.load64_splat(pivots, 16);
    let c0 = times(t, v128.load(o, 128)), c1 = times(t, v128.load(o, 144));
    t = v128.load64_splat(pivots, 24);
    let d0 = times(t, v128.load(o, 192)), d1 = times(t, v128.load(o, 208));
    let vp = p + 24, vq = q + 16, vr = r + 8, vs = values + (s << 3);
    for (let e = s; e < end; e++, vp += 8, vq += 8, vr += 8, vs += 8) {
      const x = rowAt(y, rows, e) + h;
      const x0 = v128.load(x), x1 = v128.load(x, 16);
      t = v128.load64_splat(vp);
      a0 = less(a0, t, x0); a1 = less(a1, t, x1);
      t = v128.load64_splat(vq);
      b0 = less(b0, t, x0); b1 = less(b1, t, x1);
      t = v128.load64_splat(vr);
      c0 = less(c0, t, x0); c1 = less(c1, t, x1);
      t = v128.load64_splat(vs);
      d0 = less(d0, t, x0); d1 = less(d1, t, x1);
    }
    t = v128.load64_splat(r);
    c0 = less(c0, t, d0); c1 = less(c1, t, d1);
    t = v128.load64_splat(q);
    b0 = less(b0, t, c0); b1 = less(b1, t, c1);
    t = v128.load64_splat(q, 8);
    b0 = less(b0, t, d0); b1 = less(b1, t, d1);
    t = v128.load64_splat(p);
    a0 = less(a0, t, b0); a1 = less(a1, t, b1);
    t = v128.load64_splat(p, 8);
    a0 = less(a0, t, c0); a1 = less(a1, t, c1);
    t = v128.load64_splat(p, 16);
    a0 = less(a0, t, d0); a1 = less(a1, t, d1);
    v128.store(o, a0); v128.store(o, a1, 16); v128.store(o, b0, 64); v128.store(o, b1, 80);
    v128.store(o, c0, 128); v128.store(o, c1, 144); v128.store(o, d0, 192); v128.store(o, d1, 208);
  }
}
