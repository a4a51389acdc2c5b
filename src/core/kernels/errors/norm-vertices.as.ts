// SPDX-License-Identifier: MIT
// Weights and rest positions of vertices under a norm of their distances; norm-vertices.ts has the algebra, the arguments and the reference implementation.
import { f64s } from '../matrices/vectors.as';
import { NormFrames, NormSquares, NormVertices } from '../slots.as';

const HALVINGS: i32 = 3;
const REST_RIDGE: f64 = 1e-6, PIVOT_FLOOR: f64 = 1e-12, SMALLEST: f64 = 1e-300, SINGULAR: f64 = 1e-18;
const NEGLIGIBLE: f64 = 0.01, MIN_SQUARE: f64 = 1e-6;

// The module has one instance per thread: these belong to the current call.
let p: f64 = 2, scale: f64 = 0, floor: f64 = 0;
let rows: i32 = 0, frameCount: i32 = 0, stride: usize = 0;
let bones: usize = 0;
let paths: usize = 0, residual: usize = 0, moved: usize = 0, matrices: usize = 0, squares: usize = 0, omega: usize = 0;

// @ts-ignore: decorator
@inline function importanceOf(square: f64): f64 {
  if (p == 2 || !(scale > 0)) return 1;
  const ratio = max(square / (scale * scale), p < 2 ? MIN_SQUARE : 0);
  if (ratio < NEGLIGIBLE && floor > 0) return floor;
  return floor + Math.pow(ratio, 0.5 * p - 1);
}

// @ts-ignore: decorator
@inline function objectiveOf(square: f64): f64 {
  if (!(scale > 0)) return square;
  const whole = scale * scale;
  if (square < NEGLIGIBLE * whole && floor > 0) return floor * square;
  return floor * square + (2 / p) * whole * Math.pow(square / whole, 0.5 * p);
}

export function normSquares(args: usize, chunk: i32, thread: i32): void {
  const t = <usize>load<f64>(args, NormSquares.bones), u = <usize>load<f64>(args, NormSquares.rest);
  const v = <usize>load<f64>(args, NormSquares.posed), ids = <usize>load<f64>(args, NormSquares.ids);
  const weights = <usize>load<f64>(args, NormSquares.weights), out = <usize>load<f64>(args, NormSquares.squares);
  const count = <i32>load<f64>(args, NormSquares.vertexCount);
  frameCount = <i32>load<f64>(args, NormSquares.frameCount); rows = 3 * frameCount;
  stride = f64s(4 * <i32>load<f64>(args, NormSquares.boneCount));
  const influences = <i32>load<f64>(args, NormSquares.influences), size = <i32>load<f64>(args, NormSquares.chunkSize);
  residual = <usize>load<f64>(args, NormSquares.scratch) + <usize>thread * <usize>load<f64>(args, NormSquares.bytesPerThread);
  const begin = chunk * size, end = min(count, begin + size);
  for (let i = begin; i < end; i++) {
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    const target = v + f64s(i * rows);
    for (let row = 0; row < rows; row++) store<f64>(residual + f64s(row), -load<f64>(target + f64s(row)));
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      const w = load<f64>(weights + f64s(a));
      if (w == 0) continue;
      let b = t + (<usize>load<u32>(ids + (<usize>a << 2)) << 5);
      for (let row = 0; row < rows; row++, b += stride) {
        const o = residual + f64s(row);
        store<f64>(o, load<f64>(o) + w * (load<f64>(b) * x + load<f64>(b, 8) * y + load<f64>(b, 16) * z + load<f64>(b, 24)));
      }
    }
    putSquares(residual, out + f64s(i * frameCount));
  }
}

export function normFrames(args: usize, chunk: i32, _thread: i32): void {
  const from = <usize>load<f64>(args, NormFrames.squares), importance = <usize>load<f64>(args, NormFrames.importance);
  const count = <i32>load<f64>(args, NormFrames.vertexCount), frames = <i32>load<f64>(args, NormFrames.frameCount);
  const size = <i32>load<f64>(args, NormFrames.chunkSize);
  p = load<f64>(args, NormFrames.p); scale = load<f64>(args, NormFrames.scale); floor = load<f64>(args, NormFrames.floor);
  const sums = <usize>load<f64>(args, NormFrames.objectives) + f64s(chunk * frames);
  const begin = chunk * size, end = min(count, begin + size);
  for (let k = 0; k < frames; k++) store<f64>(sums + f64s(k), 0);
  for (let i = begin; i < end; i++) {
    for (let k = 0; k < frames; k++) {
      const o = f64s(i * frames + k), square = load<f64>(from + o), sum = sums + f64s(k);
      store<f64>(sum, load<f64>(sum) + objectiveOf(square));
      if (importance) store<f64>(importance + o, importanceOf(square));
    }
  }
}

export function normVertices(args: usize, chunk: i32, thread: i32): void {
  bones = <usize>load<f64>(args, NormVertices.bones);
  const u = <usize>load<f64>(args, NormVertices.rest), v = <usize>load<f64>(args, NormVertices.posed);
  const allIds = <usize>load<f64>(args, NormVertices.ids), allWeights = <usize>load<f64>(args, NormVertices.weights);
  const all = <usize>load<f64>(args, NormVertices.squares), importance = <usize>load<f64>(args, NormVertices.importance);
  const locked = <usize>load<f64>(args, NormVertices.locked), count = <i32>load<f64>(args, NormVertices.vertexCount);
  frameCount = <i32>load<f64>(args, NormVertices.frameCount); rows = 3 * frameCount;
  stride = f64s(4 * <i32>load<f64>(args, NormVertices.boneCount));
  const influences = <i32>load<f64>(args, NormVertices.influences);
  p = load<f64>(args, NormVertices.p); scale = load<f64>(args, NormVertices.scale); floor = load<f64>(args, NormVertices.floor);
  const above = load<f64>(args, NormVertices.minSquare), keepRest = load<f64>(args, NormVertices.keepRest) != 0;
  const size = <i32>load<f64>(args, NormVertices.chunkSize);
  paths = <usize>load<f64>(args, NormVertices.scratch) + <usize>thread * <usize>load<f64>(args, NormVertices.bytesPerThread);
  residual = paths + f64s(influences * rows); moved = residual + f64s(rows); matrices = moved + f64s(rows);
  squares = matrices + f64s(3 * rows);
  const h = squares + f64s(frameCount), solved = h + f64s(influences * influences), scratch = solved + f64s(influences);
  const begin = chunk * size, end = min(count, begin + size);
  for (let i = begin; i < end; i++) {
    if (locked && load<u32>(locked + (<usize>i << 2))) continue;
    const own = all + f64s(i * frameCount);
    let largest: f64 = 0;
    for (let k = 0; k < frameCount; k++) largest = max(largest, load<f64>(own + f64s(k)));
    if (largest < above) continue;
    omega = importance + f64s(i * frameCount);
    const rest = u + f64s(3 * i), target = v + f64s(i * rows), ids = allIds + (<usize>(i * influences) << 2), weights = allWeights + f64s(i * influences);
    const members = gatherMembers(ids, weights, influences, rest, target);
    if (members > 1) {
      putNormal(h, members);
      solveConvex(h, members, solved, scratch);
      takeWeights(weights, solved, members, own);
    }
    if (!keepRest) moveRest(rest, target, ids, weights, members, own);
  }
}

/** Moves the entries with a weight to the front, and fills the distance of the vertex from its target under each of their bones. */
function gatherMembers(ids: usize, weights: usize, influences: i32, rest: usize, target: usize): i32 {
  const x = load<f64>(rest), y = load<f64>(rest, 8), z = load<f64>(rest, 16);
  let members = 0;
  for (let a = 0; a < influences; a++) {
    const w = load<f64>(weights + f64s(a));
    if (w == 0) continue;
    const id = load<u32>(ids + (<usize>a << 2));
    if (a != members) {
      store<u32>(ids + (<usize>members << 2), id);
      store<f64>(weights + f64s(members), w);
      store<f64>(weights + f64s(a), 0);
    }
    let b = bones + (<usize>id << 5), out = paths + f64s(members * rows);
    for (let row = 0; row < rows; row++, b += stride, out += 8) {
      store<f64>(out, load<f64>(b) * x + load<f64>(b, 8) * y + load<f64>(b, 16) * z + load<f64>(b, 24) - load<f64>(target + f64s(row)));
    }
    members++;
  }
  return members;
}

/** H of the members: importance-weighted products of their distances. */
function putNormal(h: usize, members: i32): void {
  for (let a = 0; a < members; a++) {
    for (let b = 0; b <= a; b++) {
      let sum: f64 = 0, x = paths + f64s(a * rows), y = paths + f64s(b * rows);
      for (let k = 0; k < frameCount; k++, x += 24, y += 24) {
        sum += load<f64>(omega + f64s(k)) * (load<f64>(x) * load<f64>(y) + load<f64>(x, 8) * load<f64>(y, 8) + load<f64>(x, 16) * load<f64>(y, 16));
      }
      store<f64>(h + f64s(a * members + b), sum); store<f64>(h + f64s(b * members + a), sum);
    }
  }
}

/** min w^T H w over the simplex: w = H^-1 1 / (1^T H^-1 1) on a support, from which the most negative weight leaves until none is negative. */
function solveConvex(h: usize, size: i32, w: usize, scratch: usize): void {
  const factor = scratch, ones = factor + f64s(size * size), support = ones + f64s(size);
  let n = size, tiny: f64 = SMALLEST;
  for (let a = 0; a < size; a++) {
    store<u32>(support + (<usize>a << 2), a);
    store<f64>(w + f64s(a), 0);
    tiny = max(tiny, PIVOT_FLOOR * load<f64>(h + f64s(a * size + a)));
  }
  for (;;) {
    for (let a = 0; a < n; a++) {
      const row = h + f64s(<i32>load<u32>(support + (<usize>a << 2)) * size), la = factor + f64s(a * size);
      let sum: f64 = 1, pivot = load<f64>(row + f64s(load<u32>(support + (<usize>a << 2))));
      for (let b = 0; b < a; b++) {
        const lb = factor + f64s(b * size);
        let x = load<f64>(row + f64s(load<u32>(support + (<usize>b << 2))));
        for (let c = 0; c < b; c++) x -= load<f64>(la + f64s(c)) * load<f64>(lb + f64s(c));
        x *= load<f64>(lb + f64s(b));
        store<f64>(la + f64s(b), x);
        sum -= x * load<f64>(ones + f64s(b));
        pivot -= x * x;
      }
      const inverse = 1 / sqrt(max(pivot, tiny));
      store<f64>(la + f64s(a), inverse);
      store<f64>(ones + f64s(a), sum * inverse);
    }
    let worst = -1, low: f64 = 0;
    for (let a = n - 1; a >= 0; a--) {
      let x = load<f64>(ones + f64s(a));
      for (let b = a + 1; b < n; b++) x -= load<f64>(factor + f64s(b * size + a)) * load<f64>(w + f64s(load<u32>(support + (<usize>b << 2))));
      x *= load<f64>(factor + f64s(a * size + a));
      store<f64>(w + f64s(load<u32>(support + (<usize>a << 2))), x);
      if (x < low) { low = x; worst = a; }
    }
    if (worst < 0 || n == 1) break;
    store<f64>(w + f64s(load<u32>(support + (<usize>worst << 2))), 0);
    n--;
    for (let a = worst; a < n; a++) store<u32>(support + (<usize>a << 2), load<u32>(support + (<usize>a << 2), 4));
  }
  let sum: f64 = 0;
  for (let a = 0; a < size; a++) sum += load<f64>(w + f64s(a));
  for (let a = 0; a < size; a++) store<f64>(w + f64s(a), load<f64>(w + f64s(a)) / sum);
}

/** Takes new weights as far as they lower the objective of the vertex. */
function takeWeights(weights: usize, solved: usize, members: i32, own: usize): void {
  const before = measureObjective(own);
  let step = min<f64>(1, 2 / p);
  for (let n = 0; n < HALVINGS; n++, step *= 0.5) {
    for (let a = 0; a < members; a++) {
      const old = load<f64>(weights + f64s(a)), w = old + step * (load<f64>(solved + f64s(a)) - old);
      let path = paths + f64s(a * rows);
      for (let o = residual; o < residual + f64s(rows); o += 8, path += 8) store<f64>(o, (a == 0 ? 0 : load<f64>(o)) + w * load<f64>(path));
    }
    putSquares(residual, squares);
    if (!(measureObjective(squares) < before)) continue;
    memory.copy(own, squares, f64s(frameCount));
    for (let a = 0; a < members; a++) {
      const old = load<f64>(weights + f64s(a));
      store<f64>(weights + f64s(a), old + step * (load<f64>(solved + f64s(a)) - old));
    }
    return;
  }
}

/** Moves the rest position as far as that lowers the objective of the vertex. */
function moveRest(rest: usize, target: usize, ids: usize, weights: usize, members: i32, own: usize): void {
  const ux = load<f64>(rest), uy = load<f64>(rest, 8), uz = load<f64>(rest, 16);
  let xx: f64 = 0, xy: f64 = 0, xz: f64 = 0, yy: f64 = 0, yz: f64 = 0, zz: f64 = 0, rx: f64 = 0, ry: f64 = 0, rz: f64 = 0;
  for (let row = 0; row < rows; row++) {
    let x: f64 = 0, y: f64 = 0, z: f64 = 0, e = -load<f64>(target + f64s(row));
    const base = bones + <usize>row * stride;
    for (let a = 0; a < members; a++) {
      const w = load<f64>(weights + f64s(a)), b = base + (<usize>load<u32>(ids + (<usize>a << 2)) << 5);
      x += w * load<f64>(b); y += w * load<f64>(b, 8); z += w * load<f64>(b, 16); e += w * load<f64>(b, 24);
    }
    e += x * ux + y * uy + z * uz;
    const m = matrices + f64s(3 * row), s = load<f64>(omega + f64s(row / 3));
    store<f64>(residual + f64s(row), e);
    store<f64>(m, x); store<f64>(m, y, 8); store<f64>(m, z, 16);
    xx += s * x * x; xy += s * x * y; xz += s * x * z; yy += s * y * y; yz += s * y * z; zz += s * z * z;
    rx -= s * x * e; ry -= s * y * e; rz -= s * z * e;
  }
  const ridge = REST_RIDGE * (xx + yy + zz);
  xx += ridge; yy += ridge; zz += ridge;
  const c0 = yy * zz - yz * yz, c1 = xz * yz - xy * zz, c2 = xy * yz - xz * yy, trace = xx + yy + zz;
  const det = xx * c0 + xy * c1 + xz * c2;
  if (!(det > SINGULAR * trace * trace * trace)) return;
  const c3 = xx * zz - xz * xz, c4 = xy * xz - xx * yz, c5 = xx * yy - xy * xy;
  const dx = (c0 * rx + c1 * ry + c2 * rz) / det, dy = (c1 * rx + c3 * ry + c4 * rz) / det, dz = (c2 * rx + c4 * ry + c5 * rz) / det;
  const before = measureObjective(own);
  let step = min<f64>(1, 2 / p);
  for (let n = 0; n < HALVINGS; n++, step *= 0.5) {
    for (let row = 0; row < rows; row++) {
      const m = matrices + f64s(3 * row);
      store<f64>(moved + f64s(row), load<f64>(residual + f64s(row)) + step * (load<f64>(m) * dx + load<f64>(m, 8) * dy + load<f64>(m, 16) * dz));
    }
    putSquares(moved, squares);
    if (!(measureObjective(squares) < before)) continue;
    memory.copy(own, squares, f64s(frameCount));
    store<f64>(rest, ux + step * dx); store<f64>(rest, uy + step * dy, 8); store<f64>(rest, uz + step * dz, 16);
    return;
  }
}

function putSquares(from: usize, to: usize): void {
  for (let k = 0; k < frameCount; k++, from += 24, to += 8) {
    const x = load<f64>(from), y = load<f64>(from, 8), z = load<f64>(from, 16);
    store<f64>(to, x * x + y * y + z * z);
  }
}

function measureObjective(values: usize): f64 {
  let sum: f64 = 0;
  for (let k = 0; k < frameCount; k++) sum += objectiveOf(load<f64>(values + f64s(k)));
  return sum;
}
