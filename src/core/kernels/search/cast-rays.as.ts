// SPDX-License-Identifier: MIT
// Light that reaches points of a surface; cast-rays.ts has the arguments and the reference implementation. Four boxes are tested at once.
import { f64s } from '../matrices/vectors.as';
import { CastRays } from '../slots.as';

const LEAF: u32 = 0x80000000;
const BOX_BYTES: usize = 96;
const MARGIN: f32 = 1.00001;

export function castRays(args: usize, chunk: i32, thread: i32): void {
  const points = <usize>load<f64>(args, CastRays.points), directions = <usize>load<f64>(args, CastRays.directions);
  const values = <usize>load<f64>(args, CastRays.values);
  const boxes = <usize>load<f64>(args, CastRays.boxes), children = <usize>load<f64>(args, CastRays.children);
  const corners = <usize>load<f64>(args, CastRays.corners);
  const sums = <usize>load<f64>(args, CastRays.sums), pointCount = <i32>load<f64>(args, CastRays.pointCount);
  const directionCount = <i32>load<f64>(args, CastRays.directionCount);
  const channels = <i32>load<f64>(args, CastRays.channels), per = <i32>load<f64>(args, CastRays.chunkSize);
  const stack = <usize>load<f64>(args, CastRays.stacks) + ((<usize>thread * <usize>load<f64>(args, CastRays.stackSize)) << 2);
  const rowBytes = f64s(channels), end = min(pointCount, (chunk + 1) * per);
  for (let i = chunk * per; i < end; i++) {
    const point = points + <usize>i * 24, out = sums + <usize>i * rowBytes;
    const x = <f64>load<f32>(point), y = <f64>load<f32>(point, 4), z = <f64>load<f32>(point, 8);
    const nx = <f64>load<f32>(point, 12), ny = <f64>load<f32>(point, 16), nz = <f64>load<f32>(point, 20);
    for (let o: usize = 0; o < rowBytes; o += 8) store<f64>(out + o, 0);
    let direction = directions, value = values;
    for (let s = 0; s < directionCount; s++, direction += 24, value += rowBytes) {
      const dx = load<f64>(direction), dy = load<f64>(direction, 8), dz = load<f64>(direction, 16);
      const cosine = nx * dx + ny * dy + nz * dz;
      if (!(cosine > 0)) continue;
      if (isHit(boxes, children, corners, stack, x, y, z, dx, dy, dz)) continue;
      for (let o: usize = 0; o < rowBytes; o += 8)
        store<f64>(out + o, load<f64>(out + o) + cosine * load<f64>(value + o));
    }
  }
}

function isHit(boxes: usize, children: usize, corners: usize, stack: usize, x: f64, y: f64, z: f64, dx: f64, dy: f64, dz: f64): bool {
  const ix = f32x4.splat(<f32>(1 / dx)), iy = f32x4.splat(<f32>(1 / dy)), iz = f32x4.splat(<f32>(1 / dz));
  const ox = f32x4.splat(<f32>x), oy = f32x4.splat(<f32>y), oz = f32x4.splat(<f32>z);
  const nearX: usize = dx >= 0 ? 0 : 48, nearY: usize = dy >= 0 ? 16 : 64, nearZ: usize = dz >= 0 ? 32 : 80;
  const farX: usize = 48 - nearX, farY: usize = 80 - nearY, farZ: usize = 112 - nearZ;
  const zero = f32x4.splat(0), margin = f32x4.splat(MARGIN);
  let top = stack;
  store<u32>(top, 0);
  top += 4;
  while (top > stack) {
    top -= 4;
    const node = <usize>load<u32>(top), box = boxes + node * BOX_BYTES;
    let near = f32x4.mul(f32x4.sub(v128.load(box + nearX), ox), ix), far = f32x4.mul(f32x4.sub(v128.load(box + farX), ox), ix);
    near = f32x4.max(near, f32x4.mul(f32x4.sub(v128.load(box + nearY), oy), iy));
    far = f32x4.min(far, f32x4.mul(f32x4.sub(v128.load(box + farY), oy), iy));
    near = f32x4.max(near, f32x4.mul(f32x4.sub(v128.load(box + nearZ), oz), iz));
    far = f32x4.min(far, f32x4.mul(f32x4.sub(v128.load(box + farZ), oz), iz));
    let mask = i32x4.bitmask(f32x4.le(f32x4.max(near, zero), f32x4.mul(far, margin)));
    while (mask != 0) {
      const child = load<u32>(children + (((node << 2) + <usize>ctz(mask)) << 2));
      mask &= mask - 1;
      if (child < LEAF) {
        store<u32>(top, child);
        top += 4;
        continue;
      }
      const first = (child & ~LEAF) >>> 2;
      let corner = corners + <usize>first * 36;
      for (let n: u32 = 0; n <= (child & 3); n++, corner += 36)
        if (isTriangleHit(corner, x, y, z, dx, dy, dz)) return true;
    }
  }
  return false;
}

// @ts-ignore: decorator
@inline function isTriangleHit(corner: usize, x: f64, y: f64, z: f64, dx: f64, dy: f64, dz: f64): bool {
  const ax = <f64>load<f32>(corner), ay = <f64>load<f32>(corner, 4), az = <f64>load<f32>(corner, 8);
  const ux = <f64>load<f32>(corner, 12) - ax, uy = <f64>load<f32>(corner, 16) - ay, uz = <f64>load<f32>(corner, 20) - az;
  const vx = <f64>load<f32>(corner, 24) - ax, vy = <f64>load<f32>(corner, 28) - ay, vz = <f64>load<f32>(corner, 32) - az;
  const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
  const determinant = ux * px + uy * py + uz * pz;
  if (determinant == 0) return false;
  const inverse = 1 / determinant, sx = x - ax, sy = y - ay, sz = z - az;
  const u = (sx * px + sy * py + sz * pz) * inverse;
  if (!(u >= 0 && u <= 1)) return false;
  const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
  const v = (dx * qx + dy * qy + dz * qz) * inverse;
  if (!(v >= 0 && u + v <= 1)) return false;
  return (vx * qx + vy * qy + vz * qz) * inverse > 0;
}
