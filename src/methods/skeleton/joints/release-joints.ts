// SPDX-License-Identifier: MIT
// Joints that slide. Rigs of games translate hips, necks and backs, and their feet are targets beside the legs: bones that are neighbours share no point, and forcing them to bends all others. If connected joints leave a visible
// error that free bones do not, the skeleton is solved again from the free bones, and a joint whose bones have no common point is released: its bone keeps its parent, and gets translations of its own. All other joints stay exact.
//
// More joints are released than slide, since free bones are not exact. They are connected again, the one with the smallest gap first, while the error stays invisible or hardly rises above the lowest one so far.

import { listByCost, SkinFit } from '../../../fit/skin/index.ts';
import { contractBone } from '../prune/contract-bone.ts';
import { renumberBones } from '../prune/remove-bones.ts';
import { type TreeTrial, tryTree } from '../prune/tree-trial.ts';
import { jointTopology } from './joint-topology.ts';
import { type JointEdge, type JointTree, listJointEdges, makeJointTree } from './joint-tree.ts';
import { measureGap, pairGapInto } from './pair-joints.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from './solve-strict.ts';

/** Joints are released if the RMSE with connected joints exceeds this ratio of the size, and the squared error this multiple of that of free bones. Chosen by hand; it opens on Frog, Alpaca, Wolf and Velociraptor, and not on Fox, fox, bird, CesiumMan and Xbot. */
const MIN_ERROR = 4e-4;
const MIN_RATIO = 4;
/** Iterations with free bones before gaps are measured. */
const FREE_ITERATIONS = 40;
/** A joint is released if the root mean square gap of its bones exceeds this ratio of the size. */
export const MIN_GAP = 2e-3;
/** A bone beside a released joint is removed, and a joint is connected again, if the RMSE stays below this ratio of the size, or the squared error below this multiple of the lowest one so far. */
const INVISIBLE = 1.5e-4;
const MAX_RISE = 1.1;
/** Iterations of a trial, and at the end. */
const ITERATIONS = 5;

/**
 * Solves the skeleton of free bones with released joints; undefined if connected joints explain the motion about as well.
 * @param free bones without a tree; changed
 */
export async function releaseJoints(
  free: SkinFit,
  connected: StrictSolution,
  options: SolveStrictOptions,
): Promise<StrictSolution | undefined> {
  const { vertexCount, frameCount } = connected.fit.trajectories;
  const squareOf = (ratio: number): number => vertexCount * frameCount * (ratio * options.size) ** 2;
  await free.solveWeights('cold');
  if (connected.fit.error < squareOf(MIN_ERROR) || connected.fit.error < MIN_RATIO * free.error) return undefined;
  await free.alternate(FREE_ITERATIONS, () => options.monitor.tick(0.5, free.eRms));
  await free.measureMoments();
  const edges = markReleased(free, jointTopology(free, options.jointSolver).edges, options.size);
  if (!edges.some(({ isReleased }) => isReleased)) return undefined;
  const released = makeJointTree(free.boneCount, edges, 0);
  const solved = await solveStrict(free, { ...options, tree: released });
  const thinned = await removeReleased(solved, invisibleError(solved.fit, options.size), options);
  const tree = await reconnect(
    thinned.fit,
    thinned.tree,
    undefined,
    invisibleError(thinned.fit, options.size),
    options,
  );
  return thinned.fit.error < connected.fit.error ? { ...solved, fit: thinned.fit, tree } : undefined;
}

/** Removes bones beside released joints while the squared error stays below a limit: free bones are more than the motion needs, and joints of the spare ones are released. */
async function removeReleased(
  given: Pick<StrictSolution, 'fit' | 'tree'>,
  limit: number,
  options: SolveStrictOptions,
): Promise<Pick<StrictSolution, 'fit' | 'tree'>> {
  let { fit, tree } = given;
  let needed = new Set<number>();
  while (fit.boneCount > 2 && !options.monitor.isStopped) {
    const beside = new Set(listJointEdges(tree).flatMap(({ a, b, isReleased }) => (isReleased ? [a, b] : [])));
    const order = (await listByCost(fit)).filter((bone) => beside.has(bone) && !needed.has(bone));
    if (order.length === 0) break;
    const [bone] = order;
    const trial = await contractBone(fit, tree, limit, [bone], options);
    if (!trial) {
      needed.add(bone);
      continue;
    }
    const next = new SkinFit(fit.compute, fit.trajectories, trial.boneCount, fit.options);
    next.restore(trial.state);
    fit = next;
    tree = trial.tree;
    needed = renumberBones(needed, [bone]);
  }
  return { fit, tree };
}

/** The same skeleton with all joints connected, fitted again; joints stay near their places. */
export async function connectAll(given: StrictSolution, options: SolveStrictOptions): Promise<StrictSolution> {
  const { released: _released, ...tree } = given.tree;
  return solveStrict(given.fit, { ...options, tree, hold: true });
}

/** Edges between bones without a common point are marked as released. Products of the fit must be those of its bones. */
export function markReleased(fit: SkinFit, edges: readonly JointEdge[], size: number): JointEdge[] {
  return edges.map((edge) => ({ ...edge, isReleased: measureEdgeGap(fit, edge) > MIN_GAP * size }));
}

/** Root mean square distance of the two images of a joint. */
function measureEdgeGap({ products, boneCount, trajectories }: SkinFit, { a, b, joint }: JointEdge): number {
  const gap = new Float64Array(10);
  pairGapInto(products.pairs.view(), boneCount, a, b, gap);
  return Math.sqrt(Math.max(0, measureGap(gap, joint)) / trajectories.frameCount);
}

/**
 * Connects released joints again where the error allows it; the fit is changed.
 * @param partners boneCount: the image of each bone of a symmetric skeleton, in which a joint is connected with its image
 * @param invisible squared error that is not visible
 */
export async function reconnect(
  fit: SkinFit,
  given: JointTree,
  partners: Int32Array | undefined,
  invisible: number,
  options: SolveStrictOptions,
): Promise<JointTree> {
  let tree = given;
  const tried = new Set<string>();
  let lowest = fit.error;
  const keyOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;
  for (;;) {
    await fit.solveWeights('warm');
    const edges = listJointEdges(tree);
    const open = edges
      .map((edge, n) => ({ n, edge, gap: measureEdgeGap(fit, edge), key: keyOf(edge.a, edge.b) }))
      .filter(({ edge, key }) => edge.isReleased && !tried.has(key))
      .sort((p, q) => p.gap - q.gap || p.n - q.n);
    if (open.length === 0 || options.monitor.isStopped) return tree;
    const [{ edge, key }] = open;
    const image = partners ? keyOf(partners[edge.a], partners[edge.b]) : key;
    tried.add(key).add(image);
    const limit = Math.max(invisible, MAX_RISE * lowest);
    const next = makeJointTree(
      tree.boneCount,
      edges.map((one) => ([key, image].includes(keyOf(one.a, one.b)) ? { ...one, isReleased: false } : one)),
      tree.order[0],
    );
    const trial = await tryCopy(fit, next, limit, options);
    if (!(trial.error < limit)) continue;
    fit.restore(trial.state);
    tree = trial.tree;
    lowest = Math.min(lowest, fit.error);
  }
}

/** The squared error of a fit below which bones beside released joints are removed, and joints are connected again. */
export function invisibleError({ trajectories }: SkinFit, size: number): number {
  return trajectories.vertexCount * trajectories.frameCount * (INVISIBLE * size) ** 2;
}

function tryCopy(fit: SkinFit, tree: JointTree, limit: number, options: SolveStrictOptions): Promise<TreeTrial> {
  return fit.compute.scope((memory) => {
    const copy = new SkinFit(memory, fit.trajectories, fit.boneCount, fit.options);
    copy.restore(fit.save());
    return tryTree(memory, copy, tree, limit, ITERATIONS, options);
  });
}
