// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatHolder, isOverlapping, isYielding, type LockHolder, lockName, scopeOf } from '../lock-file.ts';
import { type FolderLock, lockFolder } from '../lock-folder.ts';
import { hasEnded, machineId, startOf } from '../process-facts.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const times = { beat: 20, look: 15, looks: 8 };
const names = () => readdirSync(folder).sort();
const lock = (writer = '', onWait?: (holder: string) => void) => lockFolder(folder, writer, { times, onWait });

/** A file of a lock whose holder is another process. */
function writeHolder(generation: number, more: Partial<LockHolder> = {}, writer = ''): void {
  const holder = { token: 'x', host: 'farm-7', machine: 'another', pid: 7, start: '', isReleased: false, beat: 0 };
  writeFileSync(join(folder, lockName(writer, generation)), formatHolder({ ...holder, ...more }));
}

/** Whether a lock is still waited for after some looks. */
async function isWaiting(promise: Promise<FolderLock>, looks = 3 * times.looks): Promise<boolean> {
  return (await Promise.race([promise, sleep(looks * times.look)])) === undefined;
}

describe('the lock of an output folder', () => {
  it('is held by one at a time, and goes to the next when it is released', async () => {
    const first = await lock();
    const holders: string[] = [];
    const second = lock('', (holder) => holders.push(holder));
    expect(await isWaiting(second)).toBe(true);
    await first.check();
    expect(holders).toEqual([expect.stringMatching(`^process ${process.pid} of `)]);
    await first.release();
    const next = await second;
    await next.check();
    expect(names()).toEqual(['.ossify-lock.2']);
    await next.release();
  });

  it('is given to exactly one of many that want it at once', async () => {
    writeHolder(4, { isReleased: true });
    let holders = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const held = await lock();
        holders++;
        expect(holders).toBe(1);
        await sleep(5);
        await held.check();
        holders--;
        await held.release();
      }),
    );
    expect(names()).toEqual(['.ossify-lock.12']);
  });

  it('is taken over at once from a process of this machine that was killed, also if its number belongs to another process now', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const pid = Number(child.pid);
    writeHolder(1, { machine: machineId(), pid, start: startOf(pid) });
    const waiting = lock();
    expect(await isWaiting(waiting, 3)).toBe(true);
    child.kill('SIGKILL');
    await (await waiting).release();
    if (process.platform !== 'linux') return;
    writeHolder(9, { machine: machineId(), pid: process.pid, start: '1' });
    const start = vi.fn();
    await (await lock('', start)).release();
    expect(start).not.toHaveBeenCalled();
    expect(hasEnded(process.pid, startOf(process.pid))).toBe(false);
  });

  it('is taken over from another machine after its file was the same for a number of looks, and not while it changes', async () => {
    writeHolder(1);
    let beat = 0;
    const alive = setInterval(() => writeHolder(1, { beat: ++beat }), times.look);
    const waiting = lock();
    expect(await isWaiting(waiting)).toBe(true);
    clearInterval(alive);
    const held = await waiting;
    expect(names()).toEqual(['.ossify-lock.2']);
    await held.release();
  });

  it('does not heed clocks: a jump of a day in both directions takes nothing over', async () => {
    const first = await lock();
    const waiting = lock();
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const days of [1, -1, 400]) {
        vi.setSystemTime(Date.UTC(2026, 0, 1) + days * 86_400_000);
        expect(await isWaiting(waiting, times.looks)).toBe(true);
        await first.check();
      }
    } finally {
      vi.useRealTimers();
    }
    await first.release();
    await (await waiting).release();
  });

  it('is taken over from a file that its process could not complete', async () => {
    writeFileSync(join(folder, '.ossify-lock.3'), '{"token":"x","ho');
    await (await lock()).release();
    expect(names()).toEqual(['.ossify-lock.4']);
  });

  it('tells a holder that was suspended that another one has taken over, before it writes anything', async () => {
    const first = await lockFolder(folder, '', { times: { ...times, beat: 1e6 } });
    // its process is alive, and shows no sign of life
    const second = await lock();
    const lost = vi.fn();
    first.onLost = lost;
    await expect(first.check()).rejects.toThrow(
      'another batch took this output folder over, because this one showed no sign of life; finished jobs are kept',
    );
    expect(lost).toHaveBeenCalled();
    await second.check();
    // the end of the first must not release the lock of the second
    await first.release();
    const third = lock();
    expect(await isWaiting(third, 4)).toBe(true);
    unlinkSync(join(folder, '.ossify-lock.2'));
    await expect(second.check()).rejects.toThrow('the lock of this output folder was removed while the batch ran');
    await (await third).release();
  });

  it('is not released by a beat that ends after the release', async () => {
    for (let n = 0; n < 20; n++) {
      const held = await lockFolder(folder, '', { times: { ...times, beat: 1 } });
      await sleep(2);
      await held.release();
      await sleep(2);
      expect(JSON.parse(readFileSync(join(folder, names()[0]), 'utf8')).isReleased).toBe(true);
    }
  });

  it('ends a wait with the signal', async () => {
    const first = await lock();
    const stop = new AbortController();
    const waiting = lockFolder(folder, '', { times, signal: stop.signal });
    setTimeout(() => stop.abort(), 30);
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await first.release();
  });
});

describe('locks of parts of a batch', () => {
  it('exclude each other where they have common jobs', () => {
    const isApart = (a: string, b: string) => !isOverlapping(scopeOf(a), scopeOf(b));
    expect(isApart('part-1-of-4', 'part-2-of-4')).toBe(true);
    expect(isApart('part-1-of-4', 'part-1-of-4')).toBe(false);
    expect(isApart('part-1-of-4', 'part-2-of-3')).toBe(false);
    expect(isApart('', 'part-2-of-3')).toBe(false);
    expect(isApart('night', 'day')).toBe(true);
    const all = ['', 'part-1-of-4', 'part-1-of-3', 'night', 'part-2-of-3'];
    for (const a of all)
      for (const b of all)
        if (a !== b) expect(isYielding(scopeOf(a), scopeOf(b))).toBe(!isYielding(scopeOf(b), scopeOf(a)));
  });

  it('let parts run beside each other, and the whole batch alone', async () => {
    const parts = await Promise.all(['part-1-of-2', 'part-2-of-2'].map((writer) => lock(writer)));
    const whole = lock();
    expect(await isWaiting(whole, 5)).toBe(true);
    // a part that comes later gives way to the whole, which waits already
    const late = lock('part-1-of-3');
    await Promise.all(parts.map((part) => part.release()));
    const held = await whole;
    expect(await isWaiting(late, 5)).toBe(true);
    await held.release();
    await (await late).release();
  });
});
