// SPDX-License-Identifier: MIT
// Gauss-Newton on the rotations of joined bones, a frame at a time; joint-poses.ts has the algebra, the arguments and the reference implementation.
import { f64s } from '../matrices/vectors.as';
import { JointPoses } from '../slots.as';

const MIN_DAMPING: f64 = 1e-9, FIRST_DAMPING: f64 = 1e-4, GROWTH: f64 = 30, PIVOT_FLOOR: f64 = 1e-15, SMALLEST: f64 = 1e-300;
const MAX_TRIES: i32 = 5;

export function jointPoses(args: usize, chunk: i32, thread: i32): void {
  const rotations = <usize>load<f64>(args, JointPoses.rotations), gram = <usize>load<f64>(args, JointPoses.gram);
  const targets = <usize>load<f64>(args, JointPoses.targets);
  const frameCount = <i32>load<f64>(args, JointPoses.frameCount), boneCount = <i32>load<f64>(args, JointPoses.boneCount);
  const steps = <i32>load<f64>(args, JointPoses.steps);
  const scratch = <usize>load<f64>(args, JointPoses.scratch) + <usize>thread * <usize>load<f64>(args, JointPoses.bytesPerThread);
  const per = <i32>load<f64>(args, JointPoses.chunkSize), isReused = load<f64>(args, JointPoses.isReused) != 0;
  const size = 3 * boneCount, row = f64s(3 * size);
  const normal = scratch, product = normal + f64s(size * size), trial = product + row, turn = trial + row, gradient = turn + f64s(size), lanes = gradient + f64s(size);
  const end = min(frameCount, (chunk + 1) * per);
  for (let k = chunk * per; k < end; k++) {
    const x = rotations + <usize>k * row, d = targets + <usize>k * row;
    let error = measure(x, d, gram, product, size), isFactored = false;
    for (let step = 0; step < steps; step++) {
      putSlope(x, d, product, gradient, size);
      let damping = MIN_DAMPING, done = false;
      for (let n = 0; n < MAX_TRIES && !done; n++) {
        if (!isFactored || n > 0) {
          putNormal(x, gram, lanes, normal, size, damping);
          factor(normal, size);
        }
        isFactored = isReused && n == 0 && !isFactored;
        substitute(normal, gradient, turn, size);
        apply(x, turn, trial, size);
        const next = measure(trial, d, gram, product, size);
        if (next < error) {
          memory.copy(x, trial, row);
          error = next;
          done = true;
        } else damping = max(FIRST_DAMPING, damping * GROWTH);
      }
      if (!done) break;
    }
  }
}

/** E - const, and X G as a by-product: three rows of X and three rows of G at a time. */
function measure(x: usize, d: usize, gram: usize, product: usize, size: i32): f64 {
  const line = f64s(size);
  memory.fill(product, 0, 3 * line);
  for (let e = 0; e < size; e += 3) {
    const p = x + f64s(e), q = p + line, r = q + line, g = gram + <usize>e * line;
    const p0 = v128.load64_splat(p), p1 = v128.load64_splat(p, 8), p2 = v128.load64_splat(p, 16);
    const q0 = v128.load64_splat(q), q1 = v128.load64_splat(q, 8), q2 = v128.load64_splat(q, 16);
    const r0 = v128.load64_splat(r), r1 = v128.load64_splat(r, 8), r2 = v128.load64_splat(r, 16);
    let c: usize = 0;
    for (; c + 16 <= line; c += 16) {
      const u = v128.load(g + c), v = v128.load(g + line + c), w = v128.load(g + 2 * line + c), o = product + c;
      v128.store(o, f64x2.add(v128.load(o), f64x2.add(f64x2.add(f64x2.mul(p0, u), f64x2.mul(p1, v)), f64x2.mul(p2, w))));
      v128.store(o + line, f64x2.add(v128.load(o + line), f64x2.add(f64x2.add(f64x2.mul(q0, u), f64x2.mul(q1, v)), f64x2.mul(q2, w))));
      v128.store(o + 2 * line, f64x2.add(v128.load(o + 2 * line), f64x2.add(f64x2.add(f64x2.mul(r0, u), f64x2.mul(r1, v)), f64x2.mul(r2, w))));
    }
    for (; c < line; c += 8) {
      const u = load<f64>(g + c), v = load<f64>(g + line + c), w = load<f64>(g + 2 * line + c), o = product + c;
      store<f64>(o, load<f64>(o) + (load<f64>(p) * u + load<f64>(p, 8) * v + load<f64>(p, 16) * w));
      store<f64>(o + line, load<f64>(o + line) + (load<f64>(q) * u + load<f64>(q, 8) * v + load<f64>(q, 16) * w));
      store<f64>(o + 2 * line, load<f64>(o + 2 * line) + (load<f64>(r) * u + load<f64>(r, 8) * v + load<f64>(r, 16) * w));
    }
  }
  let error: f64 = 0;
  for (let e: usize = 0; e < 3 * line; e += 8) error += load<f64>(x + e) * (load<f64>(product + e) - 2 * load<f64>(d + e));
  return error;
}

function putSlope(x: usize, d: usize, p: usize, g: usize, size: i32): void {
  const line = f64s(size);
  for (let b: usize = 0; b < line; b += 24) {
    let g0: f64 = 0, g1: f64 = 0, g2: f64 = 0;
    for (let e = b; e < b + 24; e += 8) {
      const x0 = load<f64>(x + e), x1 = load<f64>(x + e + line), x2 = load<f64>(x + e + 2 * line);
      const y0 = load<f64>(p + e) - load<f64>(d + e);
      const y1 = load<f64>(p + e + line) - load<f64>(d + e + line);
      const y2 = load<f64>(p + e + 2 * line) - load<f64>(d + e + 2 * line);
      g0 += x1 * y2 - x2 * y1;
      g1 += x2 * y0 - x0 * y2;
      g2 += x0 * y1 - x1 * y0;
    }
    store<f64>(g + b, g0); store<f64>(g + b, g1, 8); store<f64>(g + b, g2, 16);
  }
}

/** The lower triangle of the damped normal matrix. Lanes hold the first two rows of a rotation. */
function putNormal(x: usize, gram: usize, lanes: usize, h: usize, size: i32, damping: f64): void {
  const line = f64s(size), third = x + 2 * line;
  for (let e: usize = 0; e < line; e += 8) v128.store(lanes + 2 * e, pair(x + e, x + line + e));
  let trace: f64 = 0;
  for (let b: usize = 0; b < line; b += 24) {
    for (let c: usize = 0; c <= b; c += 24) {
      // K = R_b G_bc R_cᵀ: its first two columns by row, the third column, and its last number
      const at = lanes + 2 * c, c0 = v128.load(at), c1 = v128.load(at, 16), c2 = v128.load(at, 32);
      const d0 = load<f64>(third + c), d1 = load<f64>(third + c, 8), d2 = load<f64>(third + c, 16);
      let k0 = f64x2.splat(0), k1 = k0, k2 = k0, k3 = k0, k22: f64 = 0;
      let g = gram + (b >> 3) * line + c;
      for (let p: usize = b; p < b + 24; p += 8) {
        const u = f64x2.add(f64x2.add(f64x2.mul(v128.load64_splat(g), c0), f64x2.mul(v128.load64_splat(g, 8), c1)), f64x2.mul(v128.load64_splat(g, 16), c2));
        const u2 = load<f64>(g) * d0 + load<f64>(g, 8) * d1 + load<f64>(g, 16) * d2, x2 = load<f64>(third + p);
        const xy = v128.load(lanes + 2 * p);
        g += line;
        k0 = f64x2.add(k0, f64x2.mul(v128.shuffle<f64>(xy, xy, 0, 0), u));
        k1 = f64x2.add(k1, f64x2.mul(v128.shuffle<f64>(xy, xy, 1, 1), u));
        k2 = f64x2.add(k2, f64x2.mul(f64x2.splat(x2), u));
        k3 = f64x2.add(k3, f64x2.mul(xy, f64x2.splat(u2)));
        k22 += x2 * u2;
      }
      const k00 = f64x2.extract_lane(k0, 0), k11 = f64x2.extract_lane(k1, 1), sum = k00 + k11 + k22;
      let o = h + (b >> 3) * line + c;
      store<f64>(o, sum - k00); store<f64>(o, -f64x2.extract_lane(k1, 0), 8); store<f64>(o, -f64x2.extract_lane(k2, 0), 16);
      o += line;
      store<f64>(o, -f64x2.extract_lane(k0, 1)); store<f64>(o, sum - k11, 8); store<f64>(o, -f64x2.extract_lane(k2, 1), 16);
      o += line;
      store<f64>(o, -f64x2.extract_lane(k3, 0)); store<f64>(o, -f64x2.extract_lane(k3, 1), 8); store<f64>(o, sum - k22, 16);
      if (b == c) trace += 2 * sum;
    }
  }
  const lift = (damping * trace) / <f64>size + SMALLEST;
  for (let e = 0; e < size; e++) {
    const o = h + <usize>e * (line + 8);
    store<f64>(o, load<f64>(o) + lift);
  }
}

/** Sum of products of two runs of doubles. */
// @ts-ignore: decorator
@inline function dot(a: usize, b: usize, bytes: usize): f64 {
  let s = f64x2.splat(0), t = s, o: usize = 0;
  for (; o + 32 <= bytes; o += 32) {
    s = f64x2.add(s, f64x2.mul(v128.load(a + o), v128.load(b + o)));
    t = f64x2.add(t, f64x2.mul(v128.load(a + o, 16), v128.load(b + o, 16)));
  }
  s = f64x2.add(s, t);
  let sum = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  for (; o < bytes; o += 8) sum += load<f64>(a + o) * load<f64>(b + o);
  return sum;
}

/** (a0 + a1, b0 + b1) */
// @ts-ignore: decorator
@inline function sums(a: v128, b: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3));
}

// @ts-ignore: decorator
@inline function pair(p: usize, q: usize): v128 {
  return f64x2.replace_lane(v128.load64_zero(p), 1, load<f64>(q));
}

// @ts-ignore: decorator
@inline function storePair(v: v128, p: usize, q: usize): void {
  v128.store64_lane(p, v, 0);
  v128.store64_lane(q, v, 1);
}

/** Factors in place, two rows at a time against four earlier ones: a row depends on its last number only once per four. The diagonal gets the inverses of the pivots. */
function factor(h: usize, size: i32): void {
  const line = f64s(size);
  let i = 0;
  for (; i + 1 < size; i += 2) {
    const p = h + <usize>i * line, q = p + line;
    let j = 0;
    for (; j + 4 <= i; j += 4) putFour(p, q, h + <usize>j * line, line, f64s(j));
    if (j < i) putTwo(p, q, h + <usize>j * line, line, f64s(j));
    putPivots(p, q, f64s(i));
  }
  if (i < size) {
    const p = h + <usize>i * line, at = f64s(i);
    for (let c: usize = 0; c < at; c += 8) {
      const row = h + (c >> 3) * line;
      store<f64>(p + c, (load<f64>(p + c) - dot(p, row, c)) * load<f64>(row + c));
    }
    store<f64>(p + at, invert(load<f64>(p + at), dot(p, p, at)));
  }
}

/** Four columns of two rows, from at. */
function putFour(p: usize, q: usize, row: usize, line: usize, at: usize): void {
  const r0 = row, r1 = r0 + line, r2 = r1 + line, r3 = r2 + line;
  let a0 = f64x2.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (let o: usize = 0; o < at; o += 16) {
    const a = v128.load(p + o), b = v128.load(q + o);
    let v = v128.load(r0 + o);
    a0 = f64x2.add(a0, f64x2.mul(a, v));
    b0 = f64x2.add(b0, f64x2.mul(b, v));
    v = v128.load(r1 + o);
    a1 = f64x2.add(a1, f64x2.mul(a, v));
    b1 = f64x2.add(b1, f64x2.mul(b, v));
    v = v128.load(r2 + o);
    a2 = f64x2.add(a2, f64x2.mul(a, v));
    b2 = f64x2.add(b2, f64x2.mul(b, v));
    v = v128.load(r3 + o);
    a3 = f64x2.add(a3, f64x2.mul(a, v));
    b3 = f64x2.add(b3, f64x2.mul(b, v));
  }
  const p0 = p + at, q0 = q + at;
  const x0 = f64x2.mul(f64x2.sub(pair(p0, q0), sums(a0, b0)), v128.load64_splat(r0 + at));
  let rest = f64x2.sub(pair(p0 + 8, q0 + 8), sums(a1, b1));
  const x1 = f64x2.mul(f64x2.sub(rest, f64x2.mul(x0, v128.load64_splat(r1 + at))), v128.load64_splat(r1 + at, 8));
  rest = f64x2.sub(f64x2.sub(pair(p0 + 16, q0 + 16), sums(a2, b2)), f64x2.mul(x0, v128.load64_splat(r2 + at)));
  const x2 = f64x2.mul(f64x2.sub(rest, f64x2.mul(x1, v128.load64_splat(r2 + at, 8))), v128.load64_splat(r2 + at, 16));
  rest = f64x2.sub(f64x2.sub(pair(p0 + 24, q0 + 24), sums(a3, b3)), f64x2.mul(x0, v128.load64_splat(r3 + at)));
  rest = f64x2.sub(rest, f64x2.mul(x1, v128.load64_splat(r3 + at, 8)));
  const x3 = f64x2.mul(f64x2.sub(rest, f64x2.mul(x2, v128.load64_splat(r3 + at, 16))), v128.load64_splat(r3 + at, 24));
  storePair(x0, p0, q0); storePair(x1, p0 + 8, q0 + 8); storePair(x2, p0 + 16, q0 + 16); storePair(x3, p0 + 24, q0 + 24);
}

/** Two columns of two rows, from at. */
function putTwo(p: usize, q: usize, row: usize, line: usize, at: usize): void {
  const r0 = row, r1 = r0 + line;
  let a0 = f64x2.splat(0), a1 = a0, b0 = a0, b1 = a0;
  for (let o: usize = 0; o < at; o += 16) {
    const a = v128.load(p + o), b = v128.load(q + o), v = v128.load(r0 + o), w = v128.load(r1 + o);
    a0 = f64x2.add(a0, f64x2.mul(a, v));
    b0 = f64x2.add(b0, f64x2.mul(b, v));
    a1 = f64x2.add(a1, f64x2.mul(a, w));
    b1 = f64x2.add(b1, f64x2.mul(b, w));
  }
  const p0 = p + at, q0 = q + at;
  const x0 = f64x2.mul(f64x2.sub(pair(p0, q0), sums(a0, b0)), v128.load64_splat(r0 + at));
  const rest = f64x2.sub(pair(p0 + 8, q0 + 8), sums(a1, b1));
  const x1 = f64x2.mul(f64x2.sub(rest, f64x2.mul(x0, v128.load64_splat(r1 + at))), v128.load64_splat(r1 + at, 8));
  storePair(x0, p0, q0); storePair(x1, p0 + 8, q0 + 8);
}

/** The inverse pivots of two rows, and the number below the first. */
function putPivots(p: usize, q: usize, at: usize): void {
  const first = invert(load<f64>(p + at), dot(p, p, at)), below = (load<f64>(q + at) - dot(q, p, at)) * first;
  store<f64>(p + at, first);
  store<f64>(q + at, below);
  store<f64>(q + at, invert(load<f64>(q + at, 8), dot(q, q, at) + below * below), 8);
}

/** The inverse of a pivot, from the diagonal and the squares of its row. */
// @ts-ignore: decorator
@inline function invert(whole: f64, squares: f64): f64 {
  return 1 / sqrt(max(whole - squares, whole * PIVOT_FLOOR + SMALLEST));
}

/** The rotation vectors of the step, from the factor and the gradient. */
function substitute(h: usize, gradient: usize, turn: usize, size: i32): void {
  const line = f64s(size);
  for (let i = 0; i < size; i++) {
    const row = h + <usize>i * line, at = f64s(i);
    store<f64>(turn + at, (-load<f64>(gradient + at) - dot(row, turn, at)) * load<f64>(row + at));
  }
  for (let i = size - 1; i >= 0; i--) {
    const row = h + <usize>i * line, at = f64s(i);
    const value = load<f64>(turn + at) * load<f64>(row + at);
    store<f64>(turn + at, value);
    const v = f64x2.splat(value);
    let c: usize = 0;
    for (; c + 16 <= at; c += 16) v128.store(turn + c, f64x2.sub(v128.load(turn + c), f64x2.mul(v128.load(row + c), v)));
    if (c < at) store<f64>(turn + c, load<f64>(turn + c) - load<f64>(row + c) * value);
  }
}

/** The rotations after the step, by the Cayley map. */
function apply(x: usize, turn: usize, trial: usize, size: i32): void {
  const line = f64s(size);
  for (let b: usize = 0; b < line; b += 24) {
    const p = 0.5 * load<f64>(turn + b), q = 0.5 * load<f64>(turn + b, 8), s = 0.5 * load<f64>(turn + b, 16);
    const f = 2 / (1 + p * p + q * q + s * s);
    for (let c = b; c < b + 24; c += 8) {
      const v0 = load<f64>(x + c), v1 = load<f64>(x + c + line), v2 = load<f64>(x + c + 2 * line);
      const w0 = q * v2 - s * v1, w1 = s * v0 - p * v2, w2 = p * v1 - q * v0;
      store<f64>(trial + c, v0 + f * (q * w2 - s * w1 + w0));
      store<f64>(trial + c + line, v1 + f * (s * w0 - p * w2 + w1));
      store<f64>(trial + c + 2 * line, v2 + f * (p * w1 - q * w0 + w2));
    }
  }
}
