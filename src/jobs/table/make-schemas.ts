// SPDX-License-Identifier: MIT
// JSON schemas of job files and reports, for editors. Jobs are generated from the option schemas of the commands, so that they are always complete.

import type { Json, Option } from '../../core/options/option.ts';
import { REPORT_VERSION } from '../engine/index.ts';
import { JOBS } from './jobs.ts';

type Schema = { readonly [key: string]: Json | undefined };

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The schema of a job: a line of a job list, the body of a request to `ossify serve`. */
export function makeJobSchema(): Schema {
  return {
    $schema: DRAFT,
    title: 'Ossify job',
    type: 'object',
    required: ['command', 'inputs'],
    properties: {
      command: { enum: JOBS.map(({ name }) => name) },
      inputs: { type: 'array', items: { type: 'string' }, description: "files, rest.obj+motion.pc2 or 'frames/*.obj'" },
      output: { type: 'string', description: 'the file to write' },
      options: { type: 'object' },
      priority: { type: 'number', description: 'smaller numbers start first' },
    },
    additionalProperties: false,
    allOf: JOBS.map(({ name, options }) => ({
      if: { properties: { command: { const: name } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
      then: { properties: { options: { properties: describeOptions(options), additionalProperties: false } } },
    })),
  };
}

/** The schema of reports. docs/reference/report.md describes every field. */
export function makeReportSchema(): Schema {
  const counts = { type: 'array', items: NUMBER };
  const facts = (names: readonly string[], of: Schema): Schema =>
    Object.fromEntries(names.map((name) => [name, of])) as Schema;
  return {
    $schema: DRAFT,
    title: 'Ossify report',
    type: 'object',
    required: [
      ...['reportVersion', 'ossify', 'command', 'options', 'inputs', 'result'],
      ...['metrics', 'bytes', 'files', 'seconds', 'threads', 'seed'],
    ],
    properties: {
      reportVersion: { const: REPORT_VERSION },
      ossify: { type: 'string', description: 'version of the package' },
      command: { type: 'string' },
      options: { type: 'object', description: 'options of the command, including defaults' },
      inputs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'kind', 'bytes', 'vertices', 'triangles', 'bones'],
          properties: {
            name: { type: 'string' },
            kind: { enum: ['clip', 'sequence', 'skinned', 'morphing', 'static'] },
            ...facts(['bytes', 'vertices', 'triangles', 'bones', 'morphTargets', 'metresPerUnit'], NUMBER),
            animations: { type: 'array', items: { type: 'string' } },
            clips: { type: 'array', items: { type: 'object', required: ['name', 'frames'] } },
          },
        },
      },
      result: {
        type: 'object',
        properties: {
          ...facts(['bones', 'virtualBones', 'helpers', 'influences', 'blendsPerVertex', 'eta', 'iterations'], NUMBER),
          status: { enum: ['converged', 'max-iterations', 'stalled', 'stopped'] },
          gate: { type: 'object', required: ['maxError', 'max', 'isMet'] },
        },
      },
      metrics: {
        type: 'object',
        properties: {
          ...facts(['eRms', 'distortion', 'rmse', 'rmsePercent', 'max', 'maxPercent', 'p99'], NUMBER),
          ...facts(['normalDegrees', 'rmseOfHeight', 'maxOfHeight', 'rmseFit', 'ddmVsLbs', 'alpha'], NUMBER),
          perFrame: { type: 'object', properties: facts(['rms', 'median', 'q1', 'q3', 'max'], counts) },
        },
      },
      bytes: { type: 'object', properties: facts(['input', 'model', 'ddm', 'light', 'file'], NUMBER) },
      files: {
        type: 'array',
        items: { type: 'object', required: ['path', 'bytes'], properties: { path: { type: 'string' }, bytes: NUMBER } },
      },
      output: {
        type: 'object',
        description: 'counts of what was written',
        properties: facts(
          ['parts', 'vertices', 'triangles', 'joints', 'influences', 'morphTargets', 'animations'],
          NUMBER,
        ),
      },
      losses: {
        type: 'array',
        description: 'what the input holds and the output does not',
        items: {
          type: 'object',
          required: ['kind', 'what', 'reason'],
          properties: {
            ...facts(['kind', 'what', 'reason'], { type: 'string' }),
            names: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      seconds: { type: 'object', required: ['total'], additionalProperties: NUMBER },
      peakMemory: NUMBER,
      threads: NUMBER,
      seed: NUMBER,
    },
  };
}

/** A number that does not exist for a file (a ratio to zero) is null. */
const NUMBER = { type: ['number', 'null'] } as const;

function describeOptions(options: Readonly<Record<string, Option>>): Schema {
  return Object.fromEntries(Object.entries(options).map(([key, one]) => [key, describeOption(one)]));
}

/** Values of options in jobs: true or false for switches, words, or a number or text that the command parses. */
function describeOption({ type, help, default: value }: Option): Schema {
  const described = { description: help, ...(value === undefined ? {} : { default: value as Json }) };
  if (type.placeholder === '') return { ...described, type: 'boolean' };
  if (type.choices) return { ...described, enum: [...type.choices] };
  return { ...described, type: ['string', 'number', 'boolean', 'array'] };
}
