// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSample } from '../../../src/entry/sample.ts';
import { resampleSurface } from '../resample-surface.ts';

describe('resampleSurface', () => {
  const { clip } = makeSample('tube-swell', { resolution: 300 });
  const { positions, triangles } = clip.mesh;
  const mesh = resampleSurface(positions, triangles, { vertices: 250, seed: 1 });

  it('has the wanted number of vertices, on triangles of the surface', () => {
    expect(mesh.corners.length).toBe(3 * 250);
    const faces = new Set<string>();
    for (let c = 0; c < triangles.length; c += 3) faces.add([...triangles.subarray(c, c + 3)].sort().join());
    for (let o = 0; o < mesh.blends.length; o += 3) {
      const weights = mesh.blends.subarray(o, o + 3);
      expect(weights[0] + weights[1] + weights[2]).toBeCloseTo(1, 9);
      expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
      const used = [0, 1, 2].flatMap((n) => (weights[n] > 0 ? [mesh.corners[o + n]] : []));
      expect([...faces].some((face) => used.every((i) => face.split(',').includes(String(i))))).toBe(true);
    }
  });

  it('stays closed and removes vertices of the mesh', () => {
    // V − E + F = 2 with 3 F = 2 E
    expect(mesh.triangles.length / 3).toBe(2 * 250 - 4);
    const edges = new Set<string>();
    for (let c = 0; c < mesh.triangles.length; c++)
      edges.add(`${mesh.triangles[c]},${mesh.triangles[c % 3 === 2 ? c - 2 : c + 1]}`);
    for (const edge of edges) expect(edges.has(edge.split(',').reverse().join())).toBe(true);
    const corners = new Set([...mesh.blends].flatMap((w, c) => (w > 0.999 ? [mesh.corners[c]] : [])));
    expect(corners.size).toBeLessThan(0.8 * (positions.length / 3));
  });

  it('gives another mesh for another seed', () => {
    const other = resampleSurface(positions, triangles, { vertices: 250, seed: 2 });
    expect(other.triangles).not.toEqual(mesh.triangles);
  });
});
