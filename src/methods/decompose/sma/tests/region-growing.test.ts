// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeAdjacency } from '../../../../core/mesh/topology/adjacency.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { type Clip, makeTimes } from '../../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { regionGrowing } from '../region-growing.ts';

/** A strip of columns x 3 points; posed(x, y, k) moves it. */
function makeStrip(columns: number, frames: number, posed: (x: number, y: number, k: number) => number[]): Clip {
  const rest: number[] = [];
  const triangles: number[] = [];
  for (let x = 0; x < columns; x++) for (let y = 0; y < 3; y++) rest.push(x, y, 0.1 * y * y);
  for (let x = 0; x + 1 < columns; x++) {
    for (let y = 0; y < 2; y++) {
      const a = 3 * x + y;
      triangles.push(a, a + 3, a + 1, a + 1, a + 3, a + 4);
    }
  }
  const positions = Array.from({ length: frames }, (_, k) =>
    Array.from({ length: columns * 3 }, (_, i) => posed(Math.floor(i / 3), i % 3, k)),
  ).flat(2);
  return {
    kind: 'clip',
    name: 'strip',
    mesh: makeMesh(Float32Array.from(rest), Uint32Array.from(triangles)),
    positions: Float32Array.from(positions),
    times: makeTimes(frames, 24),
  };
}

/** Two halves, each moved by its own affine map: the left one stretches, the right one turns about the middle. */
function moveHalves(x: number, y: number, k: number): number[] {
  const z = 0.1 * y * y;
  if (x < 10) return [9.5 + (x - 9.5) * (1 + 0.1 * k), y, z];
  const angle = 0.2 * k;
  return [
    9.5 + Math.cos(angle) * (x - 9.5) - Math.sin(angle) * z,
    y,
    Math.sin(angle) * (x - 9.5) + Math.cos(angle) * z,
  ];
}

async function grow(clip: Clip, count: number) {
  const compute = await makeCompute({ kind: 'typescript' });
  const { trajectories, weld } = normalizeClip(compute, clip);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  return { ...regionGrowing(trajectories, triangles, count), weld, triangles };
}

describe('regionGrowing', () => {
  it('finds two affine parts exactly, the seam between them included', async () => {
    const { labels, error, weld } = await grow(makeStrip(20, 5, moveHalves), 2);
    const labelAt = (x: number, y: number) => labels[weld.pointOfVertex[3 * x + y]];
    expect(labelAt(0, 0)).not.toBe(labelAt(19, 0));
    for (let x = 0; x < 20; x++)
      for (let y = 0; y < 3; y++) expect(labelAt(x, y), `${x} ${y}`).toBe(labelAt(x < 10 ? 0 : 19, 0));
    expect(error).toBeLessThan(1e-3);
  });

  it('grows contiguous clusters in the given number', async () => {
    const wave = (x: number, y: number, k: number) => [x, y, Math.sin(0.4 * x + k) + 0.1 * y * y];
    const { labels, triangles } = await grow(makeStrip(30, 6, wave), 5);
    expect(new Set(labels).size).toBe(5);
    const { rowStart, neighbours } = makeAdjacency(labels.length, triangles);
    for (let j = 0; j < 5; j++) {
      const seen = new Set([labels.indexOf(j)]);
      for (const i of seen)
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++) if (labels[neighbours[e]] === j) seen.add(neighbours[e]);
      expect(seen.size).toBe(labels.reduce((sum, label) => sum + (label === j ? 1 : 0), 0));
    }
  });

  it('accepts points without triangles, degenerate triangles, and one frame', async () => {
    const clip = makeStrip(6, 1, (x, y) => [x, 2 * y, 0]);
    const cloud = { ...clip, mesh: { ...clip.mesh, triangles: new Uint32Array(0) } };
    expect(new Set((await grow(cloud, 3)).labels).size).toBeLessThanOrEqual(3);
    const flat = { ...clip, mesh: { ...clip.mesh, triangles: Uint32Array.of(0, 0, 1, 2, 3, 3) } };
    const { labels, error } = await grow(flat, 4);
    expect(labels.every((label) => label < 4)).toBe(true);
    expect(Number.isFinite(error)).toBe(true);
  });

  it('gives every point its own cluster if there are as many', async () => {
    const { labels } = await grow(makeStrip(4, 3, moveHalves), 12);
    expect(new Set(labels).size).toBe(12);
  });
});
