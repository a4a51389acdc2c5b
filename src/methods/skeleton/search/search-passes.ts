// SPDX-License-Identifier: MIT
// The search of bones with several passes (multipass.ts): from clusters or decompositions, on the points of a coarser mesh if the body is dense.

import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { type Adjacency, makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { normalizeBones, SkinFit } from '../../../fit/skin/index.ts';
import { type MultipassSolution, multipass } from '../body/multipass.ts';
import { coarsenPoints } from './coarsen-points.ts';
import { extendPoints } from './extend-points.ts';
import type { BoneSearch } from './open-search.ts';
import { type StartBones, startClusters } from './start-clusters.ts';

/** Initial clusters of a rig, relative to the number of bones to start from: some clusters are blends of bones. */
const CLUSTERS = 4 / 3;
/** If the number of bones is not given: a mesh with more points is coarsened, to the number of cells. On five rigs and ten generated creatures, 600 to 1000 cells find as many joints. */
const SEARCH_POINTS = 2000;
const SEARCH_CELLS = 800;
/** …and the effort of its decomposition, of which bones are then removed. On horse-gallop, samba, cat-poses, camel-poses, horse-collapse and two generated clips, 0.4 to 1 give bones and errors alike, and 0.4 takes half of the time. */
const DENSE_EFFORT = 0.5;

/** A search with several passes, and the points that it uses. */
export interface PassSearch extends BoneSearch {
  /** Whether the points are those of a coarser mesh. */
  isDense: boolean;
  /** The points of the search. */
  coarse: { trajectories: Trajectories; triangles: Uint32Array };
  /** Neighbours of these points. */
  adjacency: Adjacency;
}

/** Chooses the points of a search. */
export function openPasses(search: BoneSearch): PassSearch {
  const { compute, searched, triangles, isFree, noise, strict } = search;
  const all = searched.normalized.trajectories;
  const isDense = isFree && all.vertexCount > SEARCH_POINTS;
  const coarse = isDense
    ? coarsenPoints(compute, all, triangles, SEARCH_CELLS, noise > 0)
    : { trajectories: all, triangles, noise: 1 };
  const adjacency = makeAdjacency(coarse.trajectories.vertexCount, coarse.triangles);
  return { ...search, isDense, coarse, adjacency, strict: { ...strict, noise: noise * coarse.noise } };
}

/** Bones of clusters, or undefined if they do not explain the motion almost exactly. */
export function startFromClusters(search: PassSearch): Promise<StartBones | undefined> {
  const { compute, coarse, maxBones, size, strict, options, monitor } = search;
  return startClusters(compute, {
    ...{ trajectories: coarse.trajectories, triangles: coarse.triangles, size, noise: strict.noise },
    count: Math.min(Math.ceil(CLUSTERS * options.multipass.overestimate), 2 * maxBones),
    ...{ fitOptions: options.fit, monitor },
  });
}

/** The skeleton with the lowest error of several starts, on all points. The first start is that of clusters, if there are any. */
export async function searchFrom(search: PassSearch, clusters?: StartBones): Promise<MultipassSolution> {
  const { compute, searched, isDense, options, monitor } = search;
  let best = await solveFrom(search, clusters ?? (await decompose(search, 0)), clusters !== undefined);
  for (let n = 1; n < options.starts && !monitor.isStopped; n++) {
    const next = await solveFrom(search, await decompose(search, n), false);
    if (next.fit.error < best.fit.error) best = next;
  }
  if (!isDense) return best;
  monitor.enter('all points', 0.95, 0.97);
  const extended = await extendPoints(compute, best, searched.normalized.trajectories, monitor);
  return { ...extended, passes: best.passes };
}

async function decompose({ input, searched, wanted, isDense }: PassSearch, n: number): Promise<StartBones> {
  const { boneCount, matrices } = await input.decomposer(searched.clip, wanted, n, isDense ? DENSE_EFFORT : 1);
  return { boneCount, bones: normalizeBones(searched.normalized, matrices, boneCount) };
}

/** @param isExact whether the bones explain the motion almost exactly, unless there is noise */
function solveFrom(search: PassSearch, start: StartBones, isExact: boolean): Promise<MultipassSolution> {
  const { compute, coarse, adjacency, isFree, isDense, noise, strict, options, monitor } = search;
  const fit = new SkinFit(compute, coarse.trajectories, start.boneCount, options.fit);
  fit.bones.view().set(start.bones);
  return multipass({
    ...{ fit, adjacency, isFree, isDense, monitor, options: options.multipass },
    triangles: options.asymmetric ? undefined : coarse.triangles,
    strict: { ...strict, isRig: isExact && noise === 0 },
  });
}
