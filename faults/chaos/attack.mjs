// SPDX-License-Identifier: MIT
// Batches and workers are killed, suspended and started again until every batch has ended well; their Redis is restarted and emptied, and their disk is full for a while.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listChildren, signal, startProcess } from './processes.mjs';

const CLOCK = fileURLToPath(new URL('jump-clock.mjs', import.meta.url));

/** Seconds of a pause; one in ten is longer than the time after which others take over. */
const PAUSE = 2;
const LONG_PAUSE = 26;

/** Seconds for which a disk is full. */
const FULL = 2;

/** Milliseconds between two starts of a batch that ends with an error on a full disk. */
const RESTART = 500;

/**
 * @param setting dist, otherDist, mode, outs (an output folder per batch), list, workers, redis, disk (a folder to fill), faults, interval, kills, stalledAfter, random,
 *   countOutputs, note
 * @returns counts of all faults, and defects
 */
export async function attack(setting) {
  const { dist, mode, outs, list, workers, redis, faults, kills, random } = setting;
  const isQueue = mode === 'queue';
  const counts = { kills: 0, pauses: 0, longPauses: 0, flushes: 0, restarts: 0, fullDisks: 0, starts: 0 };
  const defects = [];
  const imports = () => (faults.includes('clock') && random() < 0.5 ? [CLOCK] : []);
  const queueWords = isQueue ? ['--queue', redis.url] : ['--jobs', String(workers)];
  const startBatch = (n) => {
    counts.starts++;
    return startProcess(dist, ['batch', list, '--out', outs[n], ...queueWords], imports());
  };
  const workerWords = ['worker', ...queueWords, '--jobs', '1', '--stalled-after', setting.stalledAfter];
  const startWorker = () => startProcess(dist, workerWords, imports());
  const batches = outs.map((_, n) => startBatch(n));
  const helpers = isQueue ? Array.from({ length: workers }, startWorker) : [];
  const other = isQueue && faults.includes('version') ? startProcess(setting.otherDist, workerWords) : undefined;
  const isDone = outs.map(() => false);
  const suspended = new Set();
  let seen = -1;
  const calm = performance.now() + 60_000 * setting.minutes;
  /** A batch that has ended well is done; any other end needs a reason. */
  const settle = async () => {
    for (const [n, one] of batches.entries()) {
      if (isDone[n] || !one.isEnded) continue;
      const status = await one.ended;
      if (status === 0) isDone[n] = true;
      else {
        const isExpected = status === null || faults.includes('full') || /took this output folder over/.test(one.err);
        if (!isExpected) defects.push(`a batch ended with ${status}: ${one.err}`);
        if (!isExpected) return true;
        await sleep(RESTART);
        batches[n] = startBatch(n);
      }
    }
    return isDone.every(Boolean);
  };
  const pick = (items) => items[Math.floor(random() * items.length)];
  const alive = () => [...batches.filter((one) => !one.isEnded), ...helpers];
  const acts = {
    async kill() {
      if (counts.kills >= kills) return;
      const victim = pick(alive());
      const children = listChildren(victim.pid);
      counts.kills++;
      if (children.length > 0 && random() < 0.3) {
        signal(pick(children), 'SIGKILL');
        return;
      }
      victim.kill();
      await victim.ended;
      const h = helpers.indexOf(victim);
      if (h >= 0) helpers[h] = startWorker();
      else {
        const n = batches.indexOf(victim);
        if (!isDone[n] && (await victim.ended) !== 0) batches[n] = startBatch(n);
      }
    },
    async stop() {
      const victim = pick(alive());
      if (suspended.size > 0) return;
      const isLong = random() < 0.1;
      counts[isLong ? 'longPauses' : 'pauses']++;
      suspended.add(victim.pid);
      signal(victim.pid, 'SIGSTOP');
      setTimeout(
        () => {
          signal(victim.pid, 'SIGCONT');
          suspended.delete(victim.pid);
        },
        1000 * (isLong ? LONG_PAUSE : PAUSE * random()),
      );
    },
    async flush() {
      if (!isQueue || random() > 0.3) return;
      counts.flushes++;
      await redis.flush();
    },
    async restart() {
      if (!isQueue || random() > 0.3) return;
      counts.restarts++;
      await redis.restart(pick(['SIGKILL', 'SIGTERM']));
    },
    async full() {
      if (random() > 0.3) return;
      counts.fullDisks++;
      const filler = join(setting.disk, 'filler');
      for (let size = 2 ** 26; size >= 2 ** 12; size /= 2) fill(filler, size);
      await sleep(1000 * FULL);
      rmSync(filler, { force: true });
    },
  };
  const names = Object.keys(acts).filter((name) => faults.includes(name));
  for (;;) {
    await sleep(setting.interval * (500 + 1000 * random()));
    if (await settle()) break;
    // on a busy machine a process needs longer to start than it lives: without a new output since the last fault, nothing happens
    const now = setting.countOutputs();
    if (now === seen || performance.now() > calm) continue;
    seen = now;
    await acts[pick(names)]();
    if (counts.kills > 0 && counts.kills % 25 === 0) setting.note(`${counts.kills} kills, ${now} outputs`);
  }
  for (const one of [...batches, ...helpers, ...(other ? [other] : [])]) {
    signal(one.pid, 'SIGCONT');
    one.kill();
    await one.ended;
  }
  if (other && /"status":"(start|done|kept|failed)"/.test(other.out))
    defects.push(`a worker of another version took a job: ${other.out.slice(-300)}`);
  if (other && !/leaves them/.test(other.err))
    defects.push('a worker of another version did not tell of the jobs that it left');
  return { counts, defects };
}

/** Appends a number of bytes, or as many as there is space for. */
function fill(path, size) {
  try {
    writeFileSync(path, new Uint8Array(size), { flag: 'a' });
  } catch {
    // less is tried next
  }
}
