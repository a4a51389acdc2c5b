// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { History } from '../history.ts';

const rest = () => new Promise((resolve) => setTimeout(resolve, 2));

function makeCounter() {
  let value = 0;
  const history = new History<number>(
    () => value,
    (snapshot) => {
      value = snapshot;
    },
    () => {},
  );
  return {
    history,
    get: () => value,
    async set(next: number, title: string) {
      history.mark(title);
      value = next;
      await rest();
    },
  };
}

describe('undo', () => {
  it('goes back and forth step by step, and forgets what was undone after a change', async () => {
    const counter = makeCounter();
    await counter.set(1, 'one');
    await counter.set(2, 'two');
    expect(counter.history.titles).toEqual({ undo: 'two', redo: undefined });
    counter.history.undo();
    expect(counter.get()).toBe(1);
    counter.history.undo();
    expect(counter.get()).toBe(0);
    counter.history.undo();
    counter.history.redo();
    expect(counter.get()).toBe(1);
    await counter.set(5, 'five');
    expect(counter.history.titles.redo).toBeUndefined();
    counter.history.undo();
    expect(counter.get()).toBe(1);
  });

  it('takes the changes of a dragged slider, and of one task, as one step', async () => {
    const counter = makeCounter();
    for (const value of [3, 4, 5]) await counter.set(value, 'gain');
    counter.history.undo();
    expect(counter.get()).toBe(0);
    counter.history.mark('open');
    counter.history.mark('show');
    await rest();
    expect(counter.history.titles.undo).toBe('open');
    counter.history.undo();
    expect(counter.history.titles.undo).toBeUndefined();
  });
});
