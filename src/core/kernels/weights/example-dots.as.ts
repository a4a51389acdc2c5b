// SPDX-License-Identifier: MIT
// Products of points' and virtual bones' responses to example poses; example-dots.ts has the algebra, the arguments and the reference implementation.
import { f64s } from '../matrices/vectors.as';
import { ExampleDots } from '../slots.as';

const NONE: u32 = 0, FULL: u32 = 1, WHOLE: u32 = 0xffffffff;

export function exampleDots(args: usize, chunk: i32, thread: i32): void {
  const start = <usize>load<f64>(args, ExampleDots.start), groups = <usize>load<f64>(args, ExampleDots.groups);
  const offsets = <usize>load<f64>(args, ExampleDots.offsets);
  const values = <usize>load<f64>(args, ExampleDots.values), fullDots = <usize>load<f64>(args, ExampleDots.fullDots);
  const positions = <usize>load<f64>(args, ExampleDots.products);
  const states = <usize>load<f64>(args, ExampleDots.states), blocks = <usize>load<f64>(args, ExampleDots.blocks);
  const withFull = <usize>load<f64>(args, ExampleDots.withFull);
  const ids = <usize>load<f64>(args, ExampleDots.ids), counts = <usize>load<f64>(args, ExampleDots.counts);
  const dots = <usize>load<f64>(args, ExampleDots.dots);
  const pointCount = <i32>load<f64>(args, ExampleDots.pointCount), width = <usize>load<f64>(args, ExampleDots.width);
  const rows = <usize>load<f64>(args, ExampleDots.rows);
  const groupCount = <usize>load<f64>(args, ExampleDots.groupCount), per = <i32>load<f64>(args, ExampleDots.chunkSize);
  const valueBytes = f64s(rows), blockBytes = valueBytes << 2;
  const end = min(pointCount, (chunk + 1) * per);
  for (let n = chunk * per; n < end; n++) {
    const i = <usize>n, position = positions + f64s(10 * i);
    const x = 0.5 * load<f64>(position, 24), y = 0.5 * load<f64>(position, 48), z = 0.5 * load<f64>(position, 64);
    const first = <usize>load<u32>(start + (i << 2)), last = <usize>load<u32>(start + (i << 2), 4);
    const count = <usize>load<u32>(counts + (i << 2));
    for (let a: usize = 0; a < count; a++) {
      const row = states + ((<usize>load<u32>(ids + ((i * width + a) << 2)) * groupCount) << 2);
      let sum: f64 = 0;
      for (let e = first; e < last; e++) {
        const state = load<u32>(row + (<usize>load<u32>(groups + (e << 2)) << 2));
        if (state == NONE) continue;
        if (state == FULL) { sum += load<f64>(fullDots + f64s(e)); continue; }
        const place = <usize>(state - 2), offset = load<u32>(offsets + (e << 2));
        if (offset == WHOLE) {
          const p = withFull + f64s(10 * place);
          let product = load<f64>(p) * load<f64>(position);
          for (let c: usize = 8; c < 80; c += 8) product += load<f64>(p + c) * load<f64>(position + c);
          sum += product;
          continue;
        }
        let low = f64x2.splat(0), high = low;
        let b = blocks + place * blockBytes;
        const v = values + f64s(offset), stop = v + valueBytes;
        for (let p = v; p < stop; p += 8) {
          const value = v128.load64_splat(p);
          low = f64x2.add(low, f64x2.mul(value, v128.load(b)));
          high = f64x2.add(high, f64x2.mul(value, v128.load(b, 16)));
          b += 32;
        }
        sum += f64x2.extract_lane(low, 0) * x + f64x2.extract_lane(low, 1) * y + f64x2.extract_lane(high, 0) * z + f64x2.extract_lane(high, 1);
      }
      store<f64>(dots + f64s(i * width + a), sum);
    }
  }
}
