// SPDX-License-Identifier: MIT

/**
 * Runs one piece of work at a time; of those that come meanwhile only the newest waits, and the others are dropped. For sliders and drags, where
 * only the last value counts.
 */
export function makeLatest<T>(work: (value: T) => Promise<void>): (value: T) => void {
  let isBusy = false;
  let next: { value: T } | undefined;
  const run = async (value: T): Promise<void> => {
    isBusy = true;
    try {
      await work(value);
    } finally {
      isBusy = false;
      const waiting = next;
      next = undefined;
      if (waiting) void run(waiting.value);
    }
  };
  return (value) => {
    if (isBusy) next = { value };
    else void run(value);
  };
}
