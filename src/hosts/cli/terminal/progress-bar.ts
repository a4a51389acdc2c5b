// SPDX-License-Identifier: MIT
import { plainText } from '../../../core/model/plain-text.ts';
import { formatNumber } from '../../../jobs/engine/index.ts';

/** Progress of a job. */
export interface ProgressInfo {
  phase: string;
  /** 0 to 1 of the phase */
  ratio: number;
  /** The error so far, file units, if it is known. */
  error?: number;
  /** The error so far as E_RMS (docs/reference/metrics.md), if the solver computes it. */
  eRms?: number;
}

export interface ProgressBar {
  show(info: ProgressInfo): void;
  /** Removes the bar from the screen; called before anything else is printed. */
  clear(): void;
}

export interface ProgressBarOptions {
  write(text: string): void;
  isOn: boolean;
  /** Width of the terminal in characters. */
  columns?: number;
  /** Milliseconds; tests pass their own clock. */
  now?(): number;
}

/** Minimum time between redraws, so that drawing costs little. */
const MILLISECONDS_BETWEEN = 60;
const BAR_WIDTH = 24;

/** A line on the terminal that is redrawn in place and removed at the end. */
export function makeProgressBar(options: ProgressBarOptions): ProgressBar {
  const { write, isOn, columns = 80, now = () => Date.now() } = options;
  let isShown = false;
  let lastTime = Number.NEGATIVE_INFINITY;
  let lastPhase = '';
  return {
    show(info) {
      if (!isOn) return;
      const time = now();
      if (time - lastTime < MILLISECONDS_BETWEEN && info.phase === lastPhase) return;
      lastTime = time;
      lastPhase = info.phase;
      write(`\r\u001b[2K${formatProgress(info).slice(0, Math.max(columns - 1, 0))}`);
      isShown = true;
    },
    clear() {
      if (!isShown) return;
      write('\r\u001b[2K');
      isShown = false;
    },
  };
}

function formatProgress({ phase, ratio, error, eRms }: ProgressInfo): string {
  const clamped = Math.min(Math.max(Number.isFinite(ratio) ? ratio : 0, 0), 1);
  const filled = Math.round(clamped * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
  const percent = String(Math.floor(clamped * 100)).padStart(3);
  const reached = eRms !== undefined ? `  E_RMS ${formatNumber(eRms)}` : '';
  return `[${bar}] ${percent}%  ${plainText(phase)}${error === undefined ? reached : `  error ${formatNumber(error)}`}`;
}
