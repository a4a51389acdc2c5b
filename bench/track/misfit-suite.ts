// SPDX-License-Identifier: MIT
// The misfits suite: how often track refuses frames of another object, and how often its notes about frames are right. docs/benchmarks/track.md has the table.
import { join } from 'node:path';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import type { Compute } from '../../src/core/kernels/compute.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { isOtherObject, listMisfitWarnings, prepareFrames } from '../../src/jobs/track/index.ts';
import { measureMisfits, trackFrames } from '../../src/methods/track/index.ts';
import type { BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { listMisfitCases, type MisfitCase } from './misfit-cases.ts';

/** A vertex is off if it is farther than this from its true place, relative to the box diagonal; a frame is lost if more than this part of its vertices are off. */
const OFF = 0.05;
const LOST = 0.03;
/** Coverage below which frames were named before. */
const LOW_COVERAGE = 0.92;

/** Figures of a group of cases: numbers of frames. */
interface Tally {
  [name: string]: number;
}

export const misfitSuite: BenchSuite = {
  name: 'misfits',
  description:
    'frames of tracked sequences by group: refused ones that are of another object and ones that are not; frames with 3 % of the vertices farther than 5 % of the box diagonal from their true place, and how many of them, and of the others, a note names; the same by a coverage below 92 %',
  async run({ only, quick, threads, signal, onProgress }) {
    const data = findDataFolder(process.env);
    const listed = await listMisfitCases(data && join(data, '..'));
    const wanted = listed.filter(
      ({ group, name }) => only.length === 0 || only.some((part) => group.includes(part) || name.includes(part)),
    );
    const compute = await makeCompute({ threads });
    const groups = new Map<string, { tally: Tally; ms: number }>();
    try {
      for (const [n, one] of (quick ? wanted.slice(-2) : wanted).entries()) {
        signal.throwIfAborted();
        onProgress({ phase: one.name, fraction: n / wanted.length });
        const group = groups.get(one.group) ?? { tally: {}, ms: 0 };
        groups.set(one.group, group);
        group.ms += await addCase(compute, one, group.tally);
      }
    } finally {
      compute.dispose();
    }
    return [...groups].map(
      ([group, { tally, ms }]): BenchRow => ({
        case: group,
        timings: { track: { least: ms, mean: ms, deviation: 0, runs: 1 } },
        figures: tally,
      }),
    );
  },
};

/** Tracks a case as the command does, and counts its frames. Returns the milliseconds of tracking. */
async function addCase(compute: Compute, { make }: MisfitCase, tally: Tally): Promise<number> {
  const { one, template: given, others = [] } = await make();
  const start = performance.now();
  const { frames, template: prepared } = prepareFrames(one.frames, given);
  const { mesh, positions, coverage, template } = await trackFrames(compute, frames, { template: prepared });
  const misfits = await measureMisfits(compute, mesh, positions, frames);
  const ms = performance.now() - start;
  const count = (name: string, isCounted = true) => {
    tally[name] = (tally[name] ?? 0) + (isCounted ? 1 : 0);
  };
  const { diagonal } = measureBounds(mesh.positions);
  for (const [k, misfit] of misfits.entries()) {
    if (k === template) continue;
    count('frames');
    count('others', others.includes(k));
    count('refused', others.includes(k) && isOtherObject(misfit));
    count('refusedWrongly', !others.includes(k) && isOtherObject(misfit));
    if (!one.truth || template === undefined) continue;
    const place = one.truth(template, k);
    const isKnown = one.isKnown?.(template);
    let [off, all] = [0, 0];
    for (let i = 0; i < place.length; i += 3) {
      // vertices of specks that were dropped are no points of the body
      const isMoved = [0, 1, 2].some(
        (a) => frames[template].positions[i + a] !== one.frames[template].positions[i + a],
      );
      if (isKnown?.[i / 3] === 0 || isMoved) continue;
      const at = k * place.length + i;
      all++;
      if (Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - place[i + a])) > OFF * diagonal) off++;
    }
    const isLost = off > LOST * all;
    // frames that show little are named for that
    const isNoted = listMisfitWarnings([{ ...misfit, missing: 0 }], [''], undefined).length > 0;
    count('lost', isLost);
    count('noteRight', isLost && isNoted);
    count('noteWrong', !isLost && isNoted);
    count('lowCoverageRight', isLost && coverage[k] < LOW_COVERAGE);
    count('lowCoverageWrong', !isLost && coverage[k] < LOW_COVERAGE);
  }
  return ms;
}
