// SPDX-License-Identifier: MIT
// Functions shared by the kernels: products of trajectories with bones, and products of a rest position with symmetric 4x4 matrices (core/math/sym4.ts).

/** Bytes of n doubles. */
// @ts-ignore: decorator
@inline export function f64s(n: usize): usize { return n << 3; }

/** Number n of a list of indices (u32); 0xffffffff is -1. */
// @ts-ignore: decorator
@inline export function indexAt(list: usize, n: i32): i32 { return load<i32>(list + (<usize>n << 2)); }

/**
 * out[i][c] = sum over rows of V[i][row] T[row][c], for vertices begin to end: four vertices by four columns in registers.
 * V: vertices x rows, T: rows x columns (a multiple of four), out: (end - begin) x columns.
 */
export function multiplyTrajectories(v: usize, t: usize, out: usize, begin: i32, end: i32, rows: i32, columns: i32): void {
  const vStride = f64s(rows), tStride = f64s(columns);
  for (let i = begin; i < end; i += 4) {
    const last = end - 1;
    const v0 = v + <usize>i * vStride, v1 = v + <usize>min(i + 1, last) * vStride;
    const v2 = v + <usize>min(i + 2, last) * vStride, v3 = v + <usize>min(i + 3, last) * vStride;
    for (let c = 0; c < columns; c += 4) {
      let a0 = f64x2.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      let p = t + f64s(c);
      for (let o: usize = 0; o < vStride; o += 8) {
        const x = v128.load(p), y = v128.load(p, 16);
        p += tStride;
        let s = v128.load64_splat(v0 + o);
        a0 = f64x2.add(a0, f64x2.mul(s, x)); b0 = f64x2.add(b0, f64x2.mul(s, y));
        s = v128.load64_splat(v1 + o);
        a1 = f64x2.add(a1, f64x2.mul(s, x)); b1 = f64x2.add(b1, f64x2.mul(s, y));
        s = v128.load64_splat(v2 + o);
        a2 = f64x2.add(a2, f64x2.mul(s, x)); b2 = f64x2.add(b2, f64x2.mul(s, y));
        s = v128.load64_splat(v3 + o);
        a3 = f64x2.add(a3, f64x2.mul(s, x)); b3 = f64x2.add(b3, f64x2.mul(s, y));
      }
      // rows past the end write the last vertex again, in rising order, so the last write is correct
      const o0 = out + f64s((i - begin) * columns + c), step = f64s(columns);
      const n1 = <usize>(min(i + 1, last) - i), n2 = <usize>(min(i + 2, last) - i), n3 = <usize>(min(i + 3, last) - i);
      v128.store(o0, a0); v128.store(o0, b0, 16);
      v128.store(o0 + n1 * step, a1); v128.store(o0 + n1 * step, b1, 16);
      v128.store(o0 + n2 * step, a2); v128.store(o0 + n2 * step, b2, 16);
      v128.store(o0 + n3 * step, a3); v128.store(o0 + n3 * step, b3, 16);
    }
  }
}

/** The ten products of (x, y, z, 1), off-diagonal ones doubled: xx 2xy 2xz 2x yy 2yz 2y zz 2z 1. */
// @ts-ignore: decorator
@inline export function putProductsSym4(x: f64, y: f64, z: f64, q: usize): void {
  store<f64>(q, x * x); store<f64>(q, 2 * x * y, 8); store<f64>(q, 2 * x * z, 16); store<f64>(q, 2 * x, 24);
  store<f64>(q, y * y, 32); store<f64>(q, 2 * y * z, 40); store<f64>(q, 2 * y, 48);
  store<f64>(q, z * z, 56); store<f64>(q, 2 * z, 64); store<f64>(q, 1, 72);
}

/** out[l] = sum over c < 10 of table[c][l] q[c], for l < width (even): dot products with width symmetric 4x4 matrices. */
// @ts-ignore: decorator
@inline export function dotSym4Table(table: usize, q: usize, width: i32, out: usize): void {
  const stride = f64s(width);
  const q0 = v128.load64_splat(q), q1 = v128.load64_splat(q, 8), q2 = v128.load64_splat(q, 16), q3 = v128.load64_splat(q, 24), q4 = v128.load64_splat(q, 32);
  const q5 = v128.load64_splat(q, 40), q6 = v128.load64_splat(q, 48), q7 = v128.load64_splat(q, 56), q8 = v128.load64_splat(q, 64), q9 = v128.load64_splat(q, 72);
  for (let o: usize = 0; o < stride; o += 16) {
    let p = table + o;
    let a = f64x2.mul(v128.load(p), q0); p += stride;
    let b = f64x2.mul(v128.load(p), q1); p += stride;
    a = f64x2.add(a, f64x2.mul(v128.load(p), q2)); p += stride;
    b = f64x2.add(b, f64x2.mul(v128.load(p), q3)); p += stride;
    a = f64x2.add(a, f64x2.mul(v128.load(p), q4)); p += stride;
    b = f64x2.add(b, f64x2.mul(v128.load(p), q5)); p += stride;
    a = f64x2.add(a, f64x2.mul(v128.load(p), q6)); p += stride;
    b = f64x2.add(b, f64x2.mul(v128.load(p), q7)); p += stride;
    a = f64x2.add(a, f64x2.mul(v128.load(p), q8)); p += stride;
    b = f64x2.add(b, f64x2.mul(v128.load(p), q9));
    v128.store(out + o, f64x2.add(a, b));
  }
}
