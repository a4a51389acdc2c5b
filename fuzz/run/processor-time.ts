// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';

/** Milliseconds of the processor that a process has used, where the system states them; else those of the clock, which run on a busy machine too. */
export function processorTime(pid: number | undefined): number {
  try {
    // after the name, which is in brackets: state, then eleven numbers, then ticks as user and as system, 100 a second
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return performance.now();
  }
}
