// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeLink, readJob } from '../share.ts';

describe('a shared link', () => {
  const job = { command: 'decompose', options: { bones: 12, transforms: 'affine' } };

  it('names the file and the job, which is read back', () => {
    const link = new URL(makeLink('https://a.example/studio/?old=1#x', { model: 'https://b.example/fox.glb' }, job));
    expect(link.origin + link.pathname).toBe('https://a.example/studio/');
    expect(link.searchParams.get('model')).toBe('https://b.example/fox.glb');
    expect(link.searchParams.has('old')).toBe(false);
    expect(readJob(link.search)).toEqual(job);
  });

  it.each(['?job=x', '?job=1', '?job={"options":{}}', '?job={"command":"mush","options":3}'])(
    'refuses %s',
    (search) => {
      expect(() => readJob(search)).toThrow(/the job of this address/);
    },
  );

  it('may have no job', () => {
    expect(readJob('?model=a.glb')).toBeUndefined();
  });
});
