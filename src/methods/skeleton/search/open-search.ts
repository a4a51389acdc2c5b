// SPDX-License-Identifier: MIT
// What is sought in a body that bends: the number of bones to start from, the frames that the search uses, and how joints are solved.

import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { NormalizedClip } from '../../../fit/skin/index.ts';
import type { OpenBody } from '../body/normalize-body.ts';
import type { StrictSettings } from '../joints/solve-strict.ts';
import { listInside } from '../place/place-inside.ts';
import { chooseFrames } from './choose-frames.ts';
import { takeFrames } from './take-frames.ts';

/** Minimum number of points per initial bone if the number of bones is not given. Chosen by hand. */
const POINTS_PER_BONE = 12;
/** If the number of bones is not given: maximum number of frames for everything that seeks the structure. Chosen on four rigs (bird, fox, snake, spider). */
const SEARCH_FRAMES = 48;
/** …and their number in a clip with noise, which more frames average out. */
const NOISY_FRAMES = 96;

/** A search for the bones and joints of a body. */
export interface BoneSearch extends OpenBody {
  /** triangleCount x 3 point indices */
  triangles: Uint32Array;
  /** Whether the number of bones is to be found. */
  isFree: boolean;
  /** Maximum number of bones that are found. */
  maxBones: number;
  /** Number of bones to start from. */
  wanted: number;
  /** The frames that the search uses. */
  searched: { clip: Clip; normalized: NormalizedClip };
  /** Whether these are not all frames. */
  isPart: boolean;
  strict: StrictSettings;
}

/** Prepares the search of a body that bends. */
export function openSearch(body: OpenBody): BoneSearch {
  const { compute, clip, normalized, bones, size, noise, options } = body;
  const { trajectories } = normalized;
  const { vertexCount, frameCount } = trajectories;
  const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
  const parts = labelParts(vertexCount, triangles);
  if (parts.some((part) => part > 0)) trajectories.parts = parts;
  const isFree = bones === 0;
  const maxBones = Math.max(2, Math.floor(vertexCount / POINTS_PER_BONE));
  const wanted = isFree ? Math.min(options.multipass.overestimate, maxBones) : Math.min(bones, vertexCount);
  // extending the frames would solve poses again
  const isShort = isFree && !options.joints.asPublished;
  const frames = chooseFrames(trajectories, isShort ? (noise > 0 ? NOISY_FRAMES : SEARCH_FRAMES) : frameCount);
  const isPart = frames.length < frameCount;
  const searched = isPart ? takeFrames(compute, clip, normalized, frames) : { clip, normalized };
  const inside = listInside(trajectories, triangles, size);
  const strict = { ...options.joints, size, noise, reuse: isFree, inside };
  return { ...body, triangles, isFree, maxBones, wanted, searched, isPart, strict };
}
