// SPDX-License-Identifier: MIT
// Sequences for the track suite: animations of rigs, each frame with vertices and triangles of its own, and the true place of every point in every frame.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pointTriangles, weldVertices } from '../../src/core/mesh/topology/weld.ts';
import type { Asset } from '../../src/core/model/asset.ts';
import type { Animation } from '../../src/core/model/clip/animation.ts';
import { type Clip, frameCountOf, frameOf } from '../../src/core/model/clip/clip.ts';
import { bakeAt } from '../../src/entry/deform.ts';
import type { ScanFrame } from '../../src/entry/index.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import type { RemeshedSurface } from '../../src/samples/index.ts';
import { resampleSurface } from './resample-surface.ts';
import { listScannedCases } from './scanned-cases.ts';

const FRAMES = 10;
const VERTICES = 1200;
const CREATURES = ['fox', 'bird', 'snake', 'spider'];
/** Frames per second, and the animations that are measured; default: all. */
const RATES: readonly { fps: number; only?: readonly string[] }[] = [
  { fps: 30 },
  { fps: 15, only: ['fox Walk', 'fox Run', 'bird Flap', 'snake Dance', 'spider Attack'] },
];

export interface TrackCase {
  name: string;
  frames: ScanFrame[];
  /** Where the vertices of the mesh of a frame are in frame k. */
  truth(mesh: number, k: number): Float32Array;
  /** vertexCount, 0 or 1: vertices of the mesh of a frame that are points of the body. Default: all. */
  isKnown?(mesh: number): Uint8Array;
  /** vertexCount, 0 or 1: vertices of parts that touch others in some frames. */
  isTouching?(mesh: number): Uint8Array;
}

export interface ListedCase {
  name: string;
  make(): TrackCase | Promise<TrackCase>;
}

/** The names of all cases, and how to make each. */
export async function listTrackCases(folder: string | undefined): Promise<ListedCase[]> {
  const cases: ListedCase[] = listScannedCases(folder);
  for (const creature of folder === undefined ? [] : CREATURES) {
    const path = join(String(folder), 'creatures', `${creature}-animations.glb`);
    if (!existsSync(path)) continue;
    const { asset } = await openFiles(path, {});
    for (const { fps, only } of RATES)
      for (const animation of asset.animations) {
        const name = `${creature} ${animation.name}`;
        if (only && !only.includes(name)) continue;
        if (animation.name === 'Rest Pose' || durationOf(animation) < (FRAMES - 1) / fps) continue;
        cases.push({
          name: `${name}, ${fps} fps`,
          make: () => makeTrackCase(name, bakeFrames(asset, animation, fps)),
        });
      }
  }
  return cases;
}

/** Frames of a clip, each remeshed with another seed. */
export function makeTrackCase(name: string, clip: Clip, vertices = VERTICES): TrackCase {
  const weld = weldVertices(clip.mesh.positions);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const shapes = Array.from({ length: frameCountOf(clip) }, (_, k) => {
    const frame = frameOf(clip, k);
    return Float32Array.from(
      { length: 3 * weld.pointCount },
      (_, c) => frame[3 * weld.vertexOfPoint[Math.floor(c / 3)] + (c % 3)],
    );
  });
  const meshes = shapes.map((shape, k) => resampleSurface(shape, triangles, { vertices, seed: k + 1 }));
  return {
    name,
    frames: meshes.map((mesh, k) => ({ positions: placePoints(mesh, shapes[k]), triangles: mesh.triangles })),
    truth: (mesh, k) => placePoints(meshes[mesh], shapes[k]),
  };
}

function bakeFrames(asset: Asset, animation: Animation, fps: number): Clip {
  return bakeAt(
    asset,
    animation,
    Float64Array.from({ length: FRAMES }, (_, k) => k / fps),
  );
}

function durationOf({ tracks }: Animation): number {
  return Math.max(...tracks.map(({ times }) => times[times.length - 1]));
}

function placePoints({ corners, blends }: RemeshedSurface, shape: Float32Array): Float32Array {
  return Float32Array.from({ length: corners.length }, (_, c) => {
    const row = 3 * Math.floor(c / 3);
    return [0, 1, 2].reduce((sum, n) => sum + blends[row + n] * shape[3 * corners[row + n] + (c % 3)], 0);
  });
}
