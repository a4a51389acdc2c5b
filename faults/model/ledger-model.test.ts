// SPDX-License-Identifier: MIT
// Every interleaving of two batches and two workers over three jobs: no job is lost, none is recorded twice, and no record is without bytes.
import { describe, expect, it } from 'vitest';
import type { Mutation } from './folder-lock.ts';
import { makePoolModel } from './pool-model.ts';
import { makeQueueModel } from './queue-model.ts';
import { type SearchResult, searchStates } from './search-states.ts';

const MAX_STATES = 400_000;

const searchPool = (jobs: number, faults: { crashes: number; pauses: number }, mutation?: Mutation) =>
  searchStates(makePoolModel({ jobs, ...faults, mutation }), MAX_STATES);
const searchQueue = (jobs: number, folders: 1 | 2, faults: number, mutation?: Mutation) =>
  searchStates(makeQueueModel({ jobs, folders, faults, mutation }), MAX_STATES);

/** The violation with its trace, for a message that can be read. */
const shown = ({ violation }: SearchResult) => violation && [violation.fault, ...violation.trace].join('\n  ');

describe('two batches on one folder, each with two processes, and three jobs', { timeout: 120_000 }, () => {
  it.each([
    [0, 0],
    [2, 0],
    [1, 1],
    [2, 1],
  ])('lose nothing and record nothing twice with %i kills and %i batches that are suspended', (crashes, pauses) => {
    const result = searchPool(3, { crashes, pauses });
    expect(shown(result)).toBeUndefined();
    expect(result.states).toBeGreaterThan(crashes + pauses === 0 ? 50 : 800);
  });

  it.each([
    ['no folder lock', 'a job is recorded twice'],
    ['no check before files get their names', 'a job is recorded twice'],
    ['no second look into the ledger', 'a job is recorded twice'],
    ['record before bytes', 'a record has no bytes'],
    // the limit of what is promised (SECURITY.md)
    ['long pauses while files are written', 'a job is recorded twice'],
  ] as const)('are found out if there is a defect: %s', (mutation, fault) => {
    expect(searchPool(2, { crashes: 1, pauses: 1 }, mutation).violation?.fault).toBe(fault);
  });
});

describe('two batches and two workers on one queue', { timeout: 120_000 }, () => {
  it('lose nothing and record nothing twice: three jobs, and one fault at any moment', () => {
    const result = searchQueue(3, 1, 1);
    expect(shown(result)).toBeUndefined();
    expect(result.states).toBeGreaterThan(90_000);
  });

  it('lose nothing with two faults', () => {
    expect(shown(searchQueue(1, 1, 2))).toBeUndefined();
  });

  it('do each job for each of two output folders', () => {
    expect(shown(searchQueue(2, 2, 0))).toBeUndefined();
    expect(shown(searchQueue(1, 2, 1))).toBeUndefined();
  });

  it.each([
    // without the renewed lock of the task nothing goes wrong here: the second look finds the record. The lock is what makes long pauses rare.
    ['no look into the ledger', 'a job is recorded twice', 1],
    ['no second look into the ledger', 'a job is recorded twice', 1],
    ['record before bytes', 'a record has no bytes', 1],
    ['one task for all folders', 'a batch ends without one of its outputs', 2],
    ['long pauses while files are written', 'a job is recorded twice', 1],
  ] as const)('are found out if there is a defect: %s', (mutation, fault, folders) => {
    const { violation } = searchQueue(folders === 1 ? 2 : 1, folders, 1, mutation);
    expect(violation?.fault).toBe(fault);
  });
});

describe('the search', () => {
  it('finds a state from which the jobs are never finished', () => {
    // a process that may take a wrong turn and stay there
    const result = searchStates(
      {
        start: 'start',
        next: (state) =>
          state === 'start'
            ? [
                { name: 'go', to: 'end' },
                { name: 'turn', to: 'trap' },
              ]
            : [],
        keyOf: (state) => state,
        faultIn: () => undefined,
        isDone: (state) => state === 'end',
      },
      10,
    );
    expect(result.violation).toEqual({ fault: 'the jobs are never finished from here', trace: ['turn'] });
  });
});
