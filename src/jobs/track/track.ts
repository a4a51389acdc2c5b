// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { type Clip, makeTimes } from '../../core/model/clip/clip.ts';
import { makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { type Mesh, makeMesh } from '../../core/model/mesh/mesh.ts';
import {
  frameIndexOf,
  type Misfit,
  measureMisfits,
  OwnedSearchers,
  type ScanFrame,
  type TrackInput,
  trackMethod,
} from '../../methods/track/index.ts';
import { checkMisfits } from './judge-misfits.ts';
import { prepareFrames } from './prepare-frames.ts';

/** Options of track. */
export interface TrackOptions extends Pick<TrackInput, 'names' | 'templateName' | 'searchDevice'> {
  /** The mesh that is registered: a frame by its index, or another mesh. Default: the frame nearest to all others. */
  template?: number | ScanFrame | Mesh;
  /** Random seed of the points that are matched. */
  seed?: number;
  /** Called after each frame. */
  onProgress?: (info: { phase: string; fraction: number }) => void;
  /** Ends tracking with an AbortError. */
  signal?: AbortSignal;
  /** Frames per second of the clip. */
  fps?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
  /** Whether a template that does not fit the frames, such as one of another object, has a result. Default: it is an InputError. */
  force?: boolean;
}

/** Defaults of TrackOptions. */
export const TRACK_DEFAULTS = { fps: 24, seed: 0, threads: 0 } as const;

/** How to go on with a template that does not fit. */
const FORCE = 'use the option force to get the result anyway';

/** A clip with fixed topology, and how well it covers the frames. */
export interface TrackedClip {
  /** The template in every frame. Its mesh is the template. */
  clip: Clip;
  /** Index of the frame that is the template; undefined if another mesh was given. */
  template?: number;
  /** frameCount, 0 to 1: part of the area of frame and result that is within 0.5 % of the box diagonal of the other */
  coverage: number[];
  /** frameCount: how much of each frame does not fit */
  misfits: Misfit[];
  /** Seconds of solving. */
  seconds: number;
}

/**
 * Registers a template to a sequence of meshes with other vertices and triangles in every frame, as scanners give them: the result is a clip of one mesh. Vertex colours (COLOR_0) are used where meshes have them. Floating
 * specks of the frames are dropped. Triangles of closed bodies that face inward are turned, so that those of the result face outward.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { decompose, readAsset, track } from 'ossify';
 *
 * const scans = ['scan1.ply', 'scan2.ply', 'scan3.ply'];
 * const meshes = scans.map(async (name) => (await readAsset([{ name, bytes: await readFile(name) }])).mesh);
 * const { clip: tracked, coverage } = await track(await Promise.all(meshes), { fps: 30 });
 * const { model } = await decompose(tracked, { bones: 60 });
 * console.log(Math.min(...coverage));
 * ```
 */
export async function track(frames: readonly (ScanFrame | Mesh)[], options: TrackOptions = {}): Promise<TrackedClip> {
  const { template } = options;
  if (typeof template === 'number') frameIndexOf({ template: String(template) }, frames.length);
  const prepared = prepareFrames(frames, typeof template === 'object' ? template : undefined);
  const tracked = await trackPrepared(prepared.frames, { ...options, template: prepared.template ?? template });
  if (options.force) return tracked;
  const { names = frames.map((_, k) => `frame ${k}`) } = options;
  checkMisfits(
    tracked.misfits,
    names,
    tracked.template === undefined ? (options.templateName ?? 'the template') : undefined,
    FORCE,
  );
  return tracked;
}

/** Tracks frames that are prepared (prepare-frames.ts), whether or not they fit. */
export async function trackPrepared(
  frames: readonly (ScanFrame | Mesh)[],
  options: TrackOptions,
): Promise<TrackedClip> {
  const { template, names, templateName, signal, onProgress, searchDevice } = options;
  const { fps, seed, threads } = { ...TRACK_DEFAULTS, ...dropUndefined(options) };
  const compute = options.compute?.child() ?? (await makeCompute({ threads }));
  const searchers = searchDevice && new OwnedSearchers(searchDevice);
  const start = performance.now();
  try {
    const scans = frames.map(scanOf);
    const { solve } = await trackMethod.load();
    const given = typeof template === 'object' ? scanOf(template) : undefined;
    const own = { template: typeof template === 'number' ? String(template) : undefined };
    const found = await solve(
      { compute, signal, onProgress },
      { frames: scans, template: given, names, templateName, seed, searchDevice: searchers },
      own,
      trackMethod.plan(own, undefined, sizeOf(scans, given)),
    );
    const misfits = await measureMisfits(compute, found.mesh, found.positions, scans);
    const mesh = makeMesh(found.mesh.positions, found.mesh.triangles);
    const times = makeTimes(frames.length, fps);
    const clip: Clip = { kind: 'clip', name: 'track', mesh, positions: found.positions, times };
    const seconds = (performance.now() - start) / 1000;
    return { clip, template: found.template, coverage: found.coverage, misfits, seconds };
  } finally {
    // also what was made before an error in the middle of an object
    searchers?.dispose();
    compute.dispose();
  }
}

/** The size of a sequence. A template that is no frame, or the largest frame, is counted as the template. */
export function sizeOf(frames: readonly ScanFrame[], template?: ScanFrame) {
  const counts = frames.map(({ positions }) => positions.length / 3);
  const vertexCount = counts.reduce((sum, count) => sum + count, 0) / frames.length;
  const templateVertexCount = template ? template.positions.length / 3 : Math.max(...counts);
  return { frameCount: frames.length, vertexCount, templateVertexCount };
}

/** A mesh as a frame with its colours. */
function scanOf(mesh: ScanFrame | Mesh): ScanFrame {
  return 'attributes' in mesh ? makeMeshFrame(mesh, mesh.name) : mesh;
}
