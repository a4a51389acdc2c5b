// SPDX-License-Identifier: MIT
// Convex weights of at most K bones per vertex; convex-weights.ts has the algebra, the arguments and the reference implementation with the same functions.
import { gatherColumns, gatherTable, listLargest, listMembers, putList } from './candidate-lists.as';
import { boneAt, copySupport, countOf, errorOf, laySupports, maxMembers, setCount, setMember, setWeight, slotAt, supportBytes, weightAt } from './support.as';
import { f64s, multiplyTrajectories, putProductsSym4, dotSym4Table } from '../matrices/vectors.as';
import { ConvexWeights } from '../slots.as';

const SURVIVORS: i32 = 3, INCOMING: i32 = 4, PASSES: i32 = 2;
const MAX_CANDIDATES: i32 = 32, TOP_CANDIDATES: i32 = 6;
const PIVOT_FLOOR: f64 = 1e-12, ROUNDING: f64 = 1e-14, SMALLEST: f64 = 1e-300, MIN_RAISE: f64 = 1e-9;

// The module has one instance per thread: these belong to the current vertex.
let boneCount: i32 = 0, width: i32 = 0;
let ridge: f64 = 0, tiny: f64 = 0;
let diagonal: usize = 0; // width: H_jj
let linear: usize = 0; // width: g_j
let blended: usize = 0; // width: H w
let gains: usize = 0; // width
let rows: usize = 0; // (maxMembers + SURVIVORS) x width: rows of H, by slot
let factor: usize = 0; // maxMembers x maxMembers: Cholesky factor of H on the trial support
let inverse: usize = 0; // maxMembers x maxMembers: L^-1
let ones: usize = 0; // maxMembers: L^-1 1
let onesSquare: f64 = 0; // |L^-1 1|^2
let trial: usize = 0, current: usize = 0, best: usize = 0; // supports
let found: usize = 0; // INCOMING bones, u32

// @ts-ignore: decorator
@inline function rowOf(slot: i32): usize { return rows + f64s(slot * width); }
// @ts-ignore: decorator
@inline function entry(slot: i32, bone: i32): f64 { return load<f64>(rowOf(slot) + f64s(bone)); }

export function convexWeights(args: usize, chunk: i32, thread: i32): void {
  const u = <usize>load<f64>(args, ConvexWeights.rest), v = <usize>load<f64>(args, ConvexWeights.posed);
  const squares = <usize>load<f64>(args, ConvexWeights.squares), t = <usize>load<f64>(args, ConvexWeights.bones);
  let products = <usize>load<f64>(args, ConvexWeights.pairs), table = <usize>load<f64>(args, ConvexWeights.diagonal), turned = t;
  const bones = <usize>load<f64>(args, ConvexWeights.ids), weights = <usize>load<f64>(args, ConvexWeights.weights);
  const errors = <usize>load<f64>(args, ConvexWeights.errors), removal = <usize>load<f64>(args, ConvexWeights.removal);
  const locked = <usize>load<f64>(args, ConvexWeights.locked);
  const count = <i32>load<f64>(args, ConvexWeights.vertexCount), rowCount = <i32>load<f64>(args, ConvexWeights.rows);
  boneCount = <i32>load<f64>(args, ConvexWeights.boneCount); width = <i32>load<f64>(args, ConvexWeights.width);
  laySupports(<i32>load<f64>(args, ConvexWeights.influences));
  const mode = <i32>load<f64>(args, ConvexWeights.start);
  ridge = load<f64>(args, ConvexWeights.ridge);
  let scratch = <usize>load<f64>(args, ConvexWeights.scratch) + <usize>thread * <usize>load<f64>(args, ConvexWeights.bytesPerThread);
  const size = <i32>load<f64>(args, ConvexWeights.chunkSize);
  const begin = chunk * size, end = min(count, begin + size);

  const position = scratch; scratch += f64s(10);
  diagonal = scratch; scratch += f64s(width);
  linear = scratch; scratch += f64s(width);
  blended = scratch; scratch += f64s(width);
  gains = scratch; scratch += f64s(width);
  rows = scratch; scratch += f64s((maxMembers + SURVIVORS) * width);
  factor = scratch; scratch += f64s(maxMembers * maxMembers);
  inverse = scratch; scratch += f64s(maxMembers * maxMembers);
  ones = scratch; scratch += f64s(maxMembers);
  trial = scratch; scratch += supportBytes;
  current = scratch; scratch += supportBytes;
  best = scratch; scratch += supportBytes;
  found = scratch; scratch += 16;
  const lists = <usize>load<f64>(args, ConvexWeights.lists), isListed = lists != 0 && load<f64>(args, ConvexWeights.isListed) != 0;
  const list = lists + (<usize>(chunk * (1 + MAX_CANDIDATES)) << 2), allCount = boneCount;
  const places = scratch + f64s(size * 4 * boneCount), tops = places + (<usize>boneCount << 2), members = tops + (<usize>(size * TOP_CANDIDATES) << 2);
  if (isListed) {
    const n = listMembers(list, bones, weights, begin, end, maxMembers, boneCount, members, places), most = n + (n & 1);
    const columns = (members + (<usize>n << 2) + 15) & ~15, small = columns + f64s(4 * rowCount * n), pairs = small + f64s(10 * most);
    gatherColumns(t, rowCount, boneCount, members, n, columns);
    gatherTable(table, width, members, n, small, most);
    for (let a = 0; a < n; a++) gatherTable(products + f64s(<i32>load<u32>(members + (<usize>a << 2)) * 10 * width), width, members, n, pairs + f64s(a * 10 * most), most);
    boneCount = n; width = most; turned = columns; table = small; products = pairs;
  }
  multiplyTrajectories(v, turned, scratch, begin, end, rowCount, 4 * boneCount);

  for (let i = begin; i < end; i++) {
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    const square = load<f64>(squares + f64s(i));
    putProductsSym4(x, y, z, position);
    const b = scratch + f64s((i - begin) * 4 * boneCount);
    tiny = ROUNDING * square + SMALLEST;
    dotSym4Table(table, position, width, diagonal);
    for (let j = 0; j < boneCount; j++) {
      const p = b + f64s(4 * j);
      const g = load<f64>(p) * x + load<f64>(p, 8) * y + load<f64>(p, 16) * z + load<f64>(p, 24);
      store<f64>(linear + f64s(j), g);
      store<f64>(diagonal + f64s(j), max(load<f64>(diagonal + f64s(j)) - 2 * g + square, tiny));
    }
    const ids = bones + (<usize>(i * maxMembers) << 2), ws = weights + f64s(i * maxMembers);
    setCount(best, 0); store<f64>(best, f64.MAX_VALUE, 8);
    if (locked && load<u32>(locked + (<usize>i << 2))) {
      readWarm(ids, ws, isListed ? places : 0, products, position, square, current);
      measure(current);
      copySupport(current, best);
    } else {
      if (mode < 2) {
        readWarm(ids, ws, isListed ? places : 0, products, position, square, current);
        if (countOf(current) > 0) {
          measure(current);
          copySupport(current, best); // never worse than the warm weights
          copySupport(current, trial);
          solveTrial();
          copySupport(trial, current);
          grow(products, position, square);
          exchange(products, position, square);
          if (errorOf(current) < errorOf(best)) copySupport(current, best);
        }
      }
      if (mode > 0 || countOf(best) == 0) {
        startCold(products, position, square);
        grow(products, position, square);
        exchange(products, position, square);
        if (errorOf(current) < errorOf(best)) copySupport(current, best);
      }
    }
    const n = countOf(best);
    for (let a = 0; a < maxMembers; a++) {
      const bone = a < n ? boneAt(best, a) : 0;
      store<u32>(ids + (<usize>a << 2), isListed && a < n ? load<u32>(members + (<usize>bone << 2)) : <u32>bone);
      store<f64>(ws + f64s(a), a < n ? weightAt(best, a) : 0);
    }
    store<f64>(errors + f64s(i), max(0, errorOf(best)));
    if (removal) putRemoval(removal + f64s(i * maxMembers), products, position, square);
    if (lists && !isListed) putTops(tops + (<usize>((i - begin) * TOP_CANDIDATES) << 2), products, position, square);
  }
  if (lists && !isListed) putList(list, MAX_CANDIDATES, tops, TOP_CANDIDATES, bones, weights, begin, end, maxMembers, allCount, places);
}

/** The bones with the largest gains, by falling gain. */
function putTops(tops: usize, products: usize, position: usize, square: f64): void {
  layRows(products, position, square);
  screen(best, -1);
  const count = listBest(TOP_CANDIDATES, tops);
  for (let c = count; c < TOP_CANDIDATES; c++) store<u32>(tops + (<usize>c << 2), 0xffffffff);
}

/** Rows of H for the members of the best support, in their order. */
function layRows(products: usize, position: usize, square: f64): void {
  const n = countOf(best);
  for (let a = 0; a < n; a++) {
    computeRow(boneAt(best, a), a, products, position, square);
    setMember(best, a, boneAt(best, a), a);
  }
}

function computeRow(bone: i32, slot: i32, products: usize, position: usize, square: f64): void {
  const row = rowOf(slot);
  dotSym4Table(products + f64s(bone * 10 * width), position, width, row);
  const g = square - load<f64>(linear + f64s(bone));
  const gg = f64x2.splat(g), bytes = f64s(width);
  for (let o: usize = 0; o < bytes; o += 16) v128.store(row + o, f64x2.sub(f64x2.add(v128.load(row + o), gg), v128.load(linear + o)));
  store<f64>(row + f64s(bone), load<f64>(diagonal + f64s(bone)));
}

/** Reads the present weights; places has the index of every bone among the candidates, 0: all bones are candidates. */
function readWarm(ids: usize, ws: usize, places: usize, products: usize, position: usize, square: f64, s: usize): void {
  let n = 0;
  for (let a = 0; a < maxMembers; a++) {
    const w = load<f64>(ws + f64s(a));
    if (!(w > 0)) continue;
    const id = load<u32>(ids + (<usize>a << 2)), bone = <i32>(places ? load<u32>(places + (<usize>id << 2)) : id);
    computeRow(bone, n, products, position, square);
    setMember(s, n, bone, n);
    setWeight(s, n, w);
    n++;
  }
  setCount(s, n);
}

function startCold(products: usize, position: usize, square: f64): void {
  let bone = 0;
  for (let j = 1; j < boneCount; j++) if (load<f64>(diagonal + f64s(j)) < load<f64>(diagonal + f64s(bone))) bone = j;
  computeRow(bone, 0, products, position, square);
  setCount(trial, 1);
  setMember(trial, 0, bone, 0);
  solveTrial();
  copySupport(trial, current);
}

/** The error of a support with its present weights: w^T H w. */
function measure(s: usize): void {
  const n = countOf(s);
  let error: f64 = 0;
  for (let a = 0; a < n; a++) {
    const slot = slotAt(s, a), w = weightAt(s, a);
    for (let b = 0; b < n; b++) error += w * weightAt(s, b) * entry(slot, boneAt(s, b));
  }
  store<f64>(s, error, 8);
}

/** Cholesky factor of H on the first n members of the trial support, and L^-1 1. */
function factorTrial(n: i32): void {
  onesSquare = 0;
  for (let a = 0; a < n; a++) {
    const slot = slotAt(trial, a), la = factor + f64s(a * maxMembers);
    let sum: f64 = 1;
    for (let b = 0; b < a; b++) {
      const lb = factor + f64s(b * maxMembers);
      let h = entry(slot, boneAt(trial, b));
      for (let c = 0; c < b; c++) h -= load<f64>(la + f64s(c)) * load<f64>(lb + f64s(c));
      h *= load<f64>(lb + f64s(b)); // the diagonal holds its inverse
      store<f64>(la + f64s(b), h);
      sum -= h * load<f64>(ones + f64s(b));
    }
    const d = entry(slot, boneAt(trial, a)) * (1 + ridge) + tiny;
    let pivot = d;
    for (let c = 0; c < a; c++) pivot -= load<f64>(la + f64s(c)) * load<f64>(la + f64s(c));
    const inverse = 1 / sqrt(max(pivot, d * PIVOT_FLOOR));
    store<f64>(la + f64s(a), inverse);
    const one = sum * inverse;
    store<f64>(ones + f64s(a), one);
    onesSquare += one * one;
  }
}

/** Solves on the trial support, dropping the smallest weight until none is negative. */
function solveTrial(): void {
  for (;;) {
    const n = countOf(trial);
    factorTrial(n);
    let worst = -1;
    let low: f64 = 0;
    for (let a = n - 1; a >= 0; a--) {
      let w = load<f64>(ones + f64s(a));
      for (let b = a + 1; b < n; b++) w -= load<f64>(factor + f64s(b * maxMembers + a)) * weightAt(trial, b);
      w *= load<f64>(factor + f64s(a * maxMembers + a));
      setWeight(trial, a, w);
      if (w < low) { low = w; worst = a; }
    }
    if (worst < 0 || n == 1) break;
    for (let a = worst; a + 1 < n; a++) setMember(trial, a, boneAt(trial, a + 1), slotAt(trial, a + 1));
    setCount(trial, n - 1);
  }
  const n = countOf(trial);
  let sum: f64 = 0;
  for (let a = 0; a < n; a++) sum += weightAt(trial, a);
  for (let a = 0; a < n; a++) setWeight(trial, a, weightAt(trial, a) / sum);
  measure(trial);
}

/** H w and the gain along e_l - w for every bone outside the current support (0 inside). */
function screen(s: usize, excluded: i32): void {
  const n = countOf(s);
  const bytes = f64s(width);
  for (let a = 0; a < n; a++) {
    const w = f64x2.splat(weightAt(s, a)), row = rowOf(slotAt(s, a));
    if (a == 0) for (let o: usize = 0; o < bytes; o += 16) v128.store(blended + o, f64x2.mul(w, v128.load(row + o)));
    else for (let o: usize = 0; o < bytes; o += 16) v128.store(blended + o, f64x2.add(v128.load(blended + o), f64x2.mul(w, v128.load(row + o))));
  }
  // the number past the last of an odd number of bones is never read
  const error = f64x2.splat(errorOf(s)), least = f64x2.splat(tiny), one = f64x2.splat(1), zero = f64x2.splat(0);
  for (let o: usize = 0; o < bytes; o += 16) {
    const r = v128.load(blended + o), top = f64x2.sub(error, r);
    const bottom = f64x2.add(f64x2.sub(error, f64x2.add(r, r)), v128.load(diagonal + o));
    const gain = f64x2.mul(top, f64x2.pmin(f64x2.div(top, bottom), one));
    v128.store(gains + o, v128.and(gain, v128.and(f64x2.gt(top, zero), f64x2.gt(bottom, least))));
  }
  for (let a = 0; a < n; a++) store<f64>(gains + f64s(boneAt(s, a)), 0);
  if (excluded >= 0) store<f64>(gains + f64s(excluded), 0);
}

/** Lists at most count bones by falling gain, ties by index, as u32 at found; returns their number. */
// @ts-ignore: decorator
@inline function listBest(count: i32, found: usize): i32 { return listLargest(gains, boneCount, tiny, count, found); }

function freeSlot(s: usize): i32 {
  let slot = 0;
  while (slotTaken(s, slot)) slot++;
  return slot;
}

function slotTaken(s: usize, slot: i32): bool {
  for (let a = 0, n = countOf(s); a < n; a++) if (slotAt(s, a) == slot) return true;
  return false;
}

/** Adds the screened bone of the largest exact gain until there are K bones or no gain. */
function grow(products: usize, position: usize, square: f64): void {
  for (let iteration = 0; iteration < 2 * maxMembers; iteration++) {
    const n = countOf(current);
    if (n >= maxMembers || n >= boneCount) return;
    screen(current, -1);
    copySupport(current, trial);
    factorTrial(n);
    let chosen = -1;
    let square1 = onesSquare;
    const survivors = listBest(SURVIVORS, found);
    for (let c = 0; c < survivors; c++) {
      const bone = <i32>load<u32>(found + (<usize>c << 2));
      // Schur complement: what the bone adds to 1^T H^-1 1
      let d = load<f64>(diagonal + f64s(bone)) * (1 + ridge) + tiny;
      const floor = d * PIVOT_FLOOR;
      let num: f64 = 1;
      for (let a = 0; a < n; a++) {
        let y = entry(slotAt(trial, a), bone);
        const la = factor + f64s(a * maxMembers);
        for (let b = 0; b < a; b++) y -= load<f64>(la + f64s(b)) * load<f64>(blended + f64s(b));
        y *= load<f64>(la + f64s(a));
        store<f64>(blended + f64s(a), y); // H w is no longer needed
        d -= y * y;
        num -= y * load<f64>(ones + f64s(a));
      }
      if (!(num > 0)) continue;
      const total = onesSquare + (num * num) / max(d, floor);
      if (total > square1) { square1 = total; chosen = bone; }
    }
    if (chosen < 0) return;
    const slot = freeSlot(current);
    computeRow(chosen, slot, products, position, square);
    setMember(trial, n, chosen, slot);
    setCount(trial, n + 1);
    solveTrial();
    if (!(errorOf(trial) < errorOf(current))) return;
    copySupport(trial, current);
  }
}

/** Exchanges on a full support: of the best incoming bones and all members, swaps the pair with the lowest error while the error falls. */
function exchange(products: usize, position: usize, square: f64): void {
  for (let pass = 0; pass < PASSES; pass++) {
    if (countOf(current) < maxMembers || boneCount <= maxMembers) return;
    screen(current, -1);
    copySupport(current, trial);
    factorTrial(maxMembers);
    invertFactor();
    let bestSquare = onesSquare * (1 + MIN_RAISE);
    let incoming = -1, outgoing = -1;
    const candidates = listBest(INCOMING, found);
    for (let c = 0; c < candidates; c++) {
      const bone = <i32>load<u32>(found + (<usize>c << 2));
      let d = load<f64>(diagonal + f64s(bone)) * (1 + ridge) + tiny;
      const floor = d * PIVOT_FLOOR;
      let num: f64 = 1;
      for (let a = 0; a < maxMembers; a++) {
        let y: f64 = 0;
        for (let b = 0; b <= a; b++) y += load<f64>(inverse + f64s(a * maxMembers + b)) * entry(slotAt(trial, b), bone);
        store<f64>(blended + f64s(a), y);
        d -= y * y;
        num -= y * load<f64>(ones + f64s(a));
      }
      d = max(d, floor);
      const share = num / d, total = onesSquare + num * share;
      for (let a = 0; a < maxMembers; a++) {
        let t: f64 = 0, x: f64 = 0, own: f64 = 0;
        for (let b = a; b < maxMembers; b++) {
          const l = load<f64>(inverse + f64s(b * maxMembers + a));
          t += l * load<f64>(blended + f64s(b));
          x += l * load<f64>(ones + f64s(b));
          own += l * l;
        }
        x -= share * t;
        const q = total - (x * x) / (own + (t * t) / d);
        if (q > bestSquare) { bestSquare = q; incoming = bone; outgoing = a; }
      }
    }
    if (incoming < 0) return;
    const slot = freeSlot(current);
    computeRow(incoming, slot, products, position, square);
    setMember(trial, outgoing, incoming, slot);
    solveTrial();
    if (!(errorOf(trial) < errorOf(current))) return;
    copySupport(trial, current);
  }
}

/** L^-1 of the trial's factor: lower triangle, row by row. */
function invertFactor(): void {
  for (let b = 0; b < maxMembers; b++) {
    for (let a = b; a < maxMembers; a++) {
      let sum: f64 = a == b ? 1 : 0;
      for (let c = b; c < a; c++) sum -= load<f64>(factor + f64s(a * maxMembers + c)) * load<f64>(inverse + f64s(c * maxMembers + b));
      store<f64>(inverse + f64s(a * maxMembers + b), sum * load<f64>(factor + f64s(a * maxMembers + a)));
    }
  }
}

/** The cost of removing each member: the error re-solved without it, less the best single gain of another bone. */
function putRemoval(out: usize, products: usize, position: usize, square: f64): void {
  const n = countOf(best);
  for (let a = 0; a < maxMembers; a++) store<f64>(out + f64s(a), 0);
  layRows(products, position, square);
  for (let a = 0; a < n; a++) {
    const bone = boneAt(best, a);
    let error: f64 = f64.MAX_VALUE;
    if (n == 1) {
      for (let j = 0; j < boneCount; j++) if (j != bone) error = min(error, load<f64>(diagonal + f64s(j)));
      if (boneCount == 1) error = square;
    } else {
      copySupport(best, trial);
      for (let b = a; b + 1 < n; b++) setMember(trial, b, boneAt(trial, b + 1), slotAt(trial, b + 1));
      setCount(trial, n - 1);
      solveTrial();
      screen(trial, bone);
      const others = listBest(1, found);
      error = errorOf(trial) - (others == 0 ? 0 : load<f64>(gains + f64s(load<u32>(found))));
    }
    store<f64>(out + f64s(a), max(0, error - errorOf(best)));
  }
}
