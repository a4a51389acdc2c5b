// SPDX-License-Identifier: MIT
// Signals end the process at once, as the shell's user expects, except here: while files are being written, what is half
// written is removed first, and while finished files get their names, the signal waits for the last of them.

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type SignalName = keyof typeof SIGNALS;

export interface SignalGuard {
  /** Until `end`, signals wait. */
  hold(): void;
  /** Takes the guard away, and ends the process if a signal waited. */
  end(): void;
}

/** Guards a write. A command that listens to interrupts itself keeps doing so: its result is what is being written. */
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
