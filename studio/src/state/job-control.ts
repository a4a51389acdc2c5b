// SPDX-License-Identifier: MIT
// The running job of the page, and its result.
import type { JobProgress, Json } from '../../../src/entry/index.ts';
import type { VersionInfo } from '../messages/views.ts';
import type { RunningJob } from './state.ts';
import type { Studio } from './studio.ts';

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
      for (const one of made) this.curves.set(one.id, job);
      this.#take(version, made);
      return made[0];
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

  #take(input: number, made: VersionInfo[]): void {
    const studio = this.#studio;
    const [first] = made;
    studio.history.mark(`Result: ${first.title}`);
    for (const one of made) {
      studio.versions.set(one.id, one);
      studio.unsaved.add(one.id);
      for (const note of one.notes) studio.complain(`${one.title}: ${note}`, true);
    }
    studio.emit('versions');
    const { view, coloring } = studio.state;
    studio.show({ reference: input, result: first.id });
    const hasBones = studio.state.hasBones || first.job === 'skeleton';
    studio.set(
      {
        view: view === 'result' || view === 'reference' ? 'side' : view,
        hasBones,
        coloring: first.hasLight ? 'light' : coloring,
      },
      'view',
    );
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
