// SPDX-License-Identifier: MIT
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobRecord } from '../../batch-job.ts';
import { hashBytes } from '../../hash-file.ts';
import { isRecordValid } from '../is-record-valid.ts';
import { formatLedgerLine, openLedger, parseLedgerLine } from '../ledger.ts';
import { LedgerReader } from '../ledger-reader.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeRecord(id: string, more: Partial<JobRecord> = {}): JobRecord {
  const empty = { files: [], resources: [], result: {}, metrics: {}, seconds: 0 };
  return { id, status: 'done', command: 'mush', inputs: ['"ä\n".glb'], ...empty, ...more };
}

const at = (name: string) => join(folder, name);
const readAll = async () => {
  const reader = new LedgerReader(folder);
  await reader.read();
  return reader;
};
const ids = async () => (await readAll()).ids;

describe('a ledger', () => {
  it('returns what was appended, also after it was opened again', async () => {
    const first = await openLedger(folder);
    await Promise.all(['a', 'b', 'c'].map((id) => first.append(makeRecord(id))));
    await first.close();
    const second = await openLedger(folder);
    await second.append(makeRecord('d', { result: { bones: 3 } }));
    await second.close();
    const records = await readAll();
    expect(records.ids).toEqual(['a', 'b', 'c', 'd']);
    expect(records.recordsOf('d')).toEqual([makeRecord('d', { result: { bones: 3 } })]);
  });

  it('survives a writer that was killed at any byte of a line', async () => {
    const [whole, torn] = [formatLedgerLine(makeRecord('whole')), formatLedgerLine(makeRecord('torn'))].map((line) =>
      Buffer.from(line),
    );
    for (let length = 0; length <= torn.length; length++) {
      writeFileSync(at('ossify-ledger.jsonl'), Buffer.concat([whole, torn.subarray(0, length)]));
      const ledger = await openLedger(folder);
      await ledger.append(makeRecord('next'));
      await ledger.close();
      // a line without its line break is complete
      expect(await ids()).toEqual(length >= torn.length - 1 ? ['whole', 'torn', 'next'] : ['whole', 'next']);
    }
  });

  it('ignores lines whose bytes changed', () => {
    const line = formatLedgerLine(makeRecord('a')).trimEnd();
    expect(parseLedgerLine(line)?.id).toBe('a');
    for (const other of [line.replace('"a"', '"b"'), line.replace('check', 'chock'), `${line} `, '', '{}', 'null'])
      expect(parseLedgerLine(other)).toBeUndefined();
  });

  it('is the union of all writers of a folder; a finished record wins over a failed one', async () => {
    for (const [writer, status] of [
      ['', 'failed'],
      ['host/1', 'done'],
      ['host/2', 'failed'],
    ] as const) {
      const ledger = await openLedger(folder, writer);
      await ledger.append(makeRecord('a', { status }));
      await ledger.close();
    }
    appendFileSync(at('ossify-ledger-notes.txt'), formatLedgerLine(makeRecord('b')));
    expect((await readAll()).recordsOf('a')).toEqual([makeRecord('a')]);
    expect(await ids()).toEqual(['a']);
    expect(readFileSync(at('ossify-ledger-host_1.jsonl'), 'utf8')).toContain('"id":"a"');
  });
});

describe('a reader of ledgers', () => {
  it('reads only what was appended since its last look, also after a line that was not complete then', async () => {
    const reader = await readAll();
    expect(reader.ids).toEqual([]);
    const [a, b] = ['a', 'b'].map((id) => formatLedgerLine(makeRecord(id)));
    writeFileSync(at('ossify-ledger.jsonl'), a + b.slice(0, 40));
    await reader.read();
    expect(reader.ids).toEqual(['a']);
    // what was read is not read again: damage to it changes nothing
    writeFileSync(at('ossify-ledger.jsonl'), `${'x'.repeat(Buffer.byteLength(a) - 1)}\n${b}`);
    await reader.read();
    expect(reader.ids).toEqual(['a', 'b']);
    writeFileSync(at('ossify-ledger.jsonl'), formatLedgerLine(makeRecord('c')));
    await reader.read();
    expect(reader.ids).toEqual(['a', 'b', 'c']);
  });

  it('finds the record whose files are there, whatever the names of the ledgers are', async () => {
    writeFileSync(at('out.glb'), 'new');
    const record = (text: string) =>
      makeRecord('a', { files: [{ path: 'out.glb', bytes: text.length, sha256: hashBytes(text) }] });
    writeFileSync(at('ossify-ledger-host-10.jsonl'), formatLedgerLine(record('new')));
    writeFileSync(at('ossify-ledger-host-9.jsonl'), formatLedgerLine(record('old')));
    expect(await (await readAll()).findFinished('a')).toEqual(record('new'));
    writeFileSync(at('out.glb'), 'other');
    expect(await (await readAll()).findFinished('a')).toBeUndefined();
  });
});

describe('isRecordValid', () => {
  it('needs every file with its bytes, and unchanged files that the inputs refer to', async () => {
    writeFileSync(at('out.glb'), 'model');
    writeFileSync(at('mesh.bin'), 'buffer');
    const files = [{ path: 'out.glb', bytes: 5, sha256: hashBytes('model') }];
    const resources = [{ path: at('mesh.bin'), bytes: 6, sha256: hashBytes('buffer') }];
    const record = makeRecord('a', { files, resources });
    expect(await isRecordValid(record, folder)).toBe(true);
    expect(await isRecordValid(undefined, folder)).toBe(false);
    expect(await isRecordValid({ ...record, status: 'failed' }, folder)).toBe(false);
    writeFileSync(at('mesh.bin'), 'change');
    expect(await isRecordValid(record, folder)).toBe(false);
    writeFileSync(at('mesh.bin'), 'buffer');
    writeFileSync(at('out.glb'), 'modem');
    expect(await isRecordValid(record, folder)).toBe(false);
    rmSync(at('out.glb'));
    expect(await isRecordValid(record, folder)).toBe(false);
  });
});
