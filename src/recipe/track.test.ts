// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Compute } from '../kernels/compute.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import { pointTriangles, weldVertices } from '../mesh/weld.ts';
import { frameOf } from '../model/clip.ts';
import { makeSample } from '../sample/make-sample.ts';
import type { ScanFrame } from '../track/scan-frame.ts';
import { track } from './track.ts';

const { clip } = makeSample('bar-bend', { resolution: 300, frames: 12 });
const weld = weldVertices(clip.mesh.positions);
const triangles = pointTriangles(clip.mesh.triangles, weld);
/** Frames of a bar that bends. The vertices of each are in another order. */
const frames = [0, 1, 2].map((k): ScanFrame => {
  const shape = frameOf(clip, k);
  const place = (point: number): number => (point + 17 * k) % weld.pointCount;
  const positions = new Float32Array(3 * weld.pointCount);
  for (const [point, i] of weld.vertexOfPoint.entries())
    positions.set(shape.subarray(3 * i, 3 * i + 3), 3 * place(point));
  return { positions, triangles: triangles.map(place) };
});

const turn = (frame: ScanFrame): ScanFrame => ({
  ...frame,
  triangles: frame.triangles.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]),
});

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

describe('track', () => {
  it('gives the same clip, with triangles outward, if frames or template face inward', async () => {
    const { clip: expected } = await track(frames, { compute, template: 1 });
    const inward = await track(frames.map(turn), { compute, template: 1 });
    expect(inward.clip).toEqual(expected);
    const [first, , last] = frames;
    const own = await track([first, last], { compute, template: frames[1] });
    const turned = await track([first, turn(last)], { compute, template: turn(frames[1]) });
    expect(turned.clip).toEqual(own.clip);
  });

  it('refuses frames of another object unless it is forced', async () => {
    const { clip: other } = makeSample('creature', { resolution: 300, frames: 2 });
    const template = { positions: other.mesh.positions.map((x) => 2 * x), triangles: other.mesh.triangles };
    await expect(track(frames, { compute, template })).rejects.toThrow(/^the template: is no template of these frames/);
    const { misfits } = await track(frames, { compute, template, force: true });
    expect(misfits.length).toBe(frames.length);
  });
});
