// SPDX-License-Identifier: MIT
import { afterAll, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../../core/model/clip/clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { averageCells, type BodyMirror, findMirror } from '../find-mirror.ts';
import { placePoints } from '../refine-mirror.ts';

const { clip } = makeSample('creature', { frames: 16, resolution: 1500, seed: 5 });
const compute = await makeCompute({ threads: 2 });
afterAll(() => compute.dispose());
const { triangles } = clip.mesh;
const { diagonal } = measureBounds(clip.mesh.positions);
const sigma = 0.002 * diagonal;

/** A frame in which opposite legs are bent differently, with noise. */
function makePosed(frame: number, seed = 1): Float64Array {
  const random = makeRandom(seed);
  return Float64Array.from(frameOf(clip, frame), (x) => x + sigma * random.normal());
}

/** Distances of the images from the true ones, which the rest pose tells: it is symmetric in x. Relative to the size, ascending; cells without an image are left out. */
function measureErrors({ cells, corners, shares }: BodyMirror): number[] {
  const centers = averageCells(clip.mesh.positions, cells, corners.length / 3);
  const images = placePoints({ corners, shares }, centers);
  const errors: number[] = [];
  for (let i = 0; i < centers.length; i += 3) {
    if (Number.isNaN(images[i])) continue;
    const [x, y, z] = [images[i] + centers[i], images[i + 1] - centers[i + 1], images[i + 2] - centers[i + 2]];
    errors.push(Math.hypot(x, y, z) / diagonal);
  }
  return errors.sort((a, b) => a - b);
}

it('finds the mirror images of the points of a posed body with noise', async () => {
  for (const frame of [5, 13]) {
    const mirror = await findMirror(compute, makePosed(frame), triangles, sigma);
    const errors = measureErrors(mirror!);
    expect(errors.length).toBeGreaterThan((0.88 * mirror!.corners.length) / 3);
    // edges have 0.02 of the size, limbs are 0.05 wide
    expect(errors[errors.length >> 1]).toBeLessThan(0.015);
    expect(errors[Math.floor(0.95 * errors.length)]).toBeLessThan(0.035);
  }
});

it('follows a body that is rotated, scaled and moved', async () => {
  const posed = makePosed(5);
  const moved = posed.map((_, c) => {
    const [x, y, z] = posed.subarray(c - (c % 3), c - (c % 3) + 3);
    return [3 * (0.6 * x - 0.8 * z) + 5, 3 * y - 2, 3 * (0.8 * x + 0.6 * z)][c % 3];
  });
  const a = (await findMirror(compute, posed, triangles, sigma))!;
  const b = (await findMirror(compute, moved, triangles, 3 * sigma))!;
  expect(b.part).toBeCloseTo(a.part, 1);
  const errors = measureErrors(b);
  expect(errors[errors.length >> 1]).toBeLessThan(0.015);
});

it('does not depend on the order of the points', async () => {
  const posed = makePosed(5);
  const count = posed.length / 3;
  const order = Array.from({ length: count }, (_, i) => (i * 7 + 3) % count);
  expect(new Set(order).size).toBe(count);
  const place = new Uint32Array(count);
  order.forEach((i, n) => {
    place[i] = n;
  });
  const shuffled = Float64Array.from(order.flatMap((i) => [...posed.subarray(3 * i, 3 * i + 3)]));
  const placed = triangles.map((i) => place[i]);
  const found = (await findMirror(compute, shuffled, placed, sigma))!;
  const back = { ...found, cells: found.cells.map((_, i) => found.cells[place[i]]) };
  const errors = measureErrors(back);
  expect(errors.length).toBeGreaterThan((0.88 * found.corners.length) / 3);
  expect(errors[errors.length >> 1]).toBeLessThan(0.015);
});

it('refuses a body whose sides have different lengths', async () => {
  const posed = makePosed(5);
  const rest = clip.mesh.positions;
  const uneven = posed.map((x, c) => {
    const side = rest[c - (c % 3)];
    return side > 0 && c % 3 !== 2 ? x + 0.7 * side * (c % 3 === 0 ? 1 : -1) : x;
  });
  expect(await findMirror(compute, uneven, triangles, sigma)).toBeUndefined();
});

it('gives no image to most points of a bump that only one side has', async () => {
  const posed = makePosed(5);
  const rest = clip.mesh.positions;
  const all = Array.from({ length: rest.length / 3 }, (_, i) => i);
  /** Larger nearer to the flank. */
  const heightOf = (i: number): number =>
    rest[3 * i] - Math.abs(rest[3 * i + 1] - 0.7) - 2 * Math.abs(rest[3 * i + 2] - 0.2);
  const top = all.reduce((best, i) => (heightOf(i) > heightOf(best) ? i : best));
  /** Distance from the top, relative to the radius of the bump. */
  const awayOf = (i: number): number =>
    Math.hypot(...[0, 1, 2].map((a) => rest[3 * i + a] - rest[3 * top + a])) / (0.062 * diagonal);
  const bump = all.filter((i) => awayOf(i) < 1);
  const uneven = posed.slice();
  for (const i of bump) uneven[3 * i] += 0.062 * diagonal * (1 - awayOf(i) ** 2);
  const mirror = (await findMirror(compute, uneven, triangles, sigma))!;
  const isKnown = (i: number): boolean =>
    mirror.shares.subarray(3 * mirror.cells[i], 3 * mirror.cells[i] + 3).some((share) => share > 0);
  expect(bump.length).toBeGreaterThan(30);
  expect(bump.filter(isKnown).length).toBeLessThan(0.5 * bump.length);
  expect(all.filter(isKnown).length).toBeGreaterThan(0.85 * all.length);
});
