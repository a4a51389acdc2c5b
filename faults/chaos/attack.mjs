// SPDX-License-Identifier: MIT
// Batches and workers are killed, suspended and started again until every batch has ended well; their Redis is restarted and emptied, and their disk is full for a while.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listChildren, signal, startProcess } from './processes.mjs';

const CLOCK = fileURLToPath(new URL('jump-clock.mjs', import.meta.url));

/** What a worker of another version tells. */
const TOLD = /leaves them/;

/** Milliseconds that it has to start. */
const OTHER_START = 60_000;

/** Seconds of a pause; one in ten is longer than the time after which others take over. */
const PAUSE = 2;
const LONG_PAUSE = 26;
const LONG_SHARE = 0.1;

/** Seconds for which a disk is full. */
const FULL = 2;

/** Milliseconds between two starts of a batch that ends with an error on a full disk. */
const RESTART = 500;

/** Share of faults that hit Redis or the disk, when they are drawn: processes must live long enough to do something. */
const RARE = 0.3;

/** Share of kills of a process that jobs run in, where the victim has some. */
const CHILD_SHARE = 0.3;

/**
 * @param setting dist, otherDist, mode, outs (an output folder per batch), list, workers, redis, disk (a folder to fill), faults, interval, kills, minutes, stalledAfter,
 *   random, countOutputs, note
 * @returns counts of all faults, and defects
 */
export async function attack(setting) {
  const { faults, random, interval } = setting;
  const party = new Party(setting);
  const acts = { kill: killOne, stop: suspendOne, flush: flushRedis, restart: restartRedis, full: fillDisk };
  const names = Object.keys(acts).filter((name) => faults.includes(name));
  const calm = performance.now() + 60_000 * setting.minutes;
  let seen = -1;
  for (;;) {
    await sleep(interval * (500 + 1000 * random()));
    if (await party.settle()) break;
    // on a busy machine a process needs longer to start than it lives: without a new output since the last fault, nothing happens
    const now = setting.countOutputs();
    if (now === seen || performance.now() > calm) continue;
    seen = now;
    await acts[names[Math.floor(random() * names.length)]](party);
    const { kills } = party.counts;
    if (kills > 0 && kills % 25 === 0) setting.note(`${kills} kills, ${now} outputs`);
  }
  await party.end();
  return { counts: party.counts, defects: party.defects };
}

/** All processes of an attack. */
class Party {
  counts = { kills: 0, pauses: 0, longPauses: 0, flushes: 0, restarts: 0, fullDisks: 0, starts: 0 };
  defects = [];
  /** Numbers of suspended processes. */
  suspended = new Set();

  constructor(setting) {
    this.setting = setting;
    const { mode, outs, workers, redis, faults, stalledAfter, otherDist } = setting;
    const isQueue = mode === 'queue';
    const words = isQueue ? ['--queue', redis.url] : ['--jobs', String(workers)];
    this.batchWords = words;
    this.workerWords = ['worker', ...words, '--jobs', '1', '--stalled-after', stalledAfter];
    this.batches = outs.map((_, n) => this.startBatch(n));
    this.isDone = outs.map(() => false);
    this.other = isQueue && faults.includes('version') ? startProcess(otherDist, this.workerWords) : undefined;
    // on a busy machine, the other version would start after the last job: its worker sees the queue first
    this.waits = this.other ? performance.now() + OTHER_START : 0;
    this.helpers = isQueue && !this.other ? Array.from({ length: workers }, () => this.startWorker()) : [];
  }

  /** Starts the workers of this version, once the other one has told of the jobs. */
  startWorkers() {
    if (this.waits === 0 || (!TOLD.test(this.other.err) && performance.now() < this.waits)) return;
    this.waits = 0;
    this.helpers = Array.from({ length: this.setting.workers }, () => this.startWorker());
  }

  startBatch(n) {
    const { dist, list, outs } = this.setting;
    this.counts.starts++;
    return startProcess(dist, ['batch', list, '--out', outs[n], ...this.batchWords], this.#imports());
  }

  startWorker() {
    return startProcess(this.setting.dist, this.workerWords, this.#imports());
  }

  pick(items) {
    return items[Math.floor(this.setting.random() * items.length)];
  }

  /** A process that can be hit. */
  get victim() {
    return this.pick([...this.batches.filter((one) => !one.isEnded), ...this.helpers]);
  }

  /** Whether all batches have ended well, or one has ended without a reason. Others are started again. */
  async settle() {
    this.startWorkers();
    const isFull = this.setting.faults.includes('full');
    for (const [n, one] of this.batches.entries()) {
      if (this.isDone[n] || !one.isEnded) continue;
      const status = await one.ended;
      if (status === 0) this.isDone[n] = true;
      else if (status === null || isFull || /took this output folder over/.test(one.err)) {
        await sleep(RESTART);
        this.batches[n] = this.startBatch(n);
      } else {
        this.defects.push(`a batch ended with ${status}: ${one.err}`);
        return true;
      }
    }
    return this.isDone.every(Boolean);
  }

  async end() {
    const { other } = this;
    for (const one of [...this.batches, ...this.helpers, ...(other ? [other] : [])]) {
      signal(one.pid, 'SIGCONT');
      one.kill();
      await one.ended;
    }
    if (!other) return;
    if (/"status":"(start|done|kept|failed)"/.test(other.out))
      this.defects.push(`a worker of another version took a job: ${other.out.slice(-300)}`);
    if (!TOLD.test(other.err)) this.defects.push('a worker of another version did not tell of the jobs it left');
  }

  #imports() {
    const { faults, random } = this.setting;
    return faults.includes('clock') && random() < 0.5 ? [CLOCK] : [];
  }
}

/** kill -9 of a batch, a worker, or a process that jobs run in. */
async function killOne(party) {
  const { kills, random } = party.setting;
  if (party.counts.kills >= kills) return;
  const { victim } = party;
  const children = listChildren(victim.pid);
  party.counts.kills++;
  if (children.length > 0 && random() < CHILD_SHARE) {
    signal(party.pick(children), 'SIGKILL');
    return;
  }
  victim.kill();
  const status = await victim.ended;
  const h = party.helpers.indexOf(victim);
  const n = party.batches.indexOf(victim);
  if (h >= 0) party.helpers[h] = party.startWorker();
  else if (!party.isDone[n] && status !== 0) party.batches[n] = party.startBatch(n);
}

async function suspendOne({ counts, suspended, victim, setting: { random } }) {
  if (suspended.size > 0) return;
  const isLong = random() < LONG_SHARE;
  counts[isLong ? 'longPauses' : 'pauses']++;
  suspended.add(victim.pid);
  signal(victim.pid, 'SIGSTOP');
  const resume = () => {
    signal(victim.pid, 'SIGCONT');
    suspended.delete(victim.pid);
  };
  setTimeout(resume, 1000 * (isLong ? LONG_PAUSE : PAUSE * random()));
}

async function flushRedis({ counts, setting: { redis, random } }) {
  if (!redis || random() > RARE) return;
  counts.flushes++;
  await redis.flush();
}

async function restartRedis(party) {
  const { redis, random } = party.setting;
  if (!redis || random() > RARE) return;
  party.counts.restarts++;
  await redis.restart(party.pick(['SIGKILL', 'SIGTERM']));
}

async function fillDisk({ counts, setting: { disk, random } }) {
  if (random() > RARE) return;
  counts.fullDisks++;
  const filler = join(disk, 'filler');
  for (let size = 2 ** 26; size >= 2 ** 12; size /= 2) {
    try {
      writeFileSync(filler, new Uint8Array(size), { flag: 'a' });
    } catch {
      // less is tried next
    }
  }
  await sleep(1000 * FULL);
  rmSync(filler, { force: true });
}
