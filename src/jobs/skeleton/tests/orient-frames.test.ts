// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { orientFrames } from '../orient-frames.ts';

const framesOf = (name: string) => {
  const { clip } = makeSample(name, { resolution: 300, frames: 12 });
  return [0, 1, 2, 3].map((k) => ({ positions: frameOf(clip, k).slice(), triangles: clip.mesh.triangles }));
};

describe('orientFrames', () => {
  it.each(['creature', 'quadruped', 'bar-bend', 'sheet', 'parts'])('leaves %s as it is', (name) => {
    const frames = framesOf(name);
    expect(orientFrames(frames)).toEqual({
      ...{ frames, turned: [], rotated: [], isInward: false, isAllInward: false, isTemplateTurned: false },
    });
  });

  const turn = <Frame extends { triangles: Uint32Array }>(frame: Frame): Frame => ({
    ...frame,
    triangles: frame.triangles.map((_, c, all) => all[c - (c % 3) + [0, 2, 1][c % 3]]),
  });

  it('turns the triangles of an inside-out frame', () => {
    const frames = framesOf('creature');
    const { frames: found, turned } = orientFrames(frames.with(1, turn(frames[1])));
    expect(turned).toEqual([1]);
    expect(found).toEqual(frames);
  });

  it('turns a sequence that is inside out as a whole, with a frame whose side is not known', () => {
    const frames = framesOf('creature');
    // without half of its triangles, a frame has no outer side
    frames[2] = {
      ...frames[2],
      triangles: frames[2].triangles.subarray(0, 3 * Math.ceil(frames[2].triangles.length / 6)),
    };
    const { frames: found, turned, isInward, isAllInward } = orientFrames(frames.map(turn));
    expect([isInward, isAllInward, turned]).toEqual([true, true, []]);
    expect(found).toEqual(frames);
    const most = orientFrames(frames.map((frame, k) => (k === 0 ? frame : turn(frame))));
    expect([most.isInward, most.isAllInward, most.turned]).toEqual([true, false, []]);
    expect(most.frames).toEqual(frames);
  });

  it('turns a template, and its normals if they face as its triangles do', () => {
    const frames = framesOf('creature');
    const [template] = frames;
    const normals = new Float32Array(template.positions.length);
    vertexNormalsInto(template.positions, template.triangles, normals);
    for (const sign of [1, -1]) {
      const given = { ...turn(template), normals: normals.map((x) => sign * x) };
      const found = orientFrames(frames, given);
      expect([found.isTemplateTurned, found.turned]).toEqual([true, []]);
      expect(found.template).toEqual({ ...template, normals });
    }
  });

  it('turns a template whose side is not known as the frames are', () => {
    const frames = framesOf('creature');
    const [{ positions, triangles }] = frames;
    const open = { positions, triangles: triangles.subarray(0, 3 * Math.ceil(triangles.length / 6)) };
    const found = orientFrames(frames.map(turn), turn(open));
    expect([found.isInward, found.isTemplateTurned]).toEqual([true, true]);
    expect(found.template).toEqual(open);
    expect(orientFrames(frames, open)).toMatchObject({ isTemplateTurned: false, template: open });
  });

  it('finds a frame with another up axis, also the last', () => {
    for (const name of ['creature', 'quadruped']) {
      const frames = framesOf(name);
      for (const k of [1, 3]) {
        const { positions } = frames[k];
        const rotated = positions.map((_, c) => [positions[c], -positions[c + 1], positions[c - 1]][c % 3]);
        expect(orientFrames(frames.with(k, { ...frames[k], positions: rotated })).rotated).toEqual([k]);
      }
    }
  });
});
