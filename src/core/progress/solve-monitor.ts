// SPDX-License-Identifier: MIT
// Progress, abort signal and time limit of a long solve. It also yields to the event loop regularly, so that signals,
// input and drawing are handled during a solve.

/** Progress of a solve. */
export interface ProgressInfo {
  /** Name of the phase: 'cluster', 'alternate', 'relocate', 'finish' … */
  phase: string;
  /** Progress of the whole solve, 0 to 1. */
  fraction: number;
  /** The current E_RMS (docs/reference/metrics.md), if known. */
  eRms?: number;
}

/** Options of every long solve: progress, abort signal and time limit. */
export interface SolveMonitorOptions {
  /** Called regularly during the solve. */
  onProgress?: (info: ProgressInfo) => void;
  /** Stops the solve; the best result so far is returned. */
  signal?: AbortSignal;
  /** Time limit in seconds; the best result so far is returned. 0: no limit. */
  time?: number;
}

const YIELD_MS = 30;

/** Reports progress of a solve and tells it when to stop. */
export class SolveMonitor {
  readonly #options: SolveMonitorOptions;
  readonly #start = performance.now();
  #yielded = this.#start;
  #phase = '';
  #from = 0;
  #to = 0;

  constructor(options: SolveMonitorOptions) {
    this.#options = options;
  }

  /** Seconds since the start. */
  get seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Whether the signal or the time limit stops the solve. */
  get isStopped(): boolean {
    const { signal, time } = this.#options;
    return signal?.aborted === true || (time !== undefined && time > 0 && this.seconds >= time);
  }

  /** Starts a phase that covers the progress from `from` to `to`. */
  enter(phase: string, from: number, to: number): void {
    this.#phase = phase;
    this.#from = from;
    this.#to = to;
  }

  /** Reports progress, yields to the event loop if due, and returns whether to stop. */
  async tick(part: number, eRms?: number): Promise<boolean> {
    this.#options.onProgress?.({
      phase: this.#phase,
      fraction: this.#from + (this.#to - this.#from) * Math.min(1, part),
      eRms,
    });
    const now = performance.now();
    if (now - this.#yielded > YIELD_MS) {
      this.#yielded = now;
      await new Promise<void>((resolve) => {
        // setTimeout is clamped to milliseconds, which is little compared with YIELD_MS
        setTimeout(resolve, 0);
      });
    }
    return this.isStopped;
  }
}
