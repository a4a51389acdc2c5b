// SPDX-License-Identifier: MIT
import { plainText } from '../../../core/model/plain-text.ts';
import type { BatchEvent } from '../../batch/index.ts';
import type { BatchContext } from './batch.ts';

/** Shows on a terminal how many jobs are done, running and failed, and the time left; prints a line for each failed job. */
export class BatchProgress {
  readonly #context: Pick<BatchContext, 'progress' | 'io' | 'print'>;
  readonly #total: number;
  readonly #start = performance.now();
  #ended = 0;
  #kept = 0;
  #running = 0;
  #failed = 0;

  constructor(context: Pick<BatchContext, 'progress' | 'io' | 'print'>, total: number) {
    this.#context = context;
    this.#total = total;
  }

  update(event: BatchEvent): void {
    const { progress, io, print } = this.#context;
    if (event.kind === 'start') this.#running++;
    else {
      const { status, error, output, inputs } = event.row;
      this.#ended++;
      if (status === 'kept') this.#kept++;
      else if (this.#running > 0) this.#running--;
      if (status === 'failed') {
        this.#failed++;
        progress.clear();
        const name = output ?? inputs.join(' ');
        // with JSON lines on the terminal the line of the job has the error
        if (print.json !== true && io.stderr.isTerminal) io.stderr.write(`ossify: ${plainText(`${name}: ${error}`)}\n`);
      }
    }
    const counts = `${this.#ended} of ${this.#total} done, ${this.#running} running, ${this.#failed} failed`;
    progress.show({ phase: counts + this.#timeLeft(), ratio: this.#ended / this.#total });
  }

  #timeLeft(): string {
    const done = this.#ended - this.#kept;
    if (done === 0) return '';
    const seconds = ((performance.now() - this.#start) / 1000 / done) * (this.#total - this.#ended);
    if (seconds < 100) return `, ${Math.ceil(seconds)} s left`;
    return seconds < 6000 ? `, ${Math.ceil(seconds / 60)} min left` : `, ${(seconds / 3600).toFixed(1)} h left`;
  }
}
