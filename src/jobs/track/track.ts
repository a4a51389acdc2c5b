// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { type Clip, makeTimes } from '../../core/model/clip/clip.ts';
import { makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { UsageError } from '../../core/model/errors.ts';
import { type Mesh, makeMesh } from '../../core/model/mesh/mesh.ts';
import {
  type TrackOptions as FrameOptions,
  type Misfit,
  measureMisfits,
  OwnedSearchers,
  type ScanFrame,
  trackFrames,
} from '../../methods/track/index.ts';
import { checkMisfits } from './judge-misfits.ts';
import { prepareFrames } from './prepare-frames.ts';

/** Options of track. */
export interface TrackOptions extends Omit<FrameOptions, 'template'> {
  /** The mesh that is registered: a frame by its index, or another mesh. Default: the frame nearest to all others. */
  template?: number | ScanFrame | Mesh;
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
  if (typeof template === 'number' && !(Number.isInteger(template) && template >= 0 && template < frames.length))
    throw new UsageError('template', `must be a frame from 0 to ${frames.length - 1}, got ${template}`);
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
  const { fps = TRACK_DEFAULTS.fps, template } = options;
  const compute = options.compute?.child() ?? (await makeCompute({ threads: options.threads }));
  const searchers = options.searchDevice && new OwnedSearchers(options.searchDevice);
  const start = performance.now();
  try {
    const scans = frames.map(scanOf);
    const found = await trackFrames(compute, scans, {
      ...options,
      searchDevice: searchers,
      template: typeof template === 'object' ? scanOf(template) : template,
    });
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

/** A mesh as a frame with its colours. */
function scanOf(mesh: ScanFrame | Mesh): ScanFrame {
  return 'attributes' in mesh ? makeMeshFrame(mesh, mesh.name) : mesh;
}
