// SPDX-License-Identifier: MIT
// Moments of a tree with connected joints; tree-moments.ts has the algebra, the arguments and the reference implementation. Sums are in the order of the reference.
import { f64s, indexAt } from '../matrices/vectors.as';
import { TreeMoments } from '../slots.as';

let boneCount: i32 = 0;
let parents: usize = 0, order: usize = 0, joints: usize = 0;

export function treeMoments(args: usize, _chunk: i32, _thread: i32): void {
  const pairs = <usize>load<f64>(args, TreeMoments.pairs), given = <usize>load<f64>(args, TreeMoments.skinTargets);
  parents = <usize>load<f64>(args, TreeMoments.parents); order = <usize>load<f64>(args, TreeMoments.order);
  joints = <usize>load<f64>(args, TreeMoments.joints);
  const gram = <usize>load<f64>(args, TreeMoments.gram), targets = <usize>load<f64>(args, TreeMoments.targets);
  const means = <usize>load<f64>(args, TreeMoments.means), centers = <usize>load<f64>(args, TreeMoments.centers);
  boneCount = <i32>load<f64>(args, TreeMoments.boneCount);
  const rootCount = <i32>load<f64>(args, TreeMoments.rootCount);
  const rows = <i32>load<f64>(args, TreeMoments.rows), points = load<f64>(args, TreeMoments.points);
  const all = <usize>load<f64>(args, TreeMoments.scratch);
  const size = 3 * boneCount, line = f64s(size), wide = f64s(4 * boneCount);
  const left = all + 4 * <usize>boneCount * wide, column = left + <usize>size * wide;
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairs + f64s((min(j, l) * boneCount + max(j, l)) * 10);
      let o = all + <usize>(4 * j) * wide + f64s(4 * l);
      store<f64>(o, load<f64>(p)); store<f64>(o, load<f64>(p, 8), 8); store<f64>(o, load<f64>(p, 16), 16); store<f64>(o, load<f64>(p, 24), 24);
      o += wide;
      store<f64>(o, load<f64>(p, 8)); store<f64>(o, load<f64>(p, 32), 8); store<f64>(o, load<f64>(p, 40), 16); store<f64>(o, load<f64>(p, 48), 24);
      o += wide;
      store<f64>(o, load<f64>(p, 16)); store<f64>(o, load<f64>(p, 40), 8); store<f64>(o, load<f64>(p, 56), 16); store<f64>(o, load<f64>(p, 64), 24);
      o += wide;
      store<f64>(o, load<f64>(p, 24)); store<f64>(o, load<f64>(p, 48), 8); store<f64>(o, load<f64>(p, 64), 16); store<f64>(o, load<f64>(p, 72), 24);
    }
  }
  foldRows(all, left, wide);
  if (rootCount > 1) {
    eliminate(args, pairs, left, column, column + wide);
    return;
  }
  for (let e = 0; e < size; e++) store<f64>(means + f64s(e), fold(left + <usize>e * wide, gram + <usize>e * line) / points);
  for (let e = 0; e < size; e++) {
    const row = gram + <usize>e * line, scale = points * load<f64>(means + f64s(e)), s = f64x2.splat(scale);
    let o: usize = 0;
    for (; o + 16 <= line; o += 16) v128.store(row + o, f64x2.sub(v128.load(row + o), f64x2.mul(s, v128.load(means + o))));
    if (o < line) store<f64>(row + o, load<f64>(row + o) - scale * load<f64>(means + o));
  }
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < boneCount; j++) {
      const p = given + f64s((j * rows + row) * 4), o = column + f64s(4 * j);
      v128.store(o, v128.load(p)); v128.store(o, v128.load(p, 16), 16);
    }
    const out = targets + <usize>row * line, sum = fold(column, out), s = f64x2.splat(sum);
    store<f64>(centers + f64s(row), sum / points);
    let o: usize = 0;
    for (; o + 16 <= line; o += 16) v128.store(out + o, f64x2.sub(v128.load(out + o), f64x2.mul(s, v128.load(means + o))));
    if (o < line) store<f64>(out + o, load<f64>(out + o) - sum * load<f64>(means + o));
  }
}

/** The last part of treeMoments for several roots. scratch: sums (3 boneCount x roots), A⁻¹ (roots x roots), A (roots x roots), and the sums of a row */
function eliminate(args: usize, pairs: usize, left: usize, column: usize, scratch: usize): void {
  const given = <usize>load<f64>(args, TreeMoments.skinTargets), gram = <usize>load<f64>(args, TreeMoments.gram), targets = <usize>load<f64>(args, TreeMoments.targets);
  const means = <usize>load<f64>(args, TreeMoments.means), centers = <usize>load<f64>(args, TreeMoments.centers);
  const rows = <i32>load<f64>(args, TreeMoments.rows), points = load<f64>(args, TreeMoments.points), roots = <i32>load<f64>(args, TreeMoments.rootCount);
  const size = 3 * boneCount, line = f64s(size), wide = f64s(4 * boneCount), across = f64s(roots);
  const sums = scratch, inverse = sums + <usize>size * across, matrix = inverse + <usize>roots * across;
  for (let e = 0; e < size; e++) {
    const row = left + <usize>e * wide;
    fold(row, gram + <usize>e * line);
    takeRoots(row, sums + <usize>e * across);
  }
  memory.fill(matrix, 0, <usize>roots * across);
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const o = matrix + f64s(componentOf(j) * roots + componentOf(l));
      store<f64>(o, load<f64>(o) + load<f64>(pairs + f64s((min(j, l) * boneCount + max(j, l)) * 10), 72));
    }
  }
  invertRoots(matrix, inverse, roots, points);
  for (let e = 0; e < size; e++) timesInverse(sums + <usize>e * across, inverse, means + <usize>e * across, roots);
  for (let e = 0; e < size; e++) {
    for (let f = 0; f < size; f++) {
      const o = gram + <usize>e * line + f64s(f);
      let value = load<f64>(o);
      for (let c: usize = 0; c < across; c += 8) value -= load<f64>(means + <usize>e * across + c) * load<f64>(sums + <usize>f * across + c);
      store<f64>(o, value);
    }
  }
  const own = matrix;
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < boneCount; j++) memory.copy(column + f64s(4 * j), given + f64s((j * rows + row) * 4), 32);
    const out = targets + <usize>row * line;
    fold(column, out);
    takeRoots(column, own);
    timesInverse(own, inverse, centers + <usize>row * across, roots);
    for (let e = 0; e < size; e++) {
      let value = load<f64>(out + f64s(e));
      for (let c: usize = 0; c < across; c += 8) value -= load<f64>(own + c) * load<f64>(means + <usize>e * across + c);
      store<f64>(out + f64s(e), value);
    }
  }
}

/** The last numbers of the roots of a folded column. */
function takeRoots(column: usize, out: usize): void {
  for (let n = 0; n < boneCount; n++) {
    const j = indexAt(order, n);
    if (indexAt(parents, j) >= 0) continue;
    store<f64>(out, load<f64>(column + f64s(4 * j), 24));
    out += 8;
  }
}

/** The number of the root of a bone, in the order of the tree. */
function componentOf(bone: i32): i32 {
  let root = bone;
  while (indexAt(parents, root) >= 0) root = indexAt(parents, root);
  let count = 0;
  for (let n = 0; indexAt(order, n) != root; n++) if (indexAt(parents, indexAt(order, n)) < 0) count++;
  return count;
}

/** A row times A⁻¹. */
export function timesInverse(row: usize, inverse: usize, out: usize, roots: i32): void {
  for (let c = 0; c < roots; c++) {
    let sum: f64 = 0;
    for (let d = 0; d < roots; d++) sum += load<f64>(row + f64s(d)) * load<f64>(inverse + f64s(d * roots + c));
    store<f64>(out + f64s(c), sum);
  }
}

/** The inverse of A, which is overwritten. */
export function invertRoots(a: usize, out: usize, size: i32, points: f64): void {
  const line = f64s(size);
  memory.fill(out, 0, <usize>size * line);
  for (let n: usize = 0; n < <usize>size; n++) store<f64>(out + n * (line + 8), 1);
  for (let n: usize = 0; n < <usize>size; n++) {
    const pivot = max(load<f64>(a + n * (line + 8)), 1e-12 * points);
    for (let c: usize = 0; c < line; c += 8) {
      store<f64>(a + n * line + c, load<f64>(a + n * line + c) / pivot);
      store<f64>(out + n * line + c, load<f64>(out + n * line + c) / pivot);
    }
    for (let r: usize = 0; r < <usize>size; r++) {
      if (r == n) continue;
      const factor = load<f64>(a + r * line + (n << 3));
      for (let c: usize = 0; c < line; c += 8) {
        store<f64>(a + r * line + c, load<f64>(a + r * line + c) - factor * load<f64>(a + n * line + c));
        store<f64>(out + r * line + c, load<f64>(out + r * line + c) - factor * load<f64>(out + n * line + c));
      }
    }
  }
}

/** fold for all columns of a matrix, which is overwritten: 4 boneCount rows to 3 boneCount. */
function foldRows(all: usize, out: usize, wide: usize): void {
  for (let j: usize = 0; j < <usize>boneCount; j++) memory.copy(out + 3 * j * wide, all + 4 * j * wide, 3 * wide);
  for (let n = boneCount - 1; n > 0; n--) {
    const a = <usize>indexAt(order, n);
    if (indexAt(parents, <i32>a) < 0) continue;
    const p = <usize>indexAt(parents, <i32>a), sums = all + (4 * a + 3) * wide, above = all + (4 * p + 3) * wide;
    const own = out + 3 * a * wide, to = out + 3 * p * wide, joint = joints + 24 * a;
    const x = v128.load64_splat(joint), y = v128.load64_splat(joint, 8), z = v128.load64_splat(joint, 16);
    for (let o: usize = 0; o < wide; o += 16) {
      const s = v128.load(sums + o), q0 = own + o, q1 = q0 + wide, q2 = q1 + wide, t0 = to + o, t1 = t0 + wide, t2 = t1 + wide;
      let v = f64x2.mul(s, x);
      v128.store(q0, f64x2.sub(v128.load(q0), v)); v128.store(t0, f64x2.add(v128.load(t0), v));
      v = f64x2.mul(s, y);
      v128.store(q1, f64x2.sub(v128.load(q1), v)); v128.store(t1, f64x2.add(v128.load(t1), v));
      v = f64x2.mul(s, z);
      v128.store(q2, f64x2.sub(v128.load(q2), v)); v128.store(t2, f64x2.add(v128.load(t2), v));
      v128.store(above + o, f64x2.add(v128.load(above + o), s));
    }
  }
}

/** Converts sums over w (u, 1) of every bone to sums over y of every rotation. Returns the sum over w of all bones. The column is overwritten. */
function fold(column: usize, out: usize): f64 {
  for (let j: usize = 0; j < <usize>boneCount; j++) {
    v128.store(out + 24 * j, v128.load(column + 32 * j));
    store<f64>(out + 24 * j, load<f64>(column + 32 * j, 16), 16);
  }
  for (let n = boneCount - 1; n > 0; n--) {
    const a = <usize>indexAt(order, n);
    if (indexAt(parents, <i32>a) < 0) continue;
    const p = <usize>indexAt(parents, <i32>a), s = load<f64>(column + 32 * a, 24), joint = joints + 24 * a, own = out + 24 * a, to = out + 24 * p;
    const xy = f64x2.mul(f64x2.splat(s), v128.load(joint)), z = s * load<f64>(joint, 16);
    v128.store(own, f64x2.sub(v128.load(own), xy)); store<f64>(own, load<f64>(own, 16) - z, 16);
    v128.store(to, f64x2.add(v128.load(to), xy)); store<f64>(to, load<f64>(to, 16) + z, 16);
    store<f64>(column + 32 * p, load<f64>(column + 32 * p, 24) + s, 24);
  }
  return load<f64>(column + 32 * <usize>indexAt(order, 0), 24);
}
