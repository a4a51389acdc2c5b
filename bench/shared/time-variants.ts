// SPDX-License-Identifier: MIT

/** How long one way of doing a job took, over several runs. */
export interface Timing {
  /** Milliseconds per run: the smallest, and the mean with its standard deviation. */
  least: number;
  mean: number;
  deviation: number;
  runs: number;
}

/** One of several ways to do the same job. */
export interface Variant {
  /** Puts back what a run changes; not measured. */
  prepare?(): void;
  run(): void | Promise<void>;
}

export interface TimeVariantsOptions {
  /** Milliseconds for all runs of all variants together. */
  budget?: number;
  /** Bounds of the number of runs of each. */
  leastRuns?: number;
  mostRuns?: number;
}

export const TIME_VARIANTS_DEFAULTS: Required<TimeVariantsOptions> = { budget: 1000, leastRuns: 3, mostRuns: 200 };

/** Share of the budget that goes into runs before those that count: code is compiled and threads wake in them. */
const WARM_UP = 0.2;

/**
 * Times variants of one job in turns, so that whatever else the machine does hits all of them alike; every other round
 * goes backwards, so that none always runs in the wake of the same other. The number of rounds is as many as the budget buys.
 */
export async function timeVariants<Name extends string>(
  variants: Record<Name, Variant>,
  options: TimeVariantsOptions = {},
): Promise<Record<Name, Timing>> {
  const { budget, leastRuns, mostRuns } = { ...TIME_VARIANTS_DEFAULTS, ...options };
  const names = Object.keys(variants) as Name[];
  let round = Number.POSITIVE_INFINITY;
  const warm = performance.now() + WARM_UP * budget;
  do {
    const start = performance.now();
    for (const name of names) await timeOnce(variants[name]);
    round = Math.min(round, performance.now() - start);
  } while (performance.now() < warm);
  const affordable = Math.floor(((1 - WARM_UP) * budget) / Math.max(round, 1e-3));
  const runs = Math.min(mostRuns, Math.max(leastRuns, affordable));
  const samples = Object.fromEntries(names.map((name) => [name, new Float64Array(runs)])) as Record<Name, Float64Array>;
  for (let n = 0; n < runs; n++) {
    const order = n % 2 === 0 ? names : [...names].reverse();
    for (const name of order) samples[name][n] = await timeOnce(variants[name]);
  }
  const timings = names.map((name) => [name, summarize(samples[name])]);
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

async function timeOnce(variant: Variant): Promise<number> {
  variant.prepare?.();
  const start = performance.now();
  await variant.run();
  return performance.now() - start;
}

function summarize(samples: Float64Array): Timing {
  const runs = samples.length;
  const mean = samples.reduce((sum, value) => sum + value, 0) / runs;
  const squares = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = runs > 1 ? Math.sqrt(squares / (runs - 1)) : 0;
  return { least: samples.reduce((a, b) => Math.min(a, b)), mean, deviation, runs };
}
