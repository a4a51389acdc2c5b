// SPDX-License-Identifier: MIT
import { plainText } from '../model/plain-text.ts';
import { formatNumber } from '../recipe/format-number.ts';

/** What long work says about itself. */
export interface ProgressInfo {
  phase: string;
  /** 0 to 1 of the phase */
  ratio: number;
  /** The error reached so far, in file units, where there is one. */
  error?: number;
  /** The same as E_RMS (docs/metrics.md), where a solver says that. */
  eRms?: number;
}

export interface ProgressBar {
  show(info: ProgressInfo): void;
  /** Takes the bar off the screen; called before anything else is printed. */
  clear(): void;
}

export interface ProgressBarOptions {
  write(text: string): void;
  isOn: boolean;
  /** Width of the terminal in characters. */
  columns?: number;
  /** Milliseconds; a parameter so that tests need no clock. */
  now?(): number;
}

/** At most this often, or drawing would cost more than it tells. */
const MILLISECONDS_BETWEEN = 60;
const BAR_WIDTH = 24;

/** A line on the terminal that is drawn over and over, and leaves nothing behind. */
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
