// SPDX-License-Identifier: MIT
// What a long solve tells and heeds: progress, an abort signal, a limit of time. It also gives the host a turn now and then, so that signals,
// keys and drawing get through while a solve runs.

export interface ProgressInfo {
  /** What is going on: 'cluster', 'alternate', 'relocate', 'finish' … */
  phase: string;
  /** Part of the whole that is done, 0 to 1. */
  fraction: number;
  /** E_RMS as it stands, where there is one. */
  eRms?: number;
}

export interface SolveMonitorOptions {
  onProgress?: (info: ProgressInfo) => void;
  /** Stops the solve; the best so far is returned. */
  signal?: AbortSignal;
  /** Seconds after which the solve stops with the best so far; 0: no limit. */
  time?: number;
}

const BREATH_MS = 30;

export class SolveMonitor {
  readonly #options: SolveMonitorOptions;
  readonly #start = performance.now();
  #breathed = this.#start;
  #phase = '';
  #from = 0;
  #to = 0;

  constructor(options: SolveMonitorOptions) {
    this.#options = options;
  }

  get seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  get isStopped(): boolean {
    const { signal, time } = this.#options;
    return signal?.aborted === true || (time !== undefined && time > 0 && this.seconds >= time);
  }

  /** Enters a phase that spans from and to of the whole. */
  enter(phase: string, from: number, to: number): void {
    this.#phase = phase;
    this.#from = from;
    this.#to = to;
  }

  /** Reports, lets the host breathe, and says whether to stop. */
  async tick(part: number, eRms?: number): Promise<boolean> {
    this.#options.onProgress?.({
      phase: this.#phase,
      fraction: this.#from + (this.#to - this.#from) * Math.min(1, part),
      eRms,
    });
    const now = performance.now();
    if (now - this.#breathed > BREATH_MS) {
      this.#breathed = now;
      await new Promise<void>((resolve) => {
        // setTimeout is clamped to milliseconds, which is little beside a breath
        setTimeout(resolve, 0);
      });
    }
    return this.isStopped;
  }
}
