// SPDX-License-Identifier: MIT
// Gauss-Newton on the rotations of joined bones, a frame at a time; joint-poses.ts has the algebra, the arguments and the reference implementation.
import { f64s } from './vectors.as';

const MIN_DAMPING: f64 = 1e-9, FIRST_DAMPING: f64 = 1e-4, GROWTH: f64 = 30, SMALLEST: f64 = 1e-300;
const MAX_TRIES: i32 = 5;

/** args: X, G, D, frameCount, boneCount, steps, scratch, bytes per thread, frames per chunk */
export function jointPoses(args: usize, chunk: i32, thread: i32): void {
  const rotations = <usize>load<f64>(args), gram = <usize>load<f64>(args, 8), targets = <usize>load<f64>(args, 16);
  const frameCount = <i32>load<f64>(args, 24), boneCount = <i32>load<f64>(args, 32), steps = <i32>load<f64>(args, 40);
  const scratch = <usize>load<f64>(args, 48) + <usize>thread * <usize>load<f64>(args, 56), per = <i32>load<f64>(args, 64);
  const size = 3 * boneCount, row = f64s(3 * size);
  const normal = scratch, product = normal + f64s(size * size), trial = product + row, turn = trial + row, gradient = turn + f64s(size);
  const end = min(frameCount, (chunk + 1) * per);
  for (let k = chunk * per; k < end; k++) {
    const x = rotations + <usize>k * row, d = targets + <usize>k * row;
    let error = measure(x, d, gram, product, size), isFactored = false;
    for (let step = 0; step < steps; step++) {
      putSlope(x, d, product, gradient, size);
      let damping = MIN_DAMPING, done = false;
      for (let n = 0; n < MAX_TRIES && !done; n++) {
        if (!isFactored || n > 0) {
          putNormal(x, gram, normal, size, damping);
          factor(normal, size);
        }
        // the next step reuses the factor of a step without additional damping
        isFactored = n == 0 && !isFactored;
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

/** E - const, and X G as a by-product: three rows of X at a time over two columns of G. */
function measure(x: usize, d: usize, gram: usize, product: usize, size: i32): f64 {
  const line = f64s(size);
  memory.fill(product, 0, 3 * line);
  for (let e = 0; e < size; e++) {
    const p = x + f64s(e), g = gram + <usize>e * line;
    const x0 = v128.load64_splat(p), x1 = v128.load64_splat(p + line), x2 = v128.load64_splat(p + 2 * line);
    let c: usize = 0;
    for (; c + 16 <= line; c += 16) {
      const v = v128.load(g + c), o = product + c;
      v128.store(o, f64x2.add(v128.load(o), f64x2.mul(x0, v)));
      v128.store(o + line, f64x2.add(v128.load(o + line), f64x2.mul(x1, v)));
      v128.store(o + 2 * line, f64x2.add(v128.load(o + 2 * line), f64x2.mul(x2, v)));
    }
    for (; c < line; c += 8) {
      const v = load<f64>(g + c), o = product + c;
      store<f64>(o, load<f64>(o) + load<f64>(p) * v);
      store<f64>(o + line, load<f64>(o + line) + load<f64>(p + line) * v);
      store<f64>(o + 2 * line, load<f64>(o + 2 * line) + load<f64>(p + 2 * line) * v);
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

/** The lower triangle of the damped normal matrix. */
function putNormal(x: usize, gram: usize, h: usize, size: i32, damping: f64): void {
  const line = f64s(size);
  let trace: f64 = 0;
  for (let b: usize = 0; b < line; b += 24) {
    const b0 = x + b, b1 = b0 + line, b2 = b1 + line;
    for (let c: usize = 0; c <= b; c += 24) {
      const c0 = x + c, c1 = c0 + line, c2 = c1 + line;
      let k00: f64 = 0, k01: f64 = 0, k02: f64 = 0, k10: f64 = 0, k11: f64 = 0, k12: f64 = 0, k20: f64 = 0, k21: f64 = 0, k22: f64 = 0;
      let g = gram + (b >> 3) * line + c;
      for (let p: usize = 0; p < 24; p += 8) {
        const g0 = load<f64>(g), g1 = load<f64>(g, 8), g2 = load<f64>(g, 16);
        g += line;
        const u0 = g0 * load<f64>(c0) + g1 * load<f64>(c0, 8) + g2 * load<f64>(c0, 16);
        const u1 = g0 * load<f64>(c1) + g1 * load<f64>(c1, 8) + g2 * load<f64>(c1, 16);
        const u2 = g0 * load<f64>(c2) + g1 * load<f64>(c2, 8) + g2 * load<f64>(c2, 16);
        const x0 = load<f64>(b0 + p), x1 = load<f64>(b1 + p), x2 = load<f64>(b2 + p);
        k00 += x0 * u0; k01 += x0 * u1; k02 += x0 * u2;
        k10 += x1 * u0; k11 += x1 * u1; k12 += x1 * u2;
        k20 += x2 * u0; k21 += x2 * u1; k22 += x2 * u2;
      }
      const sum = k00 + k11 + k22;
      let o = h + (b >> 3) * line + c;
      store<f64>(o, sum - k00); store<f64>(o, -k10, 8); store<f64>(o, -k20, 16);
      o += line;
      store<f64>(o, -k01); store<f64>(o, sum - k11, 8); store<f64>(o, -k21, 16);
      o += line;
      store<f64>(o, -k02); store<f64>(o, -k12, 8); store<f64>(o, sum - k22, 16);
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

/** Factors in place, two rows at a time: each earlier row is read once for both. */
function factor(h: usize, size: i32): void {
  const line = f64s(size);
  let i = 0;
  for (; i + 1 < size; i += 2) {
    const p = h + <usize>i * line, q = p + line;
    for (let j = 0; j < i; j++) {
      const row = h + <usize>j * line, at = f64s(j);
      let s = f64x2.splat(0), t = s, o: usize = 0;
      for (; o + 16 <= at; o += 16) {
        const v = v128.load(row + o);
        s = f64x2.add(s, f64x2.mul(v128.load(p + o), v));
        t = f64x2.add(t, f64x2.mul(v128.load(q + o), v));
      }
      let a = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1), b = f64x2.extract_lane(t, 0) + f64x2.extract_lane(t, 1);
      for (; o < at; o += 8) {
        a += load<f64>(p + o) * load<f64>(row + o);
        b += load<f64>(q + o) * load<f64>(row + o);
      }
      const pivot = load<f64>(row + at);
      store<f64>(p + at, (load<f64>(p + at) - a) / pivot);
      store<f64>(q + at, (load<f64>(q + at) - b) / pivot);
    }
    putPivot(p, f64s(i));
    const at = f64s(i);
    store<f64>(q + at, (load<f64>(q + at) - dot(q, p, at)) / load<f64>(p + at));
    putPivot(q, at + 8);
  }
  if (i < size) {
    const p = h + <usize>i * line;
    for (let j = 0; j < i; j++) {
      const row = h + <usize>j * line, at = f64s(j);
      store<f64>(p + at, (load<f64>(p + at) - dot(p, row, at)) / load<f64>(row + at));
    }
    putPivot(p, f64s(i));
  }
}

function putPivot(row: usize, at: usize): void {
  const whole = load<f64>(row + at);
  store<f64>(row + at, sqrt(max(whole - dot(row, row, at), whole * 1e-15 + SMALLEST)));
}

/** The rotation vectors of the step, from the factor and the gradient. */
function substitute(h: usize, gradient: usize, turn: usize, size: i32): void {
  const line = f64s(size);
  for (let i = 0; i < size; i++) {
    const row = h + <usize>i * line, at = f64s(i);
    store<f64>(turn + at, (-load<f64>(gradient + at) - dot(row, turn, at)) / load<f64>(row + at));
  }
  for (let i = size - 1; i >= 0; i--) {
    const row = h + <usize>i * line, at = f64s(i);
    const value = load<f64>(turn + at) / load<f64>(row + at);
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
