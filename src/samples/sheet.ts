// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../core/math/sine.ts';
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import { makeTimes } from '../core/model/clip/clip.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';
import { phaseOf, SAMPLE_FPS, type SampleBody, type SampleOptions } from './sample.ts';

const WIDTH = 3;
const HEIGHT = 2;
/** Integration steps along a thread between two vertices. */
const STEPS = 4;

/**
 * A flag held along its left edge. Each horizontal thread is a curve given by its slope, so its length is
 * constant, and waves run along it towards the free end.
 */
export function makeSheet(options: Required<SampleOptions>): SampleBody {
  const spacing = Math.sqrt((WIDTH * HEIGHT) / Math.max(4, options.resolution));
  const columns = Math.max(1, Math.round(WIDTH / spacing));
  const rows = Math.max(1, Math.round(HEIGHT / spacing));
  const mesh = makeGrid(columns, rows);
  const stride = mesh.positions.length;
  const positions = new Float32Array(options.frames * stride);
  for (let k = 0; k < options.frames; k++) {
    const phase = phaseOf(k, options.frames);
    for (let row = 0; row <= rows; row++) {
      const v = row / rows;
      let x = -WIDTH / 2,
        z = 0,
        sag = 0;
      for (let column = 0; column <= columns; column++) {
        const o = k * stride + (row * (columns + 1) + column) * 3;
        positions[o] = x;
        positions[o + 1] = HEIGHT * v - sag;
        positions[o + 2] = z;
        const step = WIDTH / columns / STEPS;
        for (let n = 0; n < STEPS; n++) {
          const u = (column + (n + 0.5) / STEPS) / columns;
          const slope = slopeAt(u, v, phase);
          // The thread also sinks a little towards the free end; the remaining length is used by the wave.
          const sink = 0.1 * u;
          const level = Math.sqrt(1 - sink * sink);
          x += step * level * cosineOf(slope);
          z += step * level * sineOf(slope);
          sag += step * sink;
        }
      }
    }
  }
  return {
    clip: { kind: 'clip', name: 'wave', mesh, positions, times: makeTimes(options.frames, SAMPLE_FPS) },
    isExact: false,
  };
}

/**
 * Slope of the thread, radians: two waves that travel outwards at a slant, at nearly full height from close to the held edge on, so that no part of the
 * cloth moves as one. Slanted waves stretch the cloth across the threads; these do so by a tenth at most.
 */
function slopeAt(u: number, v: number, phase: number): number {
  const grow = Math.min(1, 6 * u) * (0.7 + 0.3 * u);
  const main = sineOf(2 * Math.PI * (2 * u + 0.3 * v) - phase);
  const ripple = sineOf(2 * Math.PI * (3.7 * u - 0.5 * v) - 2 * phase + 1);
  return grow * (0.75 * main + 0.3 * ripple);
}

/** A flat grid in the plane z = 0, standing on y = 0, facing +z. */
function makeGrid(columns: number, rows: number): Mesh {
  const positions: number[] = [],
    uvs: number[] = [],
    triangles: number[] = [];
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const u = column / columns,
        v = row / rows;
      positions.push(WIDTH * (u - 0.5), HEIGHT * v, 0);
      uvs.push(u, 1 - v);
      if (row === rows || column === columns) continue;
      const a = row * (columns + 1) + column,
        b = a + columns + 1;
      // Diagonals alternate, so that the cloth has no grain.
      if ((row + column) % 2 === 0) triangles.push(a, a + 1, b + 1, a, b + 1, b);
      else triangles.push(a, a + 1, b, a + 1, b + 1, b);
    }
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'sheet');
  mesh.attributes.push({ name: 'TEXCOORD_0', size: 2, values: Float32Array.from(uvs) });
  mesh.parts[0].material = 'cloth';
  mesh.normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}
