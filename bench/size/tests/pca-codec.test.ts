// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../src/core/model/clip/clip.ts';
import { makeMesh } from '../../../src/core/model/mesh/mesh.ts';
import { makeSample } from '../../../src/entry/sample.ts';
import { makePcaBasis } from '../pca-basis.ts';
import { decodePca } from '../pca-codec.ts';
import { preparePca, searchPca } from '../search-pca.ts';

describe('the PCA codec', () => {
  it('finds vectors that hold all motion of points that move together', () => {
    // three points that move along one line by different amounts
    const trajectories = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0);
    const { energies, vectors, mean } = makePcaBasis(trajectories, 3);
    expect(mean[3]).toBeCloseTo(2);
    expect(energies[0]).toBeCloseTo(2);
    expect(energies[1]).toBeCloseTo(0);
    expect(Math.abs(vectors[3])).toBeCloseTo(1);
  });

  it('decodes a clip within the distortion that is required, and smaller errors take more bytes', () => {
    const { clip } = makeSample('quadruped', { resolution: 400, frames: 10 });
    const prepared = preparePca(clip);
    const fine = searchPca(prepared, 0.5);
    const coarse = searchPca(prepared, 4);
    for (const [file, limit] of [
      [fine, 0.5],
      [coarse, 4],
    ] as const) {
      expect(file.distortion).toBeLessThanOrEqual(1.001 * limit);
      expect(file.distortion).toBeGreaterThan(0.8 * limit);
    }
    expect(coarse.bytes.length).toBeLessThan(fine.bytes.length);
    expect(coarse.vectorCount).toBeLessThan(fine.vectorCount);
    expect(fine.bytes.length).toBeLessThan(clip.positions.byteLength / 5);
    const { triangles, vertexCount } = decodePca(fine.bytes);
    expect(triangles.length).toBe(clip.mesh.triangles.length);
    expect(vertexCount).toBeGreaterThanOrEqual(prepared.vertices.length);
  });

  it('keeps vertices without triangles and points that are equal at rest but not in motion', () => {
    const rest = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 2, 0, 5, 5, 5);
    const mesh = makeMesh(rest, Uint32Array.of(0, 1, 2, 3, 4, 5));
    const frames = [0, 1, 2, 3].map((k) => rest.map((x, c) => x + (c >= 9 ? 0.2 * k * (1 + (c % 4)) : -0.1 * k)));
    const clip: Clip = {
      ...{ kind: 'clip', name: 'two', mesh, times: Float64Array.of(0, 1, 2, 3) },
      positions: Float32Array.from(frames.flatMap((frame) => [...frame])),
    };
    const { distortion } = searchPca(preparePca(clip), 1);
    expect(distortion).toBeLessThanOrEqual(1.001);
  });
});
