// SPDX-License-Identifier: MIT
import type { JobProgress } from '../../../src/entry/index.ts';

/** Share of the bar of each part of a job, in order. Phases that are not named solve. */
const PARTS = { read: 0.01, bake: 0.03, solve: 0.66, write: 0.02, measure: 0.13, compare: 0.15 };
type Part = keyof typeof PARTS;

/** The progress of a whole job from that of its phases: it covers writing and measuring, and never moves back. */
export class JobBar {
  readonly #tell: (progress: JobProgress) => void;
  #fraction = 0;

  constructor(tell: (progress: JobProgress) => void) {
    this.#tell = tell;
  }

  tell({ phase, fraction, eRms }: JobProgress): void {
    this.#move(phase in PARTS ? (phase as Part) : 'solve', fraction, phase, eRms);
  }

  compare(fraction: number): void {
    this.#move('compare', fraction, 'compare with the input');
  }

  #move(part: Part, fraction: number, phase: string, eRms?: number): void {
    const parts = Object.keys(PARTS) as Part[];
    const before = parts.slice(0, parts.indexOf(part)).reduce((sum, one) => sum + PARTS[one], 0);
    const place = before + PARTS[part] * Math.min(1, Math.max(0, fraction || 0));
    this.#fraction = Math.max(this.#fraction, place);
    this.#tell({ phase, fraction: this.#fraction, eRms });
  }
}
