// SPDX-License-Identifier: MIT
// The system of all joints of a tree; joint-system.ts has the algebra, the arguments and the reference implementation. Sums are in the order of the reference.
import { f64s, indexAt } from '../matrices/vectors.as';
import { JointSystem, RotationProducts, SubtreeMoments } from '../slots.as';
import { invertRoots, timesInverse } from './tree-moments.as';

const HINGE: f64 = 0.01, HOLD: f64 = 1, MARGIN: f64 = 1.01, PIVOT_FLOOR: f64 = 1e-14;
const MAX_SWEEPS: i32 = 12;

/** out += factor * from, over bytes. */
// @ts-ignore: decorator
@inline function addTimes(out: usize, from: usize, factor: f64, bytes: usize): void {
  const f = f64x2.splat(factor);
  let o: usize = 0;
  for (; o + 16 <= bytes; o += 16) v128.store(out + o, f64x2.add(v128.load(out + o), f64x2.mul(f, v128.load(from + o))));
  if (o < bytes) store<f64>(out + o, load<f64>(out + o) + factor * load<f64>(from + o));
}

export function subtreeMoments(args: usize, _chunk: i32, _thread: i32): void {
  const pairs = <usize>load<f64>(args, SubtreeMoments.pairs), given = <usize>load<f64>(args, SubtreeMoments.skinTargets);
  const parents = <usize>load<f64>(args, SubtreeMoments.parents), order = <usize>load<f64>(args, SubtreeMoments.order);
  const spread = <usize>load<f64>(args, SubtreeMoments.spread), firsts = <usize>load<f64>(args, SubtreeMoments.firsts);
  const targets = <usize>load<f64>(args, SubtreeMoments.targets);
  const count = <i32>load<f64>(args, SubtreeMoments.boneCount), rows = <i32>load<f64>(args, SubtreeMoments.rows);
  const points = load<f64>(args, SubtreeMoments.points), shares = <usize>load<f64>(args, SubtreeMoments.scratch);
  const line = f64s(count);
  for (let j = 0; j < count; j++) {
    for (let l = 0; l < count; l++) {
      const p = pairs + f64s((min(j, l) * count + max(j, l)) * 10), o = j * count + l, q = firsts + f64s(3 * o);
      store<f64>(spread + f64s(o), load<f64>(p, 72));
      store<f64>(q, load<f64>(p, 24)); store<f64>(q, load<f64>(p, 48), 8); store<f64>(q, load<f64>(p, 64), 16);
    }
    for (let row = j * rows; row < (j + 1) * rows; row++) store<f64>(targets + f64s(row), load<f64>(given + f64s(4 * row), 24));
  }
  for (let n = count - 1; n > 0; n--) {
    const from = indexAt(order, n), to = indexAt(parents, from);
    if (to < 0) continue;
    addTimes(spread + <usize>to * line, spread + <usize>from * line, 1, line);
    addTimes(firsts + 3 * <usize>to * line, firsts + 3 * <usize>from * line, 1, 3 * line);
    addTimes(targets + f64s(to * rows), targets + f64s(from * rows), 1, f64s(rows));
  }
  const roots = <i32>load<f64>(args, SubtreeMoments.rootCount);
  if (roots > 1) {
    eliminateRoots(args, shares, roots);
    return;
  }
  for (let a = 0; a < count; a++) {
    const row = spread + <usize>a * line;
    let share: f64 = 0;
    for (let o: usize = 0; o < line; o += 8) share += load<f64>(row + o);
    store<f64>(shares + f64s(a), share);
    for (let n = count - 1; n > 0; n--) {
      const from = indexAt(order, n), to = row + f64s(indexAt(parents, from));
      store<f64>(to, load<f64>(to) + load<f64>(row + f64s(from)));
    }
  }
  // the root's subtree is the whole body
  const root = indexAt(order, 0);
  for (let a = 0; a < count; a++) {
    const row = spread + <usize>a * line, share = load<f64>(shares + f64s(a));
    for (let o: usize = 0; o < line; o += 8) store<f64>(row + o, load<f64>(row + o) - (share * load<f64>(shares + o)) / points);
    if (a == root) continue;
    const part = -(share / points);
    addTimes(firsts + 3 * <usize>a * line, firsts + 3 * <usize>root * line, part, 3 * line);
    addTimes(targets + f64s(a * rows), targets + f64s(root * rows), part, f64s(rows));
  }
}

/** The last part of subtreeMoments for several roots. scratch: shares (bones x roots), A, A⁻¹ (roots x roots), a row, and the component of each bone */
function eliminateRoots(args: usize, shares: usize, roots: i32): void {
  const parents = <usize>load<f64>(args, SubtreeMoments.parents), order = <usize>load<f64>(args, SubtreeMoments.order);
  const spread = <usize>load<f64>(args, SubtreeMoments.spread), firsts = <usize>load<f64>(args, SubtreeMoments.firsts), targets = <usize>load<f64>(args, SubtreeMoments.targets);
  const count = <i32>load<f64>(args, SubtreeMoments.boneCount), rows = <i32>load<f64>(args, SubtreeMoments.rows), points = load<f64>(args, SubtreeMoments.points);
  const line = f64s(count), across = f64s(roots);
  const matrix = shares + <usize>count * across, inverse = matrix + <usize>roots * across, part = inverse + <usize>roots * across, components = part + across;
  let found = 0;
  for (let n = 0; n < count; n++) {
    const j = indexAt(order, n), p = indexAt(parents, j);
    store<i32>(components + (<usize>j << 2), p < 0 ? found++ : load<i32>(components + (<usize>p << 2)));
  }
  memory.fill(shares, 0, <usize>count * across);
  for (let a = 0; a < count; a++) {
    const row = spread + <usize>a * line, own = shares + <usize>a * across;
    for (let l = 0; l < count; l++) {
      const o = own + f64s(load<i32>(components + (<usize>l << 2)));
      store<f64>(o, load<f64>(o) + load<f64>(row + f64s(l)));
    }
    for (let n = count - 1; n > 0; n--) {
      const from = indexAt(order, n), to = indexAt(parents, from);
      if (to >= 0) store<f64>(row + f64s(to), load<f64>(row + f64s(to)) + load<f64>(row + f64s(from)));
    }
    // the subtree of a root is its component
    if (indexAt(parents, a) < 0) memory.copy(matrix + f64s(load<i32>(components + (<usize>a << 2)) * roots), own, across);
  }
  invertRoots(matrix, inverse, roots, points);
  for (let a = 0; a < count; a++) {
    if (indexAt(parents, a) < 0) continue;
    const row = spread + <usize>a * line;
    timesInverse(shares + <usize>a * across, inverse, part, roots);
    for (let n = 0; n < count; n++) {
      const root = indexAt(order, n);
      if (indexAt(parents, root) >= 0) continue;
      const c = load<i32>(components + (<usize>root << 2)), factor = load<f64>(part + f64s(c));
      for (let b = 0; b < count; b++) store<f64>(row + f64s(b), load<f64>(row + f64s(b)) - factor * load<f64>(shares + <usize>b * across + f64s(c)));
      addTimes(firsts + 3 * <usize>a * line, firsts + 3 * <usize>root * line, -factor, 3 * line);
      addTimes(targets + f64s(a * rows), targets + f64s(root * rows), -factor, f64s(rows));
    }
  }
}

/** Three rows by four columns of the products in registers. */
export function rotationProducts(args: usize, chunk: i32, _thread: i32): void {
  const x = <usize>load<f64>(args, RotationProducts.rotations), products = <usize>load<f64>(args, RotationProducts.products);
  const count = <i32>load<f64>(args, RotationProducts.boneCount), rows = <i32>load<f64>(args, RotationProducts.rows);
  const per = <i32>load<f64>(args, RotationProducts.chunkSize);
  const size = 3 * count, line = f64s(size), end = x + <usize>rows * line;
  for (let a = 3 * chunk * per, last = min(size, 3 * (chunk + 1) * per); a < last; a += 3) {
    let b = a;
    for (; b + 4 <= size; b += 4) {
      let s0 = f64x2.splat(0), s1 = s0, s2 = s0, t0 = s0, t1 = s0, t2 = s0;
      let p = x + f64s(a), q = x + f64s(b);
      for (; q < end; p += line, q += line) {
        const y = v128.load(q), z = v128.load(q, 16);
        let v = v128.load64_splat(p);
        s0 = f64x2.add(s0, f64x2.mul(v, y)); t0 = f64x2.add(t0, f64x2.mul(v, z));
        v = v128.load64_splat(p, 8);
        s1 = f64x2.add(s1, f64x2.mul(v, y)); t1 = f64x2.add(t1, f64x2.mul(v, z));
        v = v128.load64_splat(p, 16);
        s2 = f64x2.add(s2, f64x2.mul(v, y)); t2 = f64x2.add(t2, f64x2.mul(v, z));
      }
      put(products, line, a, b, s0); put(products, line, a, b + 2, t0);
      put(products, line, a + 1, b, s1); put(products, line, a + 1, b + 2, t1);
      put(products, line, a + 2, b, s2); put(products, line, a + 2, b + 2, t2);
    }
    for (; b < size; b++) {
      for (let r = a; r < a + 3; r++) {
        let sum: f64 = 0;
        let p = x + f64s(r), q = x + f64s(b);
        for (; q < end; p += line, q += line) sum += load<f64>(p) * load<f64>(q);
        store<f64>(products + <usize>r * line + f64s(b), sum);
        store<f64>(products + <usize>b * line + f64s(r), sum);
      }
    }
  }
}

/** Two products of a row, and the same in the other triangle. */
// @ts-ignore: decorator
@inline function put(products: usize, line: usize, a: i32, b: i32, value: v128): void {
  v128.store(products + <usize>a * line + f64s(b), value);
  const o = products + <usize>b * line + f64s(a);
  v128.store64_lane(o, value, 0);
  v128.store64_lane(o + line, value, 1);
}

export function jointSystem(args: usize, _chunk: i32, _thread: i32): void {
  const x = <usize>load<f64>(args, JointSystem.rotations), products = <usize>load<f64>(args, JointSystem.products);
  const spread = <usize>load<f64>(args, JointSystem.spread), firsts = <usize>load<f64>(args, JointSystem.firsts);
  const targets = <usize>load<f64>(args, JointSystem.targets);
  const parents = <usize>load<f64>(args, JointSystem.parents), anchors = <usize>load<f64>(args, JointSystem.anchors);
  const factors = <usize>load<f64>(args, JointSystem.factors), joints = <usize>load<f64>(args, JointSystem.joints);
  const blocks = <usize>load<f64>(args, JointSystem.blocks);
  const count = <i32>load<f64>(args, JointSystem.boneCount), rows = <i32>load<f64>(args, JointSystem.rows);
  const relative = load<f64>(args, JointSystem.relative), stiff = load<f64>(args, JointSystem.stiff);
  const least = load<f64>(args, JointSystem.least);
  const hinges = load<f64>(args, JointSystem.hinges) != 0, h = <usize>load<f64>(args, JointSystem.scratch);
  const size = 3 * count, line = f64s(size), right = h + <usize>size * line, scratch = right + line;
  for (let a = 0; a < count; a++) {
    putBlocks(a, products, spread, parents, h, blocks + f64s(9 * a), count, line);
    if (indexAt(parents, a) >= 0) putRight(a, indexAt(parents, a), x, products, targets + f64s(a * rows), firsts + <usize>a * line, right, rows, line);
    else { store<f64>(right + f64s(3 * a), 0); store<f64>(right + f64s(3 * a), 0, 8); store<f64>(right + f64s(3 * a), 0, 16); }
  }
  let largest: f64 = 0;
  for (let a = 0; a < count; a++) {
    const block = blocks + f64s(9 * a);
    const trace = load<f64>(block) + load<f64>(block, 32) + load<f64>(block, 64);
    const pull = (relative * trace) / 3 + stiff * load<f64>(factors + f64s(a)) + least;
    for (let d = 3 * a; d < 3 * a + 3; d++) {
      const o = h + <usize>d * (line + 8), r = right + f64s(d);
      store<f64>(o, load<f64>(o) + pull);
      store<f64>(r, load<f64>(r) + pull * load<f64>(anchors + f64s(d)));
    }
    if (hinges && indexAt(parents, a) >= 0) holdHinge(block, h + <usize>(3 * a) * (line + 8), line, right + f64s(3 * a), anchors + f64s(3 * a), scratch);
    for (let d = 3 * a; d < 3 * a + 3; d++) largest = max(largest, load<f64>(h + <usize>d * (line + 8)));
  }
  factor(h, size, PIVOT_FLOOR * largest);
  substitute(h, right, size);
  for (let d = 0; d < size; d++) store<f64>(joints + f64s(d), indexAt(parents, d / 3) < 0 ? 0 : load<f64>(right + f64s(d)));
}

/** The blocks of a joint with those before it, below the diagonal of H, transposed: row n of memory is column n of the lower triangle. */
function putBlocks(a: i32, products: usize, spread: usize, parents: usize, h: usize, own: usize, count: i32, line: usize): void {
  const p = indexAt(parents, a), above = products + <usize>(3 * p) * line, below = products + <usize>(3 * a) * line;
  for (let b = 0; b <= a; b++) {
    const q = indexAt(parents, b), s = p < 0 || q < 0 ? 0 : load<f64>(spread + f64s(a * count + b));
    const to = f64s(3 * q), from = f64s(3 * b);
    for (let r: usize = 0; r < 3; r++) {
      const u = above + r * line, v = below + r * line;
      for (let c: usize = 0; c < 24; c += 8) {
        const value = s == 0 ? 0 : s * (load<f64>(u + to + c) - load<f64>(u + from + c) - load<f64>(v + to + c) + load<f64>(v + from + c));
        if (a == b) store<f64>(own + 24 * r + c, value);
        store<f64>(h + (3 * <usize>b + (c >> 3)) * line + f64s(3 * a) + (r << 3), value);
      }
    }
  }
}

/** The right side of a joint. */
function putRight(a: i32, p: i32, x: usize, products: usize, targets: usize, firsts: usize, right: usize, rows: i32, line: usize): void {
  const above = f64s(3 * p), below = f64s(3 * a);
  let s0: f64 = 0, s1: f64 = 0, s2: f64 = 0;
  for (let row = 0; row < rows; row++) {
    const u = x + <usize>row * line + above, v = x + <usize>row * line + below, t = load<f64>(targets + f64s(row));
    s0 += (load<f64>(u) - load<f64>(v)) * t;
    s1 += (load<f64>(u, 8) - load<f64>(v, 8)) * t;
    s2 += (load<f64>(u, 16) - load<f64>(v, 16)) * t;
  }
  const u = products + <usize>(3 * p) * line, v = products + <usize>(3 * a) * line;
  for (let o: usize = 0; o < line; o += 8) {
    const f = load<f64>(firsts + o);
    s0 -= (load<f64>(u + o) - load<f64>(v + o)) * f;
    s1 -= (load<f64>(u + line + o) - load<f64>(v + line + o)) * f;
    s2 -= (load<f64>(u + 2 * line + o) - load<f64>(v + 2 * line + o)) * f;
  }
  store<f64>(right + below, s0); store<f64>(right + below, s1, 8); store<f64>(right + below, s2, 16);
}

/** Adds the spring along the axis of a hinge to a block of H and to the right side. m: the matrix, then the eigenvectors by column */
function holdHinge(block: usize, h: usize, line: usize, right: usize, anchor: usize, m: usize): void {
  const xx = load<f64>(block), xy = load<f64>(block, 8), xz = load<f64>(block, 16), yy = load<f64>(block, 32), yz = load<f64>(block, 40), zz = load<f64>(block, 64);
  const e1 = xx + yy + zz, minor = yy * zz - yz * yz, e2 = minor + (xx * zz - xz * xz) + (xx * yy - xy * xy);
  const e3 = xx * minor - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  if (e1 * e3 > MARGIN * HINGE * 3 * e2 * e2) return;
  memory.copy(m, block, 72);
  diagonalize(m);
  let least: usize = 0;
  for (let n: usize = 1; n < 3; n++) if (load<f64>(m + 32 * n) < load<f64>(m + 32 * least)) least = n;
  let next = f64.MAX_VALUE;
  for (let n: usize = 0; n < 3; n++) if (n != least) next = min(next, load<f64>(m + 32 * n));
  const value = load<f64>(m + 32 * least);
  if (!(value < HINGE * next)) return;
  const pull = HOLD * max(0, value), axis = m + 72 + (least << 3);
  let along: f64 = 0;
  for (let r: usize = 0; r < 3; r++) along += load<f64>(axis + 24 * r) * load<f64>(anchor + (r << 3));
  for (let r: usize = 0; r < 3; r++) {
    const u = load<f64>(axis + 24 * r);
    for (let c: usize = r; c < 3; c++) {
      const o = h + r * line + (c << 3);
      store<f64>(o, load<f64>(o) + pull * u * load<f64>(axis + 24 * c));
    }
    store<f64>(right + (r << 3), load<f64>(right + (r << 3)) + pull * along * u);
  }
}

/** Eigenvalues on the diagonal of a symmetric 3x3 matrix and, behind it, eigenvectors by column: Jacobi's rotations. */
function diagonalize(m: usize): void {
  const v = m + 72;
  memory.fill(v, 0, 72);
  store<f64>(v, 1); store<f64>(v, 1, 32); store<f64>(v, 1, 64);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const off = abs(load<f64>(m, 8)) + abs(load<f64>(m, 16)) + abs(load<f64>(m, 40));
    if (!(off > 1e-300)) return;
    turnPair(m, v, 0, 8, 16); turnPair(m, v, 0, 16, 8); turnPair(m, v, 8, 16, 0);
  }
}

/** Makes m_pq zero; p, q and the third index are offsets in a row. */
function turnPair(m: usize, v: usize, p: usize, q: usize, third: usize): void {
  const pq = m + 3 * p + q, g = load<f64>(pq);
  if (g == 0) return;
  const pp = m + 4 * p, qq = m + 4 * q, theta = (load<f64>(qq) - load<f64>(pp)) / (2 * g);
  const t = (theta >= 0 ? 1 : -1) / (abs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  store<f64>(pp, load<f64>(pp) - t * g);
  store<f64>(qq, load<f64>(qq) + t * g);
  store<f64>(pq, 0); store<f64>(m + 3 * q + p, 0);
  const a = load<f64>(m + 3 * third + p), b = load<f64>(m + 3 * third + q), x = c * a - s * b, y = s * a + c * b;
  store<f64>(m + 3 * third + p, x); store<f64>(m + 3 * p + third, x);
  store<f64>(m + 3 * third + q, y); store<f64>(m + 3 * q + third, y);
  for (let row = v; row < v + 72; row += 24) {
    const e = load<f64>(row + p), f = load<f64>(row + q);
    store<f64>(row + p, c * e - s * f);
    store<f64>(row + q, s * e + c * f);
  }
}

/** Cholesky factorization in place of the transposed lower triangle, a row at a time, eight columns in registers. Pivots are at least the floor. */
function factor(h: usize, size: i32, floor: f64): void {
  const line = f64s(size);
  for (let j = 0; j < size; j++) {
    const row = h + <usize>j * line;
    let o = f64s(j);
    const diagonal = row + o, column = h + o, below = column + <usize>j * line;
    let pivot = load<f64>(diagonal);
    for (let c = column; c < below; c += line) pivot -= load<f64>(c) * load<f64>(c);
    const root = sqrt(pivot > floor ? pivot : floor), inverse = 1 / root, scale = f64x2.splat(inverse);
    store<f64>(diagonal, root);
    o += 8;
    for (; o + 64 <= line; o += 64) {
      let s0 = v128.load(row + o), s1 = v128.load(row + o, 16), s2 = v128.load(row + o, 32), s3 = v128.load(row + o, 48);
      for (let c = column, u = h + o; c < below; c += line, u += line) {
        const v = v128.load64_splat(c);
        s0 = f64x2.sub(s0, f64x2.mul(v128.load(u), v)); s1 = f64x2.sub(s1, f64x2.mul(v128.load(u, 16), v));
        s2 = f64x2.sub(s2, f64x2.mul(v128.load(u, 32), v)); s3 = f64x2.sub(s3, f64x2.mul(v128.load(u, 48), v));
      }
      v128.store(row + o, f64x2.mul(s0, scale)); v128.store(row + o, f64x2.mul(s1, scale), 16);
      v128.store(row + o, f64x2.mul(s2, scale), 32); v128.store(row + o, f64x2.mul(s3, scale), 48);
    }
    for (; o + 16 <= line; o += 16) {
      let s = v128.load(row + o);
      for (let c = column, u = h + o; c < below; c += line, u += line) s = f64x2.sub(s, f64x2.mul(v128.load(u), v128.load64_splat(c)));
      v128.store(row + o, f64x2.mul(s, scale));
    }
    if (o < line) {
      let s = load<f64>(row + o);
      for (let c = column, u = h + o; c < below; c += line, u += line) s -= load<f64>(u) * load<f64>(c);
      store<f64>(row + o, s * inverse);
    }
  }
}

/** Solves with the factor, in place. */
function substitute(h: usize, b: usize, size: i32): void {
  const line = f64s(size);
  for (let i: usize = 0; i < line; i += 8) {
    const row = h + (i >> 3) * line, value = load<f64>(b + i) / load<f64>(row + i);
    store<f64>(b + i, value);
    for (let o = i + 8; o < line; o += 8) store<f64>(b + o, load<f64>(b + o) - load<f64>(row + o) * value);
  }
  for (let i = line; i > 0; ) {
    i -= 8;
    const value = load<f64>(b + i) / load<f64>(h + (i >> 3) * line + i);
    store<f64>(b + i, value);
    for (let o: usize = 0, u = h + i; o < i; o += 8, u += line) store<f64>(b + o, load<f64>(b + o) - load<f64>(u) * value);
  }
}
