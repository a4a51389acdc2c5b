// SPDX-License-Identifier: MIT
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRecord } from '../batch-job.ts';
import { isRecordValid } from './is-record-valid.ts';
import { LEDGER_PATTERN, parseLedgerLine } from './ledger.ts';

/** Bytes that are read at once. */
const CHUNK = 2 ** 20;

const LINE_BREAK = 0x0a;

/** Reads all ledgers of a folder; each further look reads only what was appended since. */
export class LedgerReader {
  readonly #folder: string;
  /** Finished records by the id of their job. One id has several if files that its inputs refer to changed. */
  readonly #records = new Map<string, JobRecord[]>();
  /** Start of the first line of each file that was not complete. */
  readonly #offsets = new Map<string, number>();
  #tail: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads what is new. A folder that does not exist has no records. */
  read(): Promise<void> {
    // one look at a time: two would read the same lines
    this.#tail = this.#tail.catch(() => undefined).then(() => this.#readAll());
    return this.#tail;
  }

  /** Ids of the jobs with a finished record. */
  get ids(): string[] {
    return [...this.#records.keys()];
  }

  /** All finished records of a job, in the order in which they were found. */
  recordsOf(id: string): readonly JobRecord[] {
    return this.#records.get(id) ?? [];
  }

  /** The record of a job whose files are in the folder with the recorded bytes; undefined if the job has to run. */
  async findFinished(id: string): Promise<JobRecord | undefined> {
    for (const record of [...this.recordsOf(id)].reverse())
      if (await isRecordValid(record, this.#folder)) return record;
    return undefined;
  }

  async #readAll(): Promise<void> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => LEDGER_PATTERN.test(name)).sort();
    for (const name of names) await this.#readFile(name);
  }

  async #readFile(name: string): Promise<void> {
    const handle = await open(join(this.#folder, name), 'r').catch(() => undefined);
    if (!handle) return;
    try {
      const { size } = await handle.stat();
      let offset = this.#offsets.get(name) ?? 0;
      // another file of the same name
      if (size < offset) offset = 0;
      let rest = Buffer.alloc(0);
      for (let position = offset; position < size; ) {
        const chunk = Buffer.alloc(Math.min(CHUNK, size - position));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
        const end = rest.lastIndexOf(LINE_BREAK) + 1;
        this.#add(rest.subarray(0, end));
        rest = rest.subarray(end);
        offset = position - rest.length;
      }
      // a line without its line break may be complete; it is read again by the next look
      this.#add(rest);
      this.#offsets.set(name, offset);
    } finally {
      await handle.close();
    }
  }

  #add(lines: Buffer): void {
    for (const line of lines.toString('utf8').split(/\r?\n/)) {
      const record = parseLedgerLine(line);
      if (record?.status !== 'done') continue;
      const known = this.#records.get(record.id) ?? [];
      const key = keyOf(record);
      this.#records.set(record.id, [...known.filter((one) => keyOf(one) !== key), record]);
    }
  }
}

/** Two records of one job with the same files and resources tell the same. */
function keyOf({ files, resources }: JobRecord): string {
  return JSON.stringify([files, resources]);
}
