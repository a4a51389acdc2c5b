// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChildCompute } from '../../../core/compute/child-compute.ts';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import type { SearchDevice, TriangleSearcher } from '../../../core/model/clip/triangle-search.ts';
import type { ScanFrame } from '../../../methods/track/register/scan-frame.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { track } from '../track.ts';

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
/** The same, with its arrays. */
let counted: Compute;
const arrays = new Set<Resident>();
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
  const count = <T extends Resident>(array: T): T => {
    const { free } = array;
    arrays.add(array);
    return Object.assign(array, {
      free: () => {
        arrays.delete(array);
        free();
      },
    });
  };
  counted = new ChildCompute({
    ...{ kind: compute.kind, threads: compute.threads },
    float64: (length) => count(compute.float64(length)),
    float32: (length) => count(compute.float32(length)),
    uint32: (length) => count(compute.uint32(length)),
    run: (kernel, args, chunkCount) => compute.run(kernel, args, chunkCount),
    runAll: (calls) => compute.runAll(calls),
    scope: (fn) => compute.scope(fn),
    child: () => compute.child(),
    dispose: () => undefined,
  });
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
    await expect(track(frames, { compute, template })).rejects.toThrow(/^the template: does not fit these frames/);
    const { misfits } = await track(frames, { compute, template, force: true });
    expect(misfits.length).toBe(frames.length);
  });

  it('frees everything on the device and in the memory of the kernels if it fails', async () => {
    const free = new Set<TriangleSearcher>();
    const made: TriangleSearcher[] = [];
    /** Fails when the third surface is made: the template and a frame are there. */
    const device: SearchDevice = {
      makeSearcher() {
        const searcher: TriangleSearcher = {
          fit: () => {
            if (made.length === 3) throw new Error('out of memory');
          },
          search: async (points) => new Uint32Array(points.length / 8).fill(0xffffffff),
          dispose: () => free.add(searcher),
        };
        made.push(searcher);
        return searcher;
      },
    };
    const before = arrays.size;
    await expect(track(frames, { compute: counted, template: frames[1], searchDevice: device })).rejects.toThrow(
      'out of memory',
    );
    expect(made.length).toBe(3);
    expect(free.size).toBe(3);
    expect(arrays.size).toBe(before);
  });
});
