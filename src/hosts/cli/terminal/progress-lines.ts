// SPDX-License-Identifier: MIT
import { jsonLine } from '../../../jobs/engine/index.ts';
import type { ProgressBar } from './progress-bar.ts';

/** Minimum time between lines of one phase. */
const MILLISECONDS_BETWEEN = 100;

/** Progress as a line of JSON per update, for programs that run the command line: {"phase":"solve","ratio":0.4,"eRms":2.1}. */
export function makeProgressLines(write: (text: string) => void, now = (): number => Date.now()): ProgressBar {
  let lastTime = Number.NEGATIVE_INFINITY;
  let lastPhase = '';
  return {
    show({ phase, ratio, error, eRms }) {
      const time = now();
      if (time - lastTime < MILLISECONDS_BETWEEN && phase === lastPhase) return;
      lastTime = time;
      lastPhase = phase;
      write(jsonLine({ phase, ratio: Number.isFinite(ratio) ? ratio : 0, error, eRms }));
    },
    clear() {},
  };
}
