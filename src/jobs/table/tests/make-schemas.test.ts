// SPDX-License-Identifier: MIT
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { makeJobSchema, makeReportSchema } from '../make-schemas.ts';

type Schema = Record<string, unknown>;

/** Faults of a value, by the words of JSON schema that the schemas use. */
function listFaults(schema: Schema, value: unknown, path = ''): string[] {
  const faults: string[] = [];
  const typeOf = (one: unknown) => (one === null ? 'null' : Array.isArray(one) ? 'array' : typeof one);
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types && !types.includes(typeOf(value))) faults.push(`${path}: ${typeOf(value)} is not ${types}`);
  if (schema.enum && !(schema.enum as unknown[]).includes(value)) faults.push(`${path}: ${value} is not in the list`);
  if ('const' in schema && schema.const !== value) faults.push(`${path}: ${value} is not ${schema.const}`);
  if (typeOf(value) === 'array' && schema.items)
    (value as unknown[]).forEach((one, n) => {
      faults.push(...listFaults(schema.items as Schema, one, `${path}/${n}`));
    });
  if (typeOf(value) === 'object') {
    const record = value as Record<string, unknown>;
    for (const key of (schema.required as string[]) ?? []) if (!(key in record)) faults.push(`${path}: no ${key}`);
    const known = (schema.properties as Record<string, Schema>) ?? {};
    for (const [key, one] of Object.entries(record)) {
      if (one === undefined) continue;
      if (known[key]) faults.push(...listFaults(known[key], one, `${path}/${key}`));
      else if (schema.additionalProperties === false) faults.push(`${path}: unknown ${key}`);
      else if (schema.additionalProperties)
        faults.push(...listFaults(schema.additionalProperties as Schema, one, `${path}/${key}`));
    }
  }
  for (const one of (schema.allOf as Schema[]) ?? [])
    if (listFaults(one.if as Schema, value).length === 0) faults.push(...listFaults(one.then as Schema, value, path));
  return faults;
}

let folder = '';
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-schema-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the schema of reports', () => {
  it('accepts reports of commands, and refuses others', async () => {
    const schema = makeReportSchema();
    const small = ['--frames', '4', '--resolution', '200', '--threads', '1', '--json'];
    const reportOf = async (...words: string[]) => {
      const { out, err } = await captureCli([...words]);
      expect(out, err).not.toBe('');
      return JSON.parse(out);
    };
    const reports = [
      await reportOf('sample', 'bar-bend', at('bar.glb'), ...small),
      await reportOf('sample', 'sheet', at('sheet.abc'), ...small),
      await reportOf('info', at('bar.glb'), '--json'),
      await reportOf(
        'decompose',
        at('sheet.abc'),
        at('out.glb'),
        '--bones',
        '3',
        '--max-error',
        '50%',
        '--threads',
        '1',
        '--json',
      ),
      await reportOf('compare', at('sheet.abc'), at('out.glb'), '--json'),
      await reportOf('bake', at('bar.glb'), at('texture'), '--as', 'bone-texture', '--json'),
    ];
    for (const report of reports) expect(listFaults(schema, report), report.command).toEqual([]);
    expect(listFaults(schema, { ...reports[0], reportVersion: 2 })).toEqual(['/reportVersion: 2 is not 1']);
    expect(listFaults(schema, {})).not.toEqual([]);
  });
});

describe('the schema of jobs', () => {
  const schema = makeJobSchema();
  it.each([
    {
      command: 'decompose',
      inputs: ['a.abc'],
      output: 'a.glb',
      options: { bones: 20, maxError: '1mm', quantize: true },
    },
    { command: 'bake', inputs: ['a.glb'], output: 'a', options: { as: 'bone-texture' } },
    { command: 'info', inputs: ['rest.obj+motion.pc2'], priority: 2 },
  ])('accepts %j', (job) => {
    expect(listFaults(schema, job)).toEqual([]);
  });

  it.each([
    [{ command: 'decompose' }, ': no inputs'],
    [{ command: 'paint', inputs: [] }, '/command: paint is not in the list'],
    [{ command: 'info', inputs: [], options: { bones: 3 } }, '/options: unknown bones'],
    [{ command: 'decompose', inputs: ['a'], options: { quantize: 'yes' } }, '/options/quantize: string is not boolean'],
    [
      { command: 'decompose', inputs: ['a'], options: { method: 'guess' } },
      '/options/method: guess is not in the list',
    ],
  ])('refuses %j', (job, fault) => {
    expect(listFaults(schema, job)).toEqual([fault]);
  });
});
