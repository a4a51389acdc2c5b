// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, makeTimes } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { joinSeams } from '../join-seams.ts';

// two strips of squares; the row in the middle is stored twice:
//   0  1  2
//   3  4  5
//   6  7  8    the same as 3, 4, 5
//   9 10 11
const TRIANGLES = [3, 4, 1, 3, 1, 0, 4, 5, 2, 4, 2, 1, 9, 10, 7, 9, 7, 6, 10, 11, 8, 10, 8, 7];
const FRAMES = 20;

function makeTorn(sigma: number, apart = 0): Clip {
  const random = makeRandom(1);
  const rest = [2, 1, 1 - apart, 0].flatMap((y) => [0, 1, 2].flatMap((x) => [x, y, 0]));
  const positions = new Float32Array(FRAMES * rest.length);
  for (let c = 0; c < positions.length; c++) positions[c] = rest[c % rest.length] + sigma * random.normal();
  const mesh = makeMesh(positions.slice(0, rest.length), Uint32Array.from(TRIANGLES));
  return { kind: 'clip', name: 'torn', mesh, positions, times: makeTimes(FRAMES, 24) };
}

it('closes a seam that noise has torn', () => {
  const joined = joinSeams(makeTorn(0.05), 0.05);
  const { pointOfVertex } = weldClip(joined);
  for (const [a, b] of [
    [3, 6],
    [4, 7],
    [5, 8],
  ])
    expect(pointOfVertex[a]).toBe(pointOfVertex[b]);
  expect(new Set(pointOfVertex).size).toBe(9);
});

it('keeps vertices apart whose distance is larger than noise', () => {
  const torn = makeTorn(0.05, 0.2);
  expect(joinSeams(torn, 0.05)).toBe(torn);
});
