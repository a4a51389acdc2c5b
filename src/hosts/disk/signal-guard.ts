// SPDX-License-Identifier: MIT
// Signals end the process at once, except while files are written: temporary files are removed first, and the signal is delayed while finished files
// are renamed.

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type SignalName = keyof typeof SIGNALS;

export interface SignalGuard {
  /** Delays signals until `end`. */
  hold(): void;
  /** Removes the guard, and ends the process if a signal was delayed. */
  end(): void;
}

/** Guards a write. Commands that handle interrupts themselves continue to do so: their result is being written. */
export function guardSignals(cleanUp: () => void): SignalGuard {
  let isHeld = false;
  let waiting: SignalName | undefined;
  const names = (Object.keys(SIGNALS) as SignalName[]).filter((name) => process.listenerCount(name) === 0);
  const leave = (name: SignalName) => {
    cleanUp();
    process.exit(128 + SIGNALS[name]);
  };
  const handlers = names.map((name) => {
    const handler = () => {
      if (isHeld) waiting ??= name;
      else leave(name);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    hold() {
      isHeld = true;
    },
    end() {
      for (const { name, handler } of handlers) process.off(name, handler);
      if (waiting) leave(waiting);
    },
  };
}
