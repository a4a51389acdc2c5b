// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type Clip, makeTimes } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { listBodies } from '../list-bodies.ts';

/** Triangles of side one, each at a place along x at rest, moved along y in every frame; loose vertices at the end. */
function makeTriangles(places: number[], moves: ((k: number) => number)[], loose = 0): Clip {
  const rest: number[] = [];
  const triangles: number[] = [];
  places.forEach((x, n) => {
    rest.push(x, 0, 0, x + 1, 0, 0, x, 1, 0);
    triangles.push(3 * n, 3 * n + 1, 3 * n + 2);
  });
  for (let n = 0; n < loose; n++) rest.push(n, 5, 0);
  const positions = Float32Array.from({ length: rest.length * 4 }, (_, e) => {
    const [k, c] = [Math.floor(e / rest.length), e % rest.length];
    const part = Math.floor(c / 9);
    return rest[c] + (c % 3 === 1 && part < places.length ? moves[part](k) : 0);
  });
  return {
    kind: 'clip',
    name: 'triangles',
    mesh: makeMesh(Float32Array.from(rest), Uint32Array.from(triangles)),
    positions,
    times: makeTimes(4, 24),
  };
}

const still = () => 0;
const rise = (k: number) => 3 * k;

describe('listBodies', () => {
  it('groups parts that stay near each other', () => {
    expect(listBodies(makeTriangles([0, 1.2, 2.4], [rise, rise, rise]), 4)).toHaveLength(1);
  });

  it('separates parts that move apart, the largest first, with each vertex in one body', () => {
    const bodies = listBodies(makeTriangles([0, 2, 3.2], [rise, still, still], 4), 5);
    expect(bodies.map((vertices) => [...vertices])).toEqual([
      [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [0, 1, 2],
    ]);
  });

  it('returns one body for a mesh without triangles and for a mesh with very many parts', () => {
    expect(listBodies(makeTriangles([], [], 7), 5).map((vertices) => vertices.length)).toEqual([7]);
    const soup = Array.from({ length: 600 }, (_, n) => 2 * n);
    expect(
      listBodies(
        makeTriangles(
          soup,
          soup.map(() => rise),
        ),
        5,
      ),
    ).toHaveLength(1);
  });

  it('separates rigid parts in contact that slide, and keeps those with a common joint together', () => {
    const slide = makePlates((k) => (u) => [u[0], u[1] + 0.01 * k, u[2]]);
    expect(listBodies(slide, 3)).toHaveLength(2);
    const hinge = makePlates((k) => ([x, y, z]) => {
      const [c, s] = [Math.cos(0.3 * k), Math.sin(0.3 * k)];
      return [1.05 + c * (x - 1.05) - s * z, y, s * (x - 1.05) + c * z];
    });
    expect(listBodies(hinge, 3)).toHaveLength(1);
  });
});

/** Two plates of four vertices side by side; the second one moves. */
function makePlates(move: (k: number) => (u: number[]) => number[]): Clip {
  const square = (x: number) => [x, 0, 0, x + 1, 0, 0, x + 1, 1, 0.1, x, 1, 0.1];
  const rest = [...square(0), ...square(1.1)];
  const frames = Array.from({ length: 6 }, (_, k) => {
    const out = rest.slice(0, 12);
    for (let v = 4; v < 8; v++) out.push(...move(k)(rest.slice(3 * v, 3 * v + 3)));
    return out;
  });
  return {
    kind: 'clip',
    name: 'plates',
    mesh: makeMesh(Float32Array.from(rest), Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7)),
    positions: Float32Array.from(frames.flat()),
    times: makeTimes(6, 24),
  };
}
