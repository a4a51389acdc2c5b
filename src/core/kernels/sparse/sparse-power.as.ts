// SPDX-License-Identifier: MIT
// Powers of a sparse matrix on blocks of eight columns; sparse-power.ts has the arguments.
import { SparsePower } from '../slots.as';

export function sparsePower(args: usize, chunk: i32, thread: i32): void {
  const rowStart = <usize>load<f64>(args, SparsePower.rowStart), columns = <usize>load<f64>(args, SparsePower.columns);
  const values = <usize>load<f64>(args, SparsePower.values), size = <usize>load<f64>(args, SparsePower.size);
  const bytes = size << 6, block = <usize>load<f64>(args, SparsePower.blocks) + <usize>chunk * bytes;
  const iterations = <i32>load<f64>(args, SparsePower.iterations);
  let from = block, to = <usize>load<f64>(args, SparsePower.scratch) + <usize>thread * bytes;
  for (let n = 0; n < iterations; n++) {
    let e = <usize>load<u32>(rowStart);
    for (let i: usize = 0; i < size; i++) {
      const end = <usize>load<u32>(rowStart + (i << 2), 4);
      let a0 = f64x2.splat(0), a1 = a0, a2 = a0, a3 = a0;
      for (; e < end; e++) {
        const x = from + (<usize>load<u32>(columns + (e << 2)) << 6), l = v128.load64_splat(values + (e << 3));
        a0 = f64x2.add(a0, f64x2.mul(l, v128.load(x))); a1 = f64x2.add(a1, f64x2.mul(l, v128.load(x, 16)));
        a2 = f64x2.add(a2, f64x2.mul(l, v128.load(x, 32))); a3 = f64x2.add(a3, f64x2.mul(l, v128.load(x, 48)));
      }
      const o = to + (i << 6);
      v128.store(o, a0); v128.store(o, a1, 16); v128.store(o, a2, 32); v128.store(o, a3, 48);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != block) for (let o: usize = 0; o < bytes; o += 16) v128.store(block + o, v128.load(from + o));
}
