// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { type RemeshedSurface, remeshSurface } from '../../../samples/surfaces/remesh-surface.ts';
import type { ScanFrame } from '../register/scan-frame.ts';
import { trackFrames } from '../track-frames.ts';

const FRAMES = 5;
const VERTICES = 900;

/** Frames of a creature, each with other vertices and triangles, and where the vertices of any mesh are in any frame. */
function makeScan(): { frames: ScanFrame[]; truth(mesh: number, k: number): Float32Array } {
  const { clip } = makeSample('creature', { resolution: 600, frames: 40 });
  const weld = weldVertices(clip.mesh.positions);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const shapes = Array.from({ length: FRAMES }, (_, k) => {
    const frame = frameOf(clip, k);
    return Float32Array.from(
      { length: 3 * weld.pointCount },
      (_, c) => frame[3 * weld.vertexOfPoint[Math.floor(c / 3)] + (c % 3)],
    );
  });
  const meshes = shapes.map((shape, k) => remeshSurface(shape, triangles, { vertices: VERTICES, seed: k + 1 }));
  const place = ({ corners, blends }: RemeshedSurface, shape: Float32Array): Float32Array =>
    Float32Array.from({ length: corners.length }, (_, c) => {
      const row = 3 * Math.floor(c / 3);
      return [0, 1, 2].reduce((sum, n) => sum + blends[row + n] * shape[3 * corners[row + n] + (c % 3)], 0);
    });
  return {
    frames: meshes.map((mesh, k) => ({ positions: place(mesh, shapes[k]), triangles: mesh.triangles })),
    truth: (mesh, k) => place(meshes[mesh], shapes[k]),
  };
}

const { frames, truth } = makeScan();
const { diagonal } = measureBounds(frames[0].positions);

/** Part of the vertices that are within 1 % of the box diagonal of their true place. */
function measureTrue(template: number, positions: Float32Array): number {
  let [near, count] = [0, 0];
  for (let k = 0; k < frames.length; k++) {
    const expected = truth(template, k);
    for (let i = 0; i < expected.length; i += 3) {
      const at = k * expected.length + i;
      const distance = Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - expected[i + a]));
      count++;
      if (distance < 0.01 * diagonal) near++;
    }
  }
  return near / count;
}

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

describe('trackFrames', () => {
  it('follows a creature whose vertices and triangles are others in every frame', async () => {
    const { template, positions, coverage, mesh } = await trackFrames(compute, frames);
    expect(mesh).toBe(frames[template!]);
    expect(positions.length).toBe(FRAMES * mesh.positions.length);
    expect(Math.min(...coverage)).toBeGreaterThan(0.98);
    expect(measureTrue(template!, positions)).toBeGreaterThan(0.99);
  });

  it('gives the same bits on one thread and on two', async () => {
    const some = frames.slice(0, 2);
    const { positions } = await trackFrames(compute, some, { template: 0 });
    const two = await makeCompute({ threads: 2 });
    const other = await trackFrames(two, some, { template: 0 });
    two.dispose();
    expect(other.positions).toEqual(positions);
  });

  it('registers a template that is none of the frames', async () => {
    const { template, positions } = await trackFrames(compute, frames.slice(1, 3), { template: frames[0] });
    expect(template).toBeUndefined();
    for (const k of [0, 1]) {
      const expected = truth(0, k + 1);
      let near = 0;
      for (let i = 0; i < expected.length; i += 3) {
        const at = k * expected.length + i;
        if (Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - expected[i + a])) < 0.01 * diagonal) near++;
      }
      expect(near / (expected.length / 3)).toBeGreaterThan(0.95);
    }
  });

  it('matches frames that are moved far away', async () => {
    const away = { ...frames[1], positions: frames[1].positions.map((x, c) => (c % 3 === 0 ? x + diagonal : x)) };
    const { coverage } = await trackFrames(compute, [frames[0], away], { template: 0 });
    expect(coverage[1]).toBeGreaterThan(0.98);
  });

  it('ignores holes of a frame', async () => {
    const holed = {
      ...frames[1],
      triangles: frames[1].triangles.slice(0, Math.floor((0.95 * frames[1].triangles.length) / 3) * 3),
    };
    const { positions } = await trackFrames(compute, [frames[0], holed], { template: 0 });
    const expected = truth(0, 1);
    let near = 0;
    for (let i = 0; i < expected.length; i += 3) {
      const at = expected.length + i;
      if (Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - expected[i + a])) < 0.01 * diagonal) near++;
    }
    expect(near / (expected.length / 3)).toBeGreaterThan(0.95);
  });

  it.each([
    ['one frame', [frames[0]], /at least two frames/],
    [
      'a frame without triangles',
      [frames[0], { ...frames[1], triangles: new Uint32Array() }],
      /^frame 1: has no triangles/,
    ],
    [
      'a frame in another unit',
      [frames[0], { ...frames[1], positions: frames[1].positions.map((x) => 100 * x) }, frames[2]],
      /^frame 1: is 10\d times as large/,
    ],
    ['a frame of something else', [frames[0], makeBox(), frames[1]], /^frame 1: only \d+ % of its surface/],
  ])('refuses %s in one sentence', async (_, list, message) => {
    await expect(trackFrames(compute, list, { template: list.length > 1 ? 0 : undefined })).rejects.toThrow(message);
  });
});

/** A flat box with the diagonal of the creature. */
function makeBox(): ScanFrame {
  const size = diagonal / Math.sqrt(3);
  const positions = Float32Array.from(
    { length: 24 },
    (_, c) => 5 * diagonal + size * ((Math.floor(c / 3) >> (c % 3)) & 1),
  );
  const quads = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
  const triangles: number[] = [];
  for (let q = 0; q < quads.length; q += 4) {
    const [a, b, c, d] = quads.slice(q, q + 4);
    triangles.push(a, b, c, a, c, d);
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}
