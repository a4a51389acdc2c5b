// SPDX-License-Identifier: MIT
import { version } from '../disk/index.ts';
import { SERVED_COMMANDS } from './served-jobs.ts';

const json = (schema: object, description: string) => ({ description, content: { 'application/json': { schema } } });
const binary = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const fault = (description: string) => json({ $ref: '#/components/schemas/Error' }, description);
const job = { $ref: '#/components/schemas/Job' };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const notFound = { '401': fault('wrong token'), '404': fault('no such job') };

/** The OpenAPI description of `ossify serve`. Commands and options come from the descriptions of the jobs. */
export function makeOpenApi(): object {
  return {
    openapi: '3.1.0',
    info: { title: 'ossify serve', version, license: { name: 'MIT', identifier: 'MIT' } },
    security: [{ token: [] }],
    paths: {
      '/jobs': { post: describeCreation() },
      '/jobs/{id}': {
        parameters: [id],
        get: {
          operationId: 'getJob',
          summary: 'State of a job',
          responses: { '200': json(job, 'the job'), ...notFound },
        },
        delete: {
          ...{ operationId: 'removeJob', summary: 'Stop a job and remove its files' },
          responses: { '204': { description: 'removed' }, ...notFound },
        },
      },
      '/jobs/{id}/events': {
        parameters: [id],
        get: {
          ...{ operationId: 'followJob', summary: 'Server-sent events: the job after each change, until its end' },
          responses: {
            '200': { description: 'events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
            ...notFound,
          },
        },
      },
      '/jobs/{id}/result': {
        parameters: [id],
        get: {
          ...{ operationId: 'getResult', summary: 'The file that the job made' },
          responses: {
            '200': { description: 'the file', content: binary },
            '409': fault('the job is not done'),
            ...notFound,
          },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
        Job: describeJob(),
        ...Object.fromEntries(SERVED_COMMANDS.map(({ name, options }) => [`${name}Options`, describeOptions(options)])),
      },
    },
  };
}

function describeCreation(): object {
  const query = (name: string, schema: object, description: string, required = false) => ({
    ...{ name, in: 'query', required, description, schema },
  });
  const parameters = [
    query('command', { type: 'string', enum: SERVED_COMMANDS.map(({ name }) => name) }, 'the command to run', true),
    query('name', { type: 'string' }, 'name of the file; its extension tells the format', true),
    query('options', { type: 'string' }, 'options of the command as a JSON object, such as {"bones":20}'),
    query('format', { type: 'string' }, 'extension of the output, such as fbx'),
  ];
  return {
    ...{ operationId: 'createJob', summary: 'Send a file and run a job on it', parameters },
    requestBody: { required: true, content: binary },
    responses: {
      '202': json(job, 'the job waits'),
      '400': fault('wrong command, name or options'),
      '401': fault('wrong token'),
      '408': fault('the file did not arrive in time'),
      '413': fault('the file is too large'),
      '429': fault('too many jobs; try again later'),
      '507': fault('the storage of the server, or its disk, is full'),
    },
  };
}

function describeJob(): object {
  return {
    type: 'object',
    required: ['id', 'status', 'command', 'name'],
    properties: {
      id: { type: 'string' },
      status: { type: 'string', enum: ['receiving', 'queued', 'running', 'done', 'failed'] },
      command: { type: 'string' },
      name: { type: 'string' },
      progress: {
        type: 'object',
        properties: { phase: { type: 'string' }, fraction: { type: 'number', minimum: 0, maximum: 1 } },
      },
      error: { type: 'string' },
      result: { type: 'object', description: 'single values of the report: docs/reference/report.md' },
      metrics: { type: 'object', description: 'single values of the report: docs/reference/report.md' },
      gate: { type: 'object', description: 'whether --max-error was met' },
      seconds: { type: 'number' },
      bytes: { type: 'integer', description: 'size of the result' },
    },
  };
}

function describeOptions(options: (typeof SERVED_COMMANDS)[number]['options']): object {
  const properties = Object.entries(options)
    .filter(([, { type }]) => type.names === undefined || type.isWord !== undefined)
    .map(([key, { help, default: value, type }]) => [
      key,
      {
        description: help,
        ...(type.choices ? { enum: type.choices } : {}),
        ...(['string', 'number', 'boolean'].includes(typeof value) ? { default: value } : {}),
      },
    ]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
