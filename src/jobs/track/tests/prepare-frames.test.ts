// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { ScanFrame } from '../../../methods/track/register/scan-frame.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { prepareFrames } from '../prepare-frames.ts';

const { clip } = makeSample('creature', { resolution: 300, frames: 24 });
const FRAMES = 5;
const bodies = Array.from({ length: FRAMES }, (_, k) => ({
  positions: frameOf(clip, k).slice(),
  triangles: clip.mesh.triangles,
}));

/** A frame with a small tetrahedron at a place. */
function addSpeck({ positions, triangles }: ScanFrame, place: readonly number[], size = 0.03): ScanFrame {
  const start = positions.length / 3;
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1].map((x, c) => size * x + place[c % 3]);
  return {
    positions: Float32Array.from([...positions, ...corners]),
    triangles: Uint32Array.from([...triangles, ...[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].map((i) => start + i)]),
  };
}

describe('prepareFrames', () => {
  it('leaves frames without specks as they are', () => {
    const { frames, debris } = prepareFrames(bodies);
    expect(debris).toEqual({ parts: 0, frames: 0 });
    for (const [k, frame] of frames.entries()) expect(frame).toBe(bodies[k]);
  });

  it('drops specks that the frames beside do not have, and puts their vertices on the body', () => {
    const dusty = bodies.map((body, k) => addSpeck(addSpeck(body, [k - 2, 2, 1]), [1, 0.2 * k * k, -2]));
    const { frames, debris } = prepareFrames(dusty);
    expect(debris).toEqual({ parts: 2 * FRAMES, frames: FRAMES });
    for (const [k, { positions, triangles }] of frames.entries()) {
      expect(triangles).toEqual(bodies[k].triangles);
      expect(positions.length).toBe(dusty[k].positions.length);
      const body = new Set(Array.from({ length: clip.mesh.positions.length / 3 }, (_, i) => placeOf(positions, i)));
      for (let i = body.size; i < positions.length / 3; i++) expect(body).toContain(placeOf(positions, i));
    }
  });

  it('keeps small parts that move with the body, such as eyes', () => {
    const eyed = bodies.map((body, k) => addSpeck(body, [0.05 * k, 1.5, 1.1]));
    expect(prepareFrames(eyed).debris.parts).toBe(0);
  });

  it('keeps small parts of a body that turns', () => {
    const turned = bodies.map((body, k) => {
      const { positions, triangles } = addSpeck(
        body,
        Array.from(body.positions.subarray(0, 3), (x) => x + 0.02),
      );
      const [c, s] = [Math.cos(0.45 * k), Math.sin(0.45 * k)];
      return {
        positions: positions.map((x, e) => {
          if (e % 3 === 1) return x;
          return e % 3 === 0 ? c * x + s * positions[e + 2] : c * x - s * positions[e - 2];
        }),
        triangles,
      };
    });
    expect(prepareFrames(turned).debris.parts).toBe(0);
  });

  it('takes no time over thousands of loose triangles, and keeps parts without area', () => {
    const loose = Array.from({ length: 3 }, (_, k) => ({
      positions: Float32Array.from({ length: 9 * 5000 }, (_, c) => Math.sin(c * (k + 1.3)) * 10),
      triangles: Uint32Array.from({ length: 3 * 5000 }, (_, c) => c),
    }));
    expect(prepareFrames(loose).debris.parts).toBe(0);
    const flat = bodies.map((body) => addSpeck(body, [9, 9, 9], 0));
    expect(prepareFrames(flat).debris.parts).toBe(0);
  });

  it('keeps parts that are not small', () => {
    const large = bodies.map((body, k) => addSpeck(body, [k, 2, 1], 0.5));
    expect(prepareFrames(large).debris.parts).toBe(0);
  });

  it('counts the triangles that are left in the parts of a mesh', () => {
    const dusty = bodies.map((body, k) => {
      const { positions, triangles } = addSpeck(body, [k - 2, 2, 1]);
      return makeMesh(positions, triangles);
    });
    const { frames } = prepareFrames(dusty);
    expect(frames[0].parts).toEqual([{ ...dusty[0].parts[0], triangleCount: clip.mesh.triangles.length / 3 }]);
  });

  it('takes frames without triangles as they are', () => {
    const empty = { positions: new Float32Array(), triangles: new Uint32Array() };
    const { frames } = prepareFrames([addSpeck(bodies[0], [3, 3, 3]), empty, bodies[1]]);
    expect(frames[1]).toBe(empty);
    expect(frames[0].triangles).toEqual(bodies[0].triangles);
  });
});

function placeOf(positions: Float32Array, i: number): string {
  return positions.subarray(3 * i, 3 * i + 3).join();
}
