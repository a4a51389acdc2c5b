// SPDX-License-Identifier: MIT
// Fits a hierarchy of triangles to positions; fit-bvh.ts has the arguments and the reference implementation.

const LEAF: u32 = 0x80000000;
const NONE: u32 = 0xffffffff;
const BOX_BYTES: usize = 96;
const FAR: f32 = 1e30;

export function fitTriangles(args: usize, chunk: i32, thread: i32): void {
  const positions = <usize>load<f64>(args), points = <usize>load<f64>(args, 8), corners = <usize>load<f64>(args, 16);
  const normals = <usize>load<f64>(args, 24), count = <i32>load<f64>(args, 32), per = <i32>load<f64>(args, 40);
  const end = min(count, (chunk + 1) * per);
  for (let f = chunk * per; f < end; f++) {
    const point = points + <usize>f * 12, v = corners + <usize>f * 36, normal = normals + <usize>f * 12;
    const a = positions + <usize>load<u32>(point) * 24, b = positions + <usize>load<u32>(point, 4) * 24;
    const c = positions + <usize>load<u32>(point, 8) * 24;
    const ax = <f32>load<f64>(a), ay = <f32>load<f64>(a, 8), az = <f32>load<f64>(a, 16);
    const bx = <f32>load<f64>(b), by = <f32>load<f64>(b, 8), bz = <f32>load<f64>(b, 16);
    const cx = <f32>load<f64>(c), cy = <f32>load<f64>(c, 8), cz = <f32>load<f64>(c, 16);
    store<f32>(v, ax); store<f32>(v, ay, 4); store<f32>(v, az, 8);
    store<f32>(v, bx, 12); store<f32>(v, by, 16); store<f32>(v, bz, 20);
    store<f32>(v, cx, 24); store<f32>(v, cy, 28); store<f32>(v, cz, 32);
    const ux = <f64>bx - <f64>ax, uy = <f64>by - <f64>ay, uz = <f64>bz - <f64>az;
    const wx = <f64>cx - <f64>ax, wy = <f64>cy - <f64>ay, wz = <f64>cz - <f64>az;
    const x = uy * wz - uz * wy, y = uz * wx - ux * wz, z = ux * wy - uy * wx;
    const length = Math.sqrt(x * x + y * y + z * z);
    const inverse = 1 / (length > 0 ? length : 1);
    store<f32>(normal, <f32>(x * inverse)); store<f32>(normal, <f32>(y * inverse), 4); store<f32>(normal, <f32>(z * inverse), 8);
  }
}

export function fitBoxes(args: usize, chunk: i32, thread: i32): void {
  const children = <usize>load<f64>(args), corners = <usize>load<f64>(args, 8), boxes = <usize>load<f64>(args, 16);
  const first = <i32>load<f64>(args, 24), last = <i32>load<f64>(args, 32), per = <i32>load<f64>(args, 40);
  const start = max(first, last - (chunk + 1) * per);
  for (let node = last - chunk * per - 1; node >= start; node--) {
    const next = children + (<usize>node << 4), box = boxes + <usize>node * BOX_BYTES;
    for (let lane: usize = 0; lane < 4; lane++) {
      const child = load<u32>(next + (lane << 2)), at = box + (lane << 2);
      if (child < LEAF) {
        const o = boxes + <usize>child * BOX_BYTES;
        for (let a: usize = 0; a < 48; a += 16) {
          store<f32>(at + a, least(v128.load(o + a)));
          store<f32>(at + a, largest(v128.load(o + a, 48)), 48);
        }
      } else if (child == NONE) {
        for (let a: usize = 0; a < 48; a += 16) {
          store<f32>(at + a, FAR);
          store<f32>(at + a, -FAR, 48);
        }
      } else {
        const place = corners + <usize>((child & ~LEAF) >>> 2) * 36, end = place + <usize>(child & 3) * 36 + 36;
        for (let a: usize = 0; a < 3; a++) {
          let low: f32 = f32.MAX_VALUE, high: f32 = -f32.MAX_VALUE;
          for (let c = place + (a << 2); c < end; c += 12) {
            const x = load<f32>(c);
            low = x < low ? x : low;
            high = x > high ? x : high;
          }
          store<f32>(at + (a << 4), low);
          store<f32>(at + (a << 4), high, 48);
        }
      }
    }
  }
}

// @ts-ignore: decorator
@inline function least(v: v128): f32 {
  const m = f32x4.pmin(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.pmin(m, v128.shuffle<f32>(m, m, 1, 0, 3, 2)), 0);
}

// @ts-ignore: decorator
@inline function largest(v: v128): f32 {
  const m = f32x4.pmax(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(f32x4.pmax(m, v128.shuffle<f32>(m, m, 1, 0, 3, 2)), 0);
}
