// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, Course 2014, §1.5.1: per vertex, weights w ≥ 0 with Σw = 1 and at most K of them, such that the blended bones are closest to
// the vertex's trajectory.
//
// Subtract the target from every bone's prediction, aⱼ = Mⱼũ − v (stacked over frames). For weights that sum to one the residual is Σ wⱼaⱼ, and with
// Hⱼₗ = aⱼ·aₗ = ũᵀPⱼₗũ − gⱼ − gₗ + |v|²,  gⱼ = ũᵀ Σₖ Mⱼₖᵀvₖ, the error is wᵀHw: homogeneous, no Lagrange system. On a support S
//   w = H⁻¹1 / (1ᵀH⁻¹1),  error 1 / (1ᵀH⁻¹1);  with H = LLᵀ and z = L⁻¹1:  w = L⁻ᵀz/|z|², error 1/|z|².
// Adding a bone l with y = L⁻¹h (h = H on S, l), d² = Hₗₗ − |y|², increases |z|² by (1 − y·z)²/d²: the exact gain.
// Bones are screened by the gain along e_l − w, which needs only H w: (E − r)²/(E − 2r + Hₗₗ) with r = (Hw)ₗ < E; the exact gain is computed for a few survivors.
// When the support is full, the best incoming bones are compared with all members: on the K + 1 bones, with x = H⁻¹1, removing member a reduces 1ᵀH⁻¹1 by
// x_a²/(H⁻¹)_aa, so one factor serves all exchanges. The error of a vertex never rises.
//
// The paper solves over all bones and keeps the K of largest effect (fit/skin/effect-weights.ts); this search finds lower errors in a quarter of the time.
import { SYM4_SIZE } from '../../math/sym4.ts';
import { type BoneProducts, widthOf } from '../bones/bone-products.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { callReduceBones } from '../matrices/reduce-rows.ts';
import { multiplyTrajectories, type Trajectories } from '../matrices/trajectories.ts';
import {
  type CandidateLists,
  candidateScratchOf,
  gatherColumns,
  listMembers,
  MAX_CANDIDATES,
  putList,
  reserveCandidateLists,
  TOP_CANDIDATES,
} from './candidate-lists.ts';
import { SURVIVORS, type Support, VertexProblem } from './vertex-problem.ts';

/** Vertices per chunk: about 50 µs for 30 bones, so that threads end together. */
const CHUNK = 16;

/** The weights of a fit: a fixed number per vertex, padded with zeros. */
export interface FitWeights {
  influences: number;
  /** vertexCount x influences */
  bones: Resident<Uint32Array>;
  /** vertexCount x influences */
  weights: Resident<Float64Array>;
  /** vertexCount squared errors, summed over frames */
  errors: Resident<Float64Array>;
}

export function reserveFitWeights(compute: Compute, vertexCount: number, influences: number): FitWeights {
  return {
    influences,
    bones: compute.uint32(vertexCount * influences),
    weights: compute.float64(vertexCount * influences),
    errors: compute.float64(vertexCount),
  };
}

const STARTS = ['warm', 'both', 'cold'] as const;

export interface ConvexWeightsOptions {
  /** 'warm' starts from the present weights, 'cold' from the best single bone, 'both' from each and keeps the better result. */
  start: (typeof STARTS)[number];
  /** Relative regularization of the diagonal of H: 1e-9 only avoids singular systems; 0.01 makes weights more local. */
  ridge: number;
  /** vertexCount, 1 for vertices whose weights must not change */
  locked?: Resident<Uint32Array>;
  /** vertexCount x influences: filled with the cost of removing each influence */
  removal?: Resident<Float64Array>;
  /** Candidate bones (candidate-lists.ts), filled by this solve. */
  lists?: CandidateLists;
  /** Uses the lists instead of all bones; only with a warm start. */
  isListed?: boolean;
}

/** Candidate lists of a weight solve; a solve over all bones fills them. */
export function reserveLists(compute: Compute, vertexCount: number): CandidateLists {
  return reserveCandidateLists(compute, Math.ceil(vertexCount / CHUNK));
}

/** Solves the weights of all vertices in place. products must belong to bones. */
export async function convexWeights(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  products: BoneProducts,
  fit: FitWeights,
  options: ConvexWeightsOptions,
): Promise<void> {
  await compute.scope((memory) =>
    compute.runAll(callConvexWeights(memory, trajectories, bones, products, fit, options)),
  );
}

/** The same as calls for runAll, with scratch memory from the given compute. */
export function callConvexWeights(
  memory: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  products: BoneProducts,
  fit: FitWeights,
  options: ConvexWeightsOptions,
): KernelCall[] {
  const { vertexCount, rest, squares } = trajectories;
  const { influences } = fit;
  const { boneCount, pairs, diagonal } = products;
  const width = widthOf(boneCount);
  const { calls, rows, posed, turned } = callReduceBones(memory, trajectories, bones, boneCount);
  const perThread =
    (options.lists ? candidateScratchOf(CHUNK, influences, boneCount, rows) : 0) +
    SYM4_SIZE +
    4 * width +
    (influences + SURVIVORS) * width +
    influences * (2 * influences + 1) +
    4 * (2 * influences + 14) +
    2 +
    CHUNK * 4 * boneCount;
  const scratch = memory.float64(perThread * memory.threads);
  const { removal, locked, start, ridge, lists, isListed = false } = options;
  const args = {
    ...{
      rest,
      posed,
      squares,
      bones: turned,
      pairs,
      diagonal,
      ids: fit.bones,
      weights: fit.weights,
      errors: fit.errors,
    },
    ...{ removal, locked, lists, isListed, start: STARTS.indexOf(start), ridge },
    ...{ vertexCount, rows, boneCount, width, influences },
    ...{ scratch, bytesPerThread: perThread * 8, chunkSize: CHUNK },
  };
  return [...calls, callOf(convexWeightsKernel, args, Math.ceil(vertexCount / CHUNK))];
}

export const convexWeightsKernel = kernel(
  'convexWeights',
  {
    rest: 'f64',
    posed: 'f64',
    squares: 'f64',
    /** rows x 4 boneCount */
    bones: 'f64',
    /** boneCount x 10 x width */
    pairs: 'f64',
    /** 10 x width */
    diagonal: 'f64',
    /** vertexCount x influences */
    ids: 'u32',
    /** vertexCount x influences */
    weights: 'f64',
    /** vertexCount */
    errors: 'f64',
    /** vertexCount x influences, filled */
    removal: 'f64?',
    /** vertexCount */
    locked: 'u32?',
    vertexCount: 'int',
    rows: 'int',
    boneCount: 'int',
    width: 'int',
    influences: 'int',
    /** index in STARTS */
    start: 'int',
    ridge: 'float',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
    lists: 'u32?',
    isListed: 'bool',
  },
  (
    {
      rest: u,
      posed: v,
      squares,
      bones: t,
      pairs: products,
      diagonal: table,
      ids: bones,
      weights,
      errors,
      removal,
      locked,
      vertexCount,
      rows,
      boneCount,
      width,
      influences,
      start: mode,
      ridge,
      chunkSize,
      lists,
      isListed,
    },
    chunk,
  ) => {
    const begin = chunk * chunkSize;
    const end = Math.min(vertexCount, begin + chunkSize);
    const list = lists?.subarray(chunk * (1 + MAX_CANDIDATES), (chunk + 1) * (1 + MAX_CANDIDATES));
    const members =
      list && isListed ? listMembers(list, bones, weights, begin * influences, end * influences) : undefined;
    const most = members?.length ?? boneCount;
    const small = widthOf(most);
    const gather = (from: Float64Array): Float64Array =>
      members ? gatherColumns(from, SYM4_SIZE, width, members, 1, small) : from;
    const columns = members ? gatherColumns(t, rows, 4 * boneCount, members, 4, 4 * most) : t;
    const blended = new Float64Array((end - begin) * 4 * most);
    multiplyTrajectories(v, columns, blended, begin, end, rows, 4 * most);
    const pairs = members ? new Float64Array(SYM4_SIZE * small * most) : products;
    members?.forEach((j, a) => {
      pairs.set(gather(products.subarray(SYM4_SIZE * width * j)), SYM4_SIZE * small * a);
    });
    const vertex = new VertexProblem(pairs, gather(table), most, small, influences, ridge);
    const tops: number[][] = [];
    for (let i = begin; i < end; i++) {
      vertex.enter(u[3 * i], u[3 * i + 1], u[3 * i + 2], squares[i], blended, (i - begin) * 4 * most);
      const warm = mode < 2 || locked?.[i] ? vertex.read(bones, weights, i * influences, members) : undefined;
      let best = warm;
      if (!locked?.[i]) {
        if (warm) best = lower(best, vertex.exchange(vertex.grow(vertex.solve(warm.bones, warm.rows))));
        if (mode > 0 || !best) best = lower(best, vertex.exchange(vertex.grow(vertex.startCold())));
      }
      if (!best) throw new Error('convexWeights: a locked vertex has no weights');
      for (let a = 0; a < influences; a++) {
        const bone = best.bones[a] ?? 0;
        bones[i * influences + a] = members && a < best.bones.length ? members[bone] : bone;
        weights[i * influences + a] = best.weights[a] ?? 0;
      }
      errors[i] = Math.max(0, best.error);
      if (removal)
        for (let a = 0; a < influences; a++)
          removal[i * influences + a] = a < best.bones.length ? vertex.removalCost(best, a) : 0;
      if (!members) tops.push(vertex.listCandidates(best, TOP_CANDIDATES));
    }
    if (list && !members) putList(list, tops, bones, weights, begin * influences, end * influences);
  },
);

function lower(a: Support | undefined, b: Support): Support {
  return a && !(b.error < a.error) ? a : b;
}
