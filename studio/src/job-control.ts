// SPDX-License-Identifier: MIT
// The running job of the page, and its result.
import type { JobProgress, Json } from '../../src/index.ts';
import type { RunningJob } from './state.ts';
import type { Studio } from './studio.ts';
import type { VersionInfo } from './views.ts';

export class JobControl {
  readonly #studio: Studio;
  current: RunningJob | undefined;
  /** Curves of jobs by the version that they made. */
  readonly curves = new Map<number, RunningJob>();
  /** The last job that ended. */
  last: RunningJob | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async run(version: number, name: string, values: Record<string, Json>): Promise<VersionInfo | undefined> {
    const studio = this.#studio;
    if (this.current) return undefined;
    studio.tuning.end();
    const start = performance.now();
    const progress = { phase: 'start', fraction: 0 };
    const job = { name, version, progress, seconds: [], errors: [], isCancelled: false, start };
    this.current = job;
    studio.emit('job');
    try {
      const made = await studio.assets.call('run', { version, job: name, values });
      this.curves.set(made.id, job);
      this.#take(version, made);
      return made;
    } catch (error) {
      const isCancelled = (error as Error).name === 'AbortError';
      studio.complain(isCancelled ? 'The job was cancelled.' : (error as Error).message, isCancelled);
      return undefined;
    } finally {
      this.last = this.current;
      this.current = undefined;
      studio.emit('job');
    }
  }

  #take(input: number, made: VersionInfo): void {
    const studio = this.#studio;
    studio.history.mark(`Result: ${made.title}`);
    studio.versions.set(made.id, made);
    studio.unsaved.add(made.id);
    for (const note of made.notes) studio.complain(`${made.title}: ${note}`, true);
    studio.emit('versions');
    const source = studio.versions.get(input);
    if (source?.project !== made.project) {
      // a level of detail has other vertices: it is shown alone
      studio.show({ reference: made.id, result: -1 });
      return;
    }
    const isAlone = studio.state.view === 'result' || studio.state.view === 'reference';
    studio.show({ reference: input, result: made.id });
    const hasBones = studio.state.hasBones || made.job === 'skeleton';
    studio.set({ view: isAlone ? 'side' : studio.state.view, hasBones }, 'view');
  }

  async cancel(): Promise<void> {
    if (!this.current) return;
    this.current.isCancelled = true;
    this.#studio.emit('job');
    await this.#studio.assets.call('cancel', {});
  }

  receive(progress: JobProgress): void {
    const job = this.current;
    if (!job) return;
    const isFirst = job.progress.phase !== progress.phase;
    job.progress = progress;
    if (progress.eRms !== undefined && Number.isFinite(progress.eRms)) {
      job.seconds.push((performance.now() - job.start) / 1000);
      job.errors.push(progress.eRms);
    }
    if (isFirst || progress.fraction < 1) this.#studio.emit('job');
  }
}
