// SPDX-License-Identifier: MIT
// Course 2014, §3.5.3 and §3.5.4, Algorithms 7 and 8 as published, for comparison with compressWeights. Necessary corrections: atoms are added in batches that
// double (Eq. 54 needs an error that is not given), shares are clamped to the segment (Eq. 57), atoms are clamped to be positive before their c largest weights are
// kept, c is at most the number of bones, the divisor of Eq. 56 is φⱼⱼ, and the recursion is a stack.
//
//   Eq. 53   the point with the largest error becomes an atom; at most once per batch, since a truncated atom would be chosen forever
//   Eq. 56   dⱼ ← dⱼ + (γⱼ − Dφⱼ)/φⱼⱼ, which is dⱼ + Σᵢ aᵢⱼ(wᵢ − Daᵢ) / Σᵢ aᵢⱼ²: Φ and Γ are not stored
//   Eq. 58   with poses, errors are those of the quadratics minus the floors, and W* replaces W

import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import type { WeightRows } from '../weight-problem.ts';
import { type CompressWeightsResult, maxPerRow } from './compress-weights.ts';
import { Dictionary, NONE } from './dictionary.ts';
import { fillRow, startDictionary } from './start-dictionary.ts';

/** Iterations after each batch; in the paper "typically within 3 iterations". */
const ITERATIONS = 3;
/** Entries per point of the second layer, as the paper counts. */
export const SECOND_LAYER = 2;

/** Compresses weights by the published algorithm. With a budget B the number of virtual bones is (B − 2)n/c, as counted in the paper. */
export async function compressWeightsAsPublished(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
  floors: Float64Array,
  adjacency: Adjacency,
  options: SolveMonitorOptions & { budget: number },
): Promise<CompressWeightsResult> {
  const { pointCount: n, boneCount: m } = quadratics;
  const cardinality = Math.min(m, maxPerRow(rows) + 1);
  const maxAtoms = Math.min(n, Math.floor(((options.budget - SECOND_LAYER) * n) / cardinality));
  const dictionary = new Dictionary(quadratics, cardinality);
  const monitor = new SolveMonitor(options);
  monitor.enter('virtual bones', 0, 1);
  startDictionary(dictionary, rows);
  let iterations = 0;
  const atom = new Float64Array(m);
  const isTaken = new Uint8Array(n);
  while (dictionary.count < maxAtoms && !monitor.isStopped) {
    isTaken.fill(0);
    for (let batch = Math.min(dictionary.count, maxAtoms - dictionary.count); batch > 0; batch--) {
      let worst = -1;
      let largest = 0;
      for (let i = 0; i < n; i++) {
        const error = dictionary.errors[i] - floors[i];
        if (isTaken[i] || !(error > largest)) continue;
        largest = error;
        worst = i;
      }
      if (worst < 0) break;
      isTaken[worst] = 1;
      fillRow(rows, worst, cardinality, atom);
      const k = dictionary.add(atom);
      updateFrom(dictionary, adjacency, worst, [k, dictionary.first[worst]]);
    }
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      updatePrinted(dictionary, rows);
      for (let i = 0; i < n; i++) dictionary.errors[i] = measurePair(dictionary, i);
      for (let i = 0; i < n; i++) updateAround(dictionary, adjacency, i);
      iterations++;
      if (await monitor.tick(dictionary.count / maxAtoms)) break;
    }
    if (isTaken.every((taken) => taken === 0)) break;
  }
  const scale = n * quadratics.poseNumbers;
  return {
    ...dictionary.toRows(),
    blendsPerVertex: dictionary.countEntries() / n,
    error: Math.sqrt(dictionary.sumErrors() / scale),
    iterations,
    status: monitor.isStopped ? 'stopped' : 'converged',
  };
}

/** The error of a point with its present atoms, at the best share. */
function measurePair(dictionary: Dictionary, i: number): number {
  dictionary.clearCandidates();
  dictionary.addCandidatesOf(i);
  dictionary.search(i);
  dictionary.adopt(i);
  return dictionary.best.error;
}

/** Algorithm 8: two candidates at a point; if they lower its error, the best two of {r, s, ρ, σ} at each neighbour. Depth first, with a stack. */
function updateFrom(dictionary: Dictionary, { rowStart, neighbours }: Adjacency, from: number, pair: number[]): void {
  const stack: [number, number, number][] = [[from, pair[0], pair[1] ?? NONE]];
  while (stack.length > 0) {
    const [i, r, s] = stack.pop()!;
    dictionary.clearCandidates();
    dictionary.addCandidate(r);
    dictionary.addCandidate(s);
    dictionary.search(i);
    if (!(dictionary.best.error < dictionary.errors[i])) continue;
    dictionary.adopt(i);
    const [first, second] = [dictionary.first[i], dictionary.second[i]];
    for (let e = rowStart[i + 1] - 1; e >= rowStart[i]; e--) {
      const j = neighbours[e];
      dictionary.clearCandidates();
      dictionary.addCandidate(first);
      dictionary.addCandidate(second);
      dictionary.addCandidatesOf(j);
      dictionary.search(j);
      stack.push([j, dictionary.best.first, dictionary.best.second]);
    }
  }
}

/** Algorithm 7, line 12: the atoms of a point are candidates for its neighbours. */
function updateAround(dictionary: Dictionary, adjacency: Adjacency, i: number): void {
  const { rowStart, neighbours } = adjacency;
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const j = neighbours[e];
    dictionary.clearCandidates();
    dictionary.addCandidatesOf(i);
    dictionary.addCandidatesOf(j);
    dictionary.search(j);
    if (dictionary.best.error < dictionary.errors[j] * (1 - 1e-12))
      updateFrom(dictionary, adjacency, j, [dictionary.best.first, dictionary.best.second]);
  }
}

/** Eq. 56 for every atom in order, then the c largest weights, normalized. */
function updatePrinted(dictionary: Dictionary, rows: WeightRows): void {
  const { boneCount: m } = dictionary.quadratics;
  const { start, points } = dictionary.listUsers();
  const sum = new Float64Array(m);
  const order = Array.from({ length: m }, (_, j) => j);
  for (let k = 0; k < dictionary.count; k++) {
    sum.fill(0);
    let phi = 0;
    for (let u = start[k]; u < start[k + 1]; u++) {
      const i = points[u];
      const [first, second, share] = [dictionary.first[i], dictionary.second[i], dictionary.share[i]];
      const a = first === k ? share : 1 - share;
      phi += a * a;
      for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) sum[rows.columns[e]] += a * rows.values[e];
      for (let j = 0; j < m; j++) sum[j] -= a * share * dictionary.atoms[first * m + j];
      if (second !== NONE) for (let j = 0; j < m; j++) sum[j] -= a * (1 - share) * dictionary.atoms[second * m + j];
    }
    if (!(phi > 0)) continue;
    for (let j = 0; j < m; j++) sum[j] = Math.max(0, dictionary.atoms[k * m + j] + sum[j] / phi);
    order.sort((x, y) => sum[y] - sum[x] || x - y);
    let total = 0;
    for (let n = 0; n < m; n++) {
      if (n >= dictionary.cardinality) sum[order[n]] = 0;
      total += sum[order[n]];
    }
    if (!(total > 0)) continue;
    for (let j = 0; j < m; j++) sum[j] /= total;
    dictionary.put(k, sum);
  }
}
