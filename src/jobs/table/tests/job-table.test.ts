// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { JOB_NAMES, loadJob } from '../job-table.ts';
import { JOBS } from '../jobs.ts';

describe('loadJob', () => {
  it('loads every command of the list', async () => {
    expect(JOB_NAMES).toEqual(JOBS.map(({ name }) => name));
    expect(await Promise.all(JOB_NAMES.map(loadJob))).toEqual(JOBS);
  });

  it('names the commands if there is no such one', async () => {
    await expect(loadJob('melt')).rejects.toThrow('there is no command "melt"; there are info, check, decompose,');
    await expect(loadJob('toString')).rejects.toThrow('there is no command "toString"');
  });
});
