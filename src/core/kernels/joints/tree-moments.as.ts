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

/** fold for all columns of a matrix, which is overwritten: 4 boneCount rows to 3 boneCount. */
function foldRows(all: usize, out: usize, wide: usize): void {
  for (let j: usize = 0; j < <usize>boneCount; j++) memory.copy(out + 3 * j * wide, all + 4 * j * wide, 3 * wide);
  for (let n = boneCount - 1; n > 0; n--) {
    const a = <usize>indexAt(order, n), p = <usize>indexAt(parents, <i32>a), sums = all + (4 * a + 3) * wide, above = all + (4 * p + 3) * wide;
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
    const a = <usize>indexAt(order, n), p = <usize>indexAt(parents, <i32>a), s = load<f64>(column + 32 * a, 24), joint = joints + 24 * a, own = out + 24 * a, to = out + 24 * p;
    const xy = f64x2.mul(f64x2.splat(s), v128.load(joint)), z = s * load<f64>(joint, 16);
    v128.store(own, f64x2.sub(v128.load(own), xy)); store<f64>(own, load<f64>(own, 16) - z, 16);
    v128.store(to, f64x2.add(v128.load(to), xy)); store<f64>(to, load<f64>(to, 16) + z, 16);
    store<f64>(column + 32 * p, load<f64>(column + 32 * p, 24) + s, 24);
  }
  return load<f64>(column + 32 * <usize>indexAt(order, 0), 24);
}
