// SPDX-License-Identifier: MIT
// The ledger of an output folder: one JSON record per line, only ever appended, each line with a checksum. A process that is killed
// while it appends leaves a torn last line; it has no valid checksum and is ignored. Each writer has a file of its own, because several machines cannot append
// to one file on a network drive; readers read all of them (ledger-reader.ts).
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../../core/model/errors.ts';
import { describeWriteError } from '../../disk/index.ts';
import type { JobRecord } from '../batch-job.ts';
import { hashBytes } from '../hash-file.ts';

/** Names of ledgers. */
export const LEDGER_PATTERN = /^ossify-ledger(-[\w.-]+)?\.jsonl$/;
const CHECK_DIGITS = 16;
const PREFIX = '{"check":"';
const MIDDLE = '","record":';

/** Appends records. */
export interface Ledger {
  /** Resolves when the record is handed to the system: it survives the end of this process at any moment. */
  append(record: JobRecord): Promise<void>;
  close(): Promise<void>;
}

/** A record as a line with its checksum. */
export function formatLedgerLine(record: JobRecord): string {
  const text = JSON.stringify(record);
  return `${PREFIX}${hashBytes(text).slice(0, CHECK_DIGITS)}${MIDDLE}${text}}\n`;
}

/** The record of a line; undefined if the line is torn or was changed. */
export function parseLedgerLine(line: string): JobRecord | undefined {
  const start = PREFIX.length + CHECK_DIGITS;
  if (!line.startsWith(PREFIX) || !line.startsWith(MIDDLE, start) || !line.endsWith('}')) return undefined;
  const text = line.slice(start + MIDDLE.length, -1);
  if (hashBytes(text).slice(0, CHECK_DIGITS) !== line.slice(PREFIX.length, start)) return undefined;
  return JSON.parse(text) as JobRecord;
}

/**
 * Opens the ledger of a writer in a folder, and makes it if there is none.
 * @param writer part of the name of the file: empty for a batch on one machine
 */
export async function openLedger(folder: string, writer = ''): Promise<Ledger> {
  const path = join(folder, `ossify-ledger${writer === '' ? '' : `-${writer.replace(/[^\w.-]/g, '_')}`}.jsonl`);
  let handle: FileHandle;
  try {
    handle = await open(path, 'a+');
  } catch (error) {
    throw describeWriteError(path, error);
  }
  // a torn line must not swallow the next one
  const { size } = await handle.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  let start = size > 0 && last[0] !== 0x0a ? '\n' : '';
  let tail = Promise.resolve();
  return {
    append(record) {
      const line = formatLedgerLine(record);
      tail = tail
        .catch(() => undefined)
        .then(async () => {
          try {
            const { bytesWritten } = await handle.write(start + line);
            start = bytesWritten < Buffer.byteLength(start + line) ? '\n' : '';
            if (start !== '') throw new InputError(path, 'cannot be written: the disk is full');
          } catch (error) {
            throw describeWriteError(path, error);
          }
        });
      return tail;
    },
    async close() {
      await tail.catch(() => undefined);
      await handle.close();
    },
  };
}
