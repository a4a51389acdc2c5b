// SPDX-License-Identifier: MIT
// The fewest helpers that meet a maximum error. Every number above one that failed continues from its helpers (fit/search/search-count.ts).

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { HelperBones } from '../../core/model/deformed/helper-bones.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { searchCount } from '../../fit/search/index.ts';
import type { FittedSet } from './fit-set.ts';
import type { ConvertRigResult } from './helper-input.ts';

/** A maximum error that determines the number of helpers. */
export interface HelperGoal {
  /** Maximum error, file units. */
  maxError: number;
  /** Measures the maximum error of a model. */
  measure(model: HelperBones): Promise<number>;
}

const MAX_HELPERS = 32;
/** The first number above zero, and the power of the number by which errors fall. Chosen by hand. */
const FIRST_HELPERS = 1;
const POWER = 0.5;
/** Progress at which the fits begin: sampling comes before. */
const SAMPLED = 0.4;
/** Ratio of the remaining progress for each number, since the number of trials is not known. */
const PROGRESS_PART = 0.3;

/** Fits a number of helpers; undefined is the default. from is a fit of fewer. */
type FitCount = (helpers: number | undefined, monitor: SolveMonitor, from?: FittedSet) => Promise<FittedSet>;

/** Fits a number of helpers, or the fewest that meet a goal. */
export async function fitHelpers(
  solve: FitCount,
  { helpers, goal, monitor }: { helpers?: number; goal?: HelperGoal; monitor: SolveMonitor },
): Promise<Omit<FittedSet, 'search'> & Pick<ConvertRigResult, 'tried'>> {
  const { search: _search, ...fitted } = goal
    ? await fitGoal(solve, goal, monitor)
    : { ...(await solve(helpers, monitor)), tried: [] };
  return fitted;
}

/** Finds the fewest helpers. If no number meets the error, the model with the smallest error is returned. */
async function fitGoal(
  solve: FitCount,
  goal: HelperGoal,
  monitor: SolveMonitor,
): Promise<Pick<ConvertRigResult, 'status' | 'tried'> & FittedSet> {
  let done = SAMPLED;
  const attempt = async (helpers: number, phase: string, from?: FittedSet) => {
    const part = PROGRESS_PART * (1 - done);
    const result = await solve(helpers, new TrialMonitor(monitor, phase, done, part), from);
    done += part;
    return { result, max: await goal.measure(result.model), isStopped: monitor.isStopped };
  };
  const none = await attempt(0, 'trying 0 helpers');
  if (none.max <= goal.maxError || none.isStopped) return { ...none.result, tried: [{ helpers: 0, max: none.max }] };
  const { best, status, tried } = await searchCount<FittedSet>({
    ...{ maxError: goal.maxError, range: [1, MAX_HELPERS], first: FIRST_HELPERS, power: POWER, close: 1 },
    ...{ noun: 'helper', diagonal: measureBounds(none.result.model.mesh.positions).diagonal },
    solve: (helpers, from, phase) => attempt(helpers, phase, from?.result),
  });
  const isClosest = best.max <= none.max;
  return {
    ...(isClosest ? best.result : none.result),
    tried: [{ helpers: 0, max: none.max }, ...tried.map(({ count, max }) => ({ helpers: count, max }))],
    status,
  };
}

/** Reports the progress of one trial as a part of the whole. */
class TrialMonitor extends SolveMonitor {
  readonly #whole: SolveMonitor;
  readonly #phase: string;
  readonly #start: number;
  readonly #part: number;

  constructor(whole: SolveMonitor, phase: string, start: number, part: number) {
    super({});
    this.#whole = whole;
    this.#phase = phase;
    this.#start = start;
    this.#part = part;
  }

  override get isStopped(): boolean {
    return this.#whole.isStopped;
  }

  override enter(_phase: string, from: number, to: number): void {
    const at = (fraction: number) => this.#start + (this.#part * Math.max(0, fraction - SAMPLED)) / (1 - SAMPLED);
    this.#whole.enter(this.#phase, at(from), at(to));
  }

  override tick(part: number, eRms?: number): Promise<boolean> {
    return this.#whole.tick(part, eRms);
  }
}
