// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { readBvh } from '../index.ts';

const TEXT = `HIERARCHY
ROOT hip
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT upper leg
  {
    OFFSET 0.5 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.05
1 2 3 0 0 0 90 0 0
1 2 4 0 0 0 0 90 90
`;
const read = (text: string) => readBvh(new TextEncoder().encode(text));

describe('readBvh', () => {
  it('reads joints, end sites and keys', async () => {
    const { nodes, animations, shapes } = await read(TEXT);
    expect(nodes.names).toEqual(['hip', 'upper leg', 'upper leg_end']);
    expect([...nodes.parents]).toEqual([-1, 0, 1]);
    expect(shapes).toEqual([]);
    const [{ tracks, duration }] = animations;
    expect(duration).toBeCloseTo(0.05, 9);
    expect(tracks.map(({ node, path }) => [node, path])).toEqual([
      [0, 'translation'],
      [0, 'rotation'],
      [1, 'rotation'],
    ]);
    expect([...tracks[0].values]).toEqual([1, 2, 3, 1, 2, 4]);
    const half = Math.SQRT1_2;
    expect([...tracks[2].values.subarray(0, 4)].map((x) => x.toFixed(5))).toEqual(
      [0, 0, half, half].map((x) => x.toFixed(5)),
    );
    // Rx Ry of a quarter turn each
    expect([...tracks[2].values.subarray(4)].map(Math.abs)).toEqual(
      [0.5, 0.5, 0.5, 0.5].map((x) => expect.closeTo(x, 6)),
    );
  });

  it.each([
    ['HIERARCHY', /ends too early/],
    [TEXT.replace('ROOT', 'BONE'), /"BONE" is not known/],
    [TEXT.replace('Frames: 2', 'Frames: 2000000000'), /fewer than 2000000000 frames/],
    [TEXT.replace('1 2 3', '1 x 3'), /a number is expected and "x"/],
    [TEXT.replace('CHANNELS 3', 'CHANNELS 9999999'), /has 9999999 channels/],
    [TEXT.replace('Zrotation', 'Wrotation'), /"Wrotation" is not known/],
    [`HIERARCHY }`, /bracket/],
  ])('refuses a damaged file', async (text, fault) => {
    await expect(read(text)).rejects.toThrow(fault);
    await expect(read(text)).rejects.toBeInstanceOf(FormatError);
  });
});
