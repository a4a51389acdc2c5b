// SPDX-License-Identifier: MIT
// Fits a hierarchy of triangles to positions; fit-bvh.ts has the arguments and the reference implementation.
import { FitBoxes, FitTriangles } from '../slots.as';

const LEAF: u32 = 0x80000000;
const NONE: u32 = 0xffffffff;
const BOX_BYTES: usize = 96;
const FAR: f32 = 1e30;

export function fitTriangles(args: usize, chunk: i32, thread: i32): void {
  const positions = <usize>load<f64>(args, FitTriangles.positions), points = <usize>load<f64>(args, FitTriangles.points);
  const corners = <usize>load<f64>(args, FitTriangles.corners);
  const normals = <usize>load<f64>(args, FitTriangles.normals), count = <i32>load<f64>(args, FitTriangles.triangleCount);
  const per = <i32>load<f64>(args, FitTriangles.chunkSize);
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
  const children = <usize>load<f64>(args, FitBoxes.children), corners = <usize>load<f64>(args, FitBoxes.corners);
  const boxes = <usize>load<f64>(args, FitBoxes.boxes);
  const first = <i32>load<f64>(args, FitBoxes.first), last = <i32>load<f64>(args, FitBoxes.end);
  const per = <i32>load<f64>(args, FitBoxes.chunkSize);
  const start = max(first, last - (chunk + 1) * per);
  for (let node = last - chunk * per - 1; node >= start; node--) {
    const next = children + (<usize>node << 4), box = boxes + <usize>node * BOX_BYTES;
    const a = load<u32>(next), b = load<u32>(next, 4), c = load<u32>(next, 8), d = load<u32>(next, 12);
    const la = lowOf(a, corners, boxes), lb = lowOf(b, corners, boxes), lc = lowOf(c, corners, boxes), ld = lowOf(d, corners, boxes);
    storeColumns(box, la, lb, lc, ld);
    const ha = highOf(a, corners, boxes), hb = highOf(b, corners, boxes), hc = highOf(c, corners, boxes), hd = highOf(d, corners, boxes);
    storeColumns(box + 48, ha, hb, hc, hd);
  }
}

/** The lower bounds x, y, z of what is below a child. */
function lowOf(child: u32, corners: usize, boxes: usize): v128 {
  if (child == NONE) return f32x4.splat(FAR);
  if (child < LEAF) {
    const o = boxes + <usize>child * BOX_BYTES;
    const x = v128.load(o), y = v128.load(o, 16), z = v128.load(o, 32);
    // halves of x and y side by side, then of z
    const xy = f32x4.pmin(v128.shuffle<f32>(x, y, 0, 1, 4, 5), v128.shuffle<f32>(x, y, 2, 3, 6, 7));
    const zz = f32x4.pmin(z, v128.shuffle<f32>(z, z, 2, 3, 2, 3));
    return f32x4.pmin(v128.shuffle<f32>(xy, zz, 0, 2, 4, 4), v128.shuffle<f32>(xy, zz, 1, 3, 5, 5));
  }
  const place = corners + <usize>((child & ~LEAF) >>> 2) * 36, end = place + <usize>(child & 3) * 36 + 36;
  let low = v128.load(place);
  for (let c = place + 12; c < end; c += 12) low = f32x4.pmin(low, v128.load(c));
  return low;
}

function highOf(child: u32, corners: usize, boxes: usize): v128 {
  if (child == NONE) return f32x4.splat(-FAR);
  if (child < LEAF) {
    const o = boxes + <usize>child * BOX_BYTES;
    const x = v128.load(o, 48), y = v128.load(o, 64), z = v128.load(o, 80);
    const xy = f32x4.pmax(v128.shuffle<f32>(x, y, 0, 1, 4, 5), v128.shuffle<f32>(x, y, 2, 3, 6, 7));
    const zz = f32x4.pmax(z, v128.shuffle<f32>(z, z, 2, 3, 2, 3));
    return f32x4.pmax(v128.shuffle<f32>(xy, zz, 0, 2, 4, 4), v128.shuffle<f32>(xy, zz, 1, 3, 5, 5));
  }
  const place = corners + <usize>((child & ~LEAF) >>> 2) * 36, end = place + <usize>(child & 3) * 36 + 36;
  let high = v128.load(place);
  for (let c = place + 12; c < end; c += 12) high = f32x4.pmax(high, v128.load(c));
  return high;
}

/** Stores the x, the y and the z of four vectors. */
// @ts-ignore: decorator
@inline function storeColumns(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  v128.store(to, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
  v128.store(to, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7), 16);
  const abz = v128.shuffle<f32>(a, b, 2, 6, 2, 6), cdz = v128.shuffle<f32>(c, d, 2, 6, 2, 6);
  v128.store(to, v128.shuffle<f32>(abz, cdz, 0, 1, 4, 5), 32);
}
