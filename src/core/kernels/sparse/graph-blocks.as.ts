// SPDX-License-Identifier: MIT
// Normal equations of the nodes of a deformation graph; graph-blocks.ts has the arguments and the reference implementation.
import { GraphBlocks } from '../slots.as';

const GRADIENT_BIT: u32 = 0x80000000;

export function graphBlocks(args: usize, chunk: i32, thread: i32): void {
  const rest = <usize>load<f64>(args, GraphBlocks.rest), sums = <usize>load<f64>(args, GraphBlocks.sums);
  const rotations = <usize>load<f64>(args, GraphBlocks.rotations);
  const points = <usize>load<f64>(args, GraphBlocks.points), pairs = <usize>load<f64>(args, GraphBlocks.pairs);
  const starts = <usize>load<f64>(args, GraphBlocks.starts);
  const entries = <usize>load<f64>(args, GraphBlocks.entries), weights = <usize>load<f64>(args, GraphBlocks.weights);
  const blocks = <usize>load<f64>(args, GraphBlocks.blocks);
  const gradient = <usize>load<f64>(args, GraphBlocks.gradient), chunks = <usize>load<f64>(args, GraphBlocks.chunks) + (<usize>chunk << 2);
  const nodeCount = <u32>load<f64>(args, GraphBlocks.nodeCount), last = load<u32>(chunks, 4);
  for (let block = load<u32>(chunks); block < last; block++) {
    const j = load<u32>(pairs + (<usize>block << 3)), k = load<u32>(pairs + (<usize>block << 3), 4);
    const pj = rest + <usize>load<u32>(points + (<usize>j << 2)) * 24, pk = rest + <usize>load<u32>(points + (<usize>k << 2)) * 24;
    const rj = rotations + <usize>j * 72, rk = rotations + <usize>k * 72;
    const out = blocks + <usize>block * 288;
    memory.fill(out, 0, 288);
    let g0: f64 = 0, g1: f64 = 0, g2: f64 = 0, g3: f64 = 0, g4: f64 = 0, g5: f64 = 0;
    const end = load<u32>(starts + (<usize>block << 2), 4);
    for (let e = load<u32>(starts + (<usize>block << 2)); e < end; e++) {
      const entry = load<u32>(entries + (<usize>e << 2)), i = entry & ~GRADIENT_BIT, m = sums + <usize>i * 72;
      if (load<f64>(m) + load<f64>(m, 24) + load<f64>(m, 40) == 0) continue;
      const p = rest + <usize>i * 24;
      const x = load<f64>(p), y = load<f64>(p, 8), z = load<f64>(p, 16);
      let dx = x - load<f64>(pj), dy = y - load<f64>(pj, 8), dz = z - load<f64>(pj, 16);
      const ax = load<f64>(rj) * dx + load<f64>(rj, 24) * dy + load<f64>(rj, 48) * dz;
      const ay = load<f64>(rj, 8) * dx + load<f64>(rj, 32) * dy + load<f64>(rj, 56) * dz;
      const az = load<f64>(rj, 16) * dx + load<f64>(rj, 40) * dy + load<f64>(rj, 64) * dz;
      dx = x - load<f64>(pk);
      dy = y - load<f64>(pk, 8);
      dz = z - load<f64>(pk, 16);
      const bx = load<f64>(rk) * dx + load<f64>(rk, 24) * dy + load<f64>(rk, 48) * dz;
      const by = load<f64>(rk, 8) * dx + load<f64>(rk, 32) * dy + load<f64>(rk, 56) * dz;
      const bz = load<f64>(rk, 16) * dx + load<f64>(rk, 40) * dy + load<f64>(rk, 64) * dz;
      const weight = weights + (<usize>e << 4), wj = load<f64>(weight), w = wj * load<f64>(weight, 8);
      const m0 = w * load<f64>(m), m1 = w * load<f64>(m, 8), m2 = w * load<f64>(m, 16);
      const m3 = w * load<f64>(m, 24), m4 = w * load<f64>(m, 32), m5 = w * load<f64>(m, 40);
      const x2 = f64x2.splat(ax), y2 = f64x2.splat(ay), z2 = f64x2.splat(az);
      addColumns(out, x2, y2, z2, f64x2(by * m2 - bz * m1, bz * m0 - bx * m2), f64x2(by * m4 - bz * m3, bz * m1 - bx * m4), f64x2(by * m5 - bz * m4, bz * m2 - bx * m5));
      addColumns(out + 16, x2, y2, z2, f64x2(bx * m1 - by * m0, m0), f64x2(bx * m3 - by * m1, m1), f64x2(bx * m4 - by * m2, m2));
      addColumns(out + 32, x2, y2, z2, f64x2(m1, m2), f64x2(m3, m4), f64x2(m4, m5));
      if (entry < GRADIENT_BIT) continue;
      const gx = wj * load<f64>(m, 48), gy = wj * load<f64>(m, 56), gz = wj * load<f64>(m, 64);
      g0 -= ay * gz - az * gy;
      g1 -= az * gx - ax * gz;
      g2 -= ax * gy - ay * gx;
      g3 -= gx;
      g4 -= gy;
      g5 -= gz;
    }
    if (block >= nodeCount) continue;
    const to = gradient + <usize>block * 48;
    store<f64>(to, g0); store<f64>(to, g1, 8); store<f64>(to, g2, 16);
    store<f64>(to, g3, 24); store<f64>(to, g4, 32); store<f64>(to, g5, 40);
  }
}

/** Adds r × (p, q, t) and (p, q, t) to two columns of a block. */
// @ts-ignore: decorator
@inline function addColumns(to: usize, x: v128, y: v128, z: v128, p: v128, q: v128, t: v128): void {
  v128.store(to, f64x2.add(v128.load(to), f64x2.sub(f64x2.mul(y, t), f64x2.mul(z, q))));
  v128.store(to, f64x2.add(v128.load(to, 48), f64x2.sub(f64x2.mul(z, p), f64x2.mul(x, t))), 48);
  v128.store(to, f64x2.add(v128.load(to, 96), f64x2.sub(f64x2.mul(x, q), f64x2.mul(y, p))), 96);
  v128.store(to, f64x2.add(v128.load(to, 144), p), 144);
  v128.store(to, f64x2.add(v128.load(to, 192), q), 192);
  v128.store(to, f64x2.add(v128.load(to, 240), t), 240);
}
