// SPDX-License-Identifier: MIT
// The nearest point of a surface for many points; nearest-points.ts has the arguments and the reference implementation.
import { NearestPoints } from '../slots.as';

const LEAF: u32 = 0x80000000;
const NO_TRIANGLE: u32 = 0xffffffff;
const BOX_BYTES: usize = 96;
const SLACK: f64 = 1.0 / 4194304.0;
const MARGIN: f64 = 1 + 1e-5;

export function nearestPoints(args: usize, chunk: i32, thread: i32): void {
  const points = <usize>load<f64>(args, NearestPoints.points), boxes = <usize>load<f64>(args, NearestPoints.boxes);
  const children = <usize>load<f64>(args, NearestPoints.children);
  const corners = <usize>load<f64>(args, NearestPoints.corners), normals = <usize>load<f64>(args, NearestPoints.normals);
  const found = <usize>load<f64>(args, NearestPoints.found);
  const places = <usize>load<f64>(args, NearestPoints.places), stackSize = <usize>load<f64>(args, NearestPoints.stackSize);
  const stack = <usize>load<f64>(args, NearestPoints.stacks) + ((<usize>thread * stackSize) << 2);
  const squares = <usize>load<f64>(args, NearestPoints.squares) + ((<usize>thread * stackSize) << 2);
  const lanes = squares + ((stackSize - 4) << 2);
  const pointCount = <i32>load<f64>(args, NearestPoints.pointCount), minCosine = load<f64>(args, NearestPoints.minCosine);
  const maxSquare = load<f64>(args, NearestPoints.maxSquare);
  const per = <i32>load<f64>(args, NearestPoints.chunkSize), end = min(pointCount, (chunk + 1) * per);
  const zero = f32x4.splat(0);
  let best = NO_TRIANGLE;
  for (let i = chunk * per; i < end; i++) {
    const point = points + <usize>i * 48, place = places + <usize>i * 24;
    const x = load<f64>(point), y = load<f64>(point, 8), z = load<f64>(point, 16);
    const nx = load<f64>(point, 24), ny = load<f64>(point, 32), nz = load<f64>(point, 40);
    const fx = f32x4.splat(<f32>x), fy = f32x4.splat(<f32>y), fz = f32x4.splat(<f32>z);
    const slack = f32x4.splat(<f32>(SLACK * Math.max(Math.abs(x), Math.max(Math.abs(y), Math.abs(z)))));
    const guess = best;
    let least = maxSquare;
    best = NO_TRIANGLE;
    store<f64>(place, 0); store<f64>(place, 0, 8); store<f64>(place, 0, 16);
    if (guess != NO_TRIANGLE && cosineOf(normals, guess, nx, ny, nz) >= minCosine) {
      const square = nearestOfTriangle(corners + <usize>guess * 36, x, y, z, least, place);
      if (square < least) {
        least = square;
        best = guess;
      }
    }
    let bound = <f32>(least * MARGIN), child: u32 = 0;
    let top: usize = 0;
    while (true) {
      if (child < LEAF) {
        const box = boxes + <usize>child * BOX_BYTES, next = children + (<usize>child << 4);
        const dx = f32x4.pmax(zero, f32x4.sub(f32x4.pmax(f32x4.sub(v128.load(box), fx), f32x4.sub(fx, v128.load(box, 48))), slack));
        const dy = f32x4.pmax(zero, f32x4.sub(f32x4.pmax(f32x4.sub(v128.load(box, 16), fy), f32x4.sub(fy, v128.load(box, 64))), slack));
        const dz = f32x4.pmax(zero, f32x4.sub(f32x4.pmax(f32x4.sub(v128.load(box, 32), fz), f32x4.sub(fz, v128.load(box, 80))), slack));
        const square4 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
        let near = i32x4.bitmask(f32x4.lt(square4, f32x4.splat(bound)));
        if (near != 0) {
          v128.store(lanes, square4);
          let lane = <usize>ctz(near), nearest = load<f32>(lanes + (lane << 2));
          child = load<u32>(next + (lane << 2));
          for (near &= near - 1; near != 0; near &= near - 1) {
            lane = <usize>ctz(near);
            const square = load<f32>(lanes + (lane << 2)), other = load<u32>(next + (lane << 2));
            const isNearer = square < nearest;
            store<f32>(squares + (top << 2), isNearer ? nearest : square);
            store<u32>(stack + (top << 2), isNearer ? child : other);
            top++;
            if (isNearer) {
              nearest = square;
              child = other;
            }
          }
          continue;
        }
      } else {
        const first = (child & ~LEAF) >>> 2;
        for (let f = first; f <= first + (child & 3); f++) {
          if (!(cosineOf(normals, f, nx, ny, nz) >= minCosine)) continue;
          const square = nearestOfTriangle(corners + <usize>f * 36, x, y, z, least, place);
          if (!(square < least)) continue;
          least = square;
          bound = <f32>(least * MARGIN);
          best = f;
        }
      }
      while (top > 0 && load<f32>(squares + ((top - 1) << 2)) >= bound) top--;
      if (top == 0) break;
      child = load<u32>(stack + (--top << 2));
    }
    store<u32>(found + (<usize>i << 2), best);
  }
}

// @ts-ignore: decorator
@inline function cosineOf(normals: usize, f: u32, nx: f64, ny: f64, nz: f64): f64 {
  const normal = normals + <usize>f * 12;
  return nx * <f64>load<f32>(normal) + ny * <f64>load<f32>(normal, 4) + nz * <f64>load<f32>(normal, 8);
}

/** The squared distance. Stores the weights of the second and third corner and the squared distance if it is below the least. */
// @ts-ignore: decorator
@inline function nearestOfTriangle(v: usize, x: f64, y: f64, z: f64, least: f64, place: usize): f64 {
  const ax = <f64>load<f32>(v), ay = <f64>load<f32>(v, 4), az = <f64>load<f32>(v, 8);
  const ux = <f64>load<f32>(v, 12) - ax, uy = <f64>load<f32>(v, 16) - ay, uz = <f64>load<f32>(v, 20) - az;
  const wx = <f64>load<f32>(v, 24) - ax, wy = <f64>load<f32>(v, 28) - ay, wz = <f64>load<f32>(v, 32) - az;
  const px = x - ax, py = y - ay, pz = z - az;
  const d1 = ux * px + uy * py + uz * pz, d2 = wx * px + wy * py + wz * pz;
  const uu = ux * ux + uy * uy + uz * uz, uw = ux * wx + uy * wy + uz * wz, ww = wx * wx + wy * wy + wz * wz;
  const d3 = d1 - uu, d4 = d2 - uw, d5 = d1 - uw, d6 = d2 - ww;
  const va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  let s: f64 = 0, t: f64 = 0;
  if (d1 <= 0 && d2 <= 0) {
    s = 0;
  } else if (d3 >= 0 && d4 <= d3) {
    s = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    s = d1 == d3 ? 0 : d1 / (d1 - d3);
  } else if (d6 >= 0 && d5 <= d6) {
    t = 1;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    t = d2 == d6 ? 0 : d2 / (d2 - d6);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const whole = d4 - d3 + (d5 - d6);
    t = whole == 0 ? 0 : (d4 - d3) / whole;
    s = 1 - t;
  } else {
    const whole = va + vb + vc;
    s = whole == 0 ? 0 : vb / whole;
    t = whole == 0 ? 0 : vc / whole;
  }
  const ex = px - s * ux - t * wx, ey = py - s * uy - t * wy, ez = pz - s * uz - t * wz;
  const square = ex * ex + ey * ey + ez * ez;
  if (square < least) {
    store<f64>(place, s);
    store<f64>(place, t, 8);
    store<f64>(place, square, 16);
  }
  return square;
}
