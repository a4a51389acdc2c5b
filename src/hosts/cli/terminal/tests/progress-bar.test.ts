// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeProgressBar } from '../progress-bar.ts';
import { makeProgressLines } from '../progress-lines.ts';

describe('makeProgressBar', () => {
  it('draws over itself, no faster than the eye, and leaves nothing behind', () => {
    let screen = '';
    let time = 0;
    const bar = makeProgressBar({ write: (text) => (screen += text), isOn: true, now: () => time });
    bar.show({ phase: 'solve', ratio: 0.5, error: 0.0123 });
    expect(screen).toContain('50%  solve  error 0.0123');
    const before = screen;
    bar.show({ phase: 'solve', ratio: 0.51 });
    expect(screen).toBe(before);
    time += 100;
    bar.show({ phase: 'solve', ratio: 2 });
    expect(screen).toContain('100%');
    bar.clear();
    expect(screen.endsWith('\r\u001b[2K')).toBe(true);
    const cleared = screen;
    bar.clear();
    expect(screen).toBe(cleared);
  });

  it('writes nothing when off, and never more than the width of the terminal', () => {
    let screen = '';
    const write = (text: string) => (screen += text);
    makeProgressBar({ write, isOn: false }).show({ phase: 'solve', ratio: 0 });
    expect(screen).toBe('');
    makeProgressBar({ write, isOn: true, columns: 20 }).show({ phase: 'a long phase', ratio: Number.NaN });
    expect(screen.length).toBeLessThanOrEqual(19 + '\r\u001b[2K'.length);
  });
});

describe('makeProgressLines', () => {
  it('writes a line of JSON for every phase, and no more than ten a second', () => {
    const lines: string[] = [];
    let time = 0;
    const progress = makeProgressLines(
      (text) => lines.push(text),
      () => time,
    );
    progress.show({ phase: 'read', ratio: Number.NaN });
    progress.show({ phase: 'solve', ratio: 0.25, eRms: 2.5 });
    progress.show({ phase: 'solve', ratio: 0.3, eRms: 2.4 });
    time += 100;
    progress.show({ phase: 'solve', ratio: 0.5, eRms: 2 });
    progress.clear();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { phase: 'read', ratio: 0 },
      { phase: 'solve', ratio: 0.25, eRms: 2.5 },
      { phase: 'solve', ratio: 0.5, eRms: 2 },
    ]);
  });
});
