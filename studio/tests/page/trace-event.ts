// SPDX-License-Identifier: MIT

/** An event of the browser's trace, as far as tests read it. */
export interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds that the thread itself worked, without waiting for a core. */
  tdur?: number;
  args?: { name?: string };
}
