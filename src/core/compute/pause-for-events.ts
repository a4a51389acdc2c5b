// SPDX-License-Identifier: MIT

/** How long a caller may compute before signals, timers and messages are handled. */
const PAUSE_MS = 50;

/**
 * Makes a function that lets the event loop run if it has not done so through this function for some time. Awaiting a run that ended does not
 * do that: promises are settled before any event is handled, so a loop of runs alone would ignore Ctrl-C.
 */
export function makePauseForEvents(): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < PAUSE_MS) return undefined;
    return pauseForEvents().then(() => {
      last = performance.now();
    });
  };
}

export function pauseForEvents(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
