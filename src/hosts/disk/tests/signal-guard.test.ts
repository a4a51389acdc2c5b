// SPDX-License-Identifier: MIT
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardSignals } from '../signal-guard.ts';

class Exit extends Error {}

afterEach(() => {
  vi.restoreAllMocks();
});

/** process.exit that throws its status instead. */
const catchExit = () =>
  vi.spyOn(process, 'exit').mockImplementation((status) => {
    throw new Exit(String(status));
  });

describe('guardSignals', () => {
  it('removes what is half written, then ends with the status of the signal', () => {
    catchExit();
    const cleanUp = vi.fn();
    const guard = guardSignals(cleanUp);
    expect(() => process.emit('SIGHUP')).toThrow(new Exit('129'));
    expect(cleanUp).toHaveBeenCalledOnce();
    guard.end();
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });

  it('lets finished files get their names before it ends', () => {
    catchExit();
    const guard = guardSignals(() => undefined);
    guard.hold();
    expect(() => process.emit('SIGHUP')).not.toThrow();
    expect(() => guard.end()).toThrow(new Exit('129'));
  });

  it('leaves a signal to the command that listens to it', () => {
    const heard = vi.fn();
    process.on('SIGHUP', heard);
    const guard = guardSignals(() => undefined);
    process.emit('SIGHUP');
    expect(heard).toHaveBeenCalledOnce();
    guard.end();
    process.off('SIGHUP', heard);
  });
});
