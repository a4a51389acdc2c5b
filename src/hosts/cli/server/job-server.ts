// SPDX-License-Identifier: MIT
// Jobs over HTTP. Requests need a token; their size, number and time are limited.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SubjectError } from '../../../core/model/errors.ts';
import type { Json } from '../../../core/options/option.ts';
import { formatBytes, jsonLine } from '../../../jobs/engine/index.ts';
import { type JobRequest, makeOpenApi, type ServedJob, type ServedJobs, StorageFault } from '../../serve/index.ts';
import { isSameSecret } from './same-secret.ts';
import { isOwnHost } from './view-server.ts';

export interface JobServerOptions {
  jobs: ServedJobs;
  token: string;
  host: string;
  /** 0 for a free one. */
  port: number;
  /** Bytes of a file. */
  maxSize: number;
  timeouts?: JobServerTimeouts;
}

/** Milliseconds after which connections are closed. */
export interface JobServerTimeouts {
  /** Of a request whose headers do not arrive. */
  headers: number;
  /** Of a request whose body does not arrive, however slowly it moves. */
  request: number;
  /** Of a connection on which nothing moves. */
  idle: number;
}

const TIMEOUTS: JobServerTimeouts = { headers: 10_000, request: 600_000, idle: 30_000 };

/** Milliseconds in which the rest of a refused body may arrive. */
const LINGER = 1000;

/** Connections at once. Further ones are closed. */
const MAX_CONNECTIONS = 2000;

const HEADERS: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** An answer that is no success. */
class HttpFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Starts the server of `ossify serve`. */
export async function startJobServer(options: JobServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { headers, request: requestTimeout, idle } = options.timeouts ?? TIMEOUTS;
  const limits = {
    headersTimeout: headers,
    requestTimeout,
    connectionsCheckingInterval: Math.min(headers, requestTimeout) / 4,
  };
  const server = createServer(limits, (request, response) => {
    answer(server, options, request, response).catch((error: unknown) => refuse(request, response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(idle);
  // the default of 5 s meets the next request of a client on a busy machine
  server.keepAliveTimeout = idle;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${portOf(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const portOf = (server: Server) => (server.address() as AddressInfo | null)?.port ?? 0;

async function answer(
  server: Server,
  options: JobServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // Another site may resolve its name to 127.0.0.1 (DNS rebinding); the Host header has that name then.
  const isLocal = options.host === '127.0.0.1' || options.host === 'localhost';
  if (isLocal && !isOwnHost(request.headers.host, portOf(server)))
    throw new HttpFault(403, 'this server answers localhost only');
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/openapi.json' && request.method === 'GET') return sendJson(response, 200, makeOpenApi());
  const [, given = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!isSameSecret(given, options.token)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    throw new HttpFault(401, 'the token is wrong; send it as Authorization: Bearer TOKEN');
  }
  if (url.pathname === '/jobs') {
    if (request.method !== 'POST') throw new HttpFault(405, 'use POST');
    return receive(options, url.searchParams, request, response);
  }
  const [, id, part] = /^\/jobs\/([0-9a-f]{32})(?:\/(events|result))?$/.exec(url.pathname) ?? [];
  const job = id === undefined ? undefined : options.jobs.get(id);
  if (!job) throw new HttpFault(404, 'there is no such job');
  if (request.method === 'DELETE' && part === undefined) {
    await options.jobs.remove(job);
    response.writeHead(204).end();
    return;
  }
  if (request.method !== 'GET') throw new HttpFault(405, part === undefined ? 'use GET or DELETE' : 'use GET');
  if (part === 'events') return follow(options, job, response);
  if (part === 'result') return sendResult(job, response);
  sendJson(response, 200, describe(job));
}

/** Receives a file and starts its job. */
async function receive(
  { jobs, maxSize }: JobServerOptions,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (jobs.isFull) {
    response.setHeader('Retry-After', '10');
    throw new HttpFault(429, 'too many jobs; try again later');
  }
  const tooLarge = new HttpFault(413, `the file is larger than ${formatBytes(maxSize)}`);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxSize) throw tooLarge;
  const job = await jobs.open(parseQuery(query));
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _, next) {
      bytes += chunk.length;
      try {
        if (bytes > maxSize) throw tooLarge;
        jobs.reserve(job, bytes);
        next(null, chunk);
      } catch (error) {
        next(error as Error);
      }
    },
  });
  try {
    jobs.reserve(job, announced);
    await pipeline(request, count, createWriteStream(job.input, { flags: 'wx' }));
    if (bytes === 0) throw new HttpFault(400, 'the body is empty; send the file as the body');
  } catch (error) {
    await jobs.remove(job);
    throw error;
  }
  // the answer does not wait for the job
  jobs.run(job).catch(() => undefined);
  response.setHeader('Location', `/jobs/${job.id}`);
  sendJson(response, 202, describe(job));
}

function parseQuery(query: URLSearchParams): JobRequest {
  const command = query.get('command');
  const name = query.get('name');
  if (command === null || name === null) throw new HttpFault(400, 'give command and name in the query');
  let options: unknown;
  try {
    options = JSON.parse(query.get('options') ?? '{}');
  } catch {
    options = undefined;
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new HttpFault(400, 'options must be a JSON object, such as {"bones":20}');
  return { command, name, options: options as Record<string, Json>, extension: query.get('format') ?? undefined };
}

/** Sends the job after each change, until its end. */
function follow({ timeouts = TIMEOUTS }: JobServerOptions, job: ServedJob, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const beat = setInterval(() => response.write(': waiting\n\n'), timeouts.idle / 3);
  const end = () => {
    clearInterval(beat);
    job.off('changed', send);
    response.end();
  };
  const send = () => {
    response.write(`data: ${jsonLine(describe(job))}\n`);
    if (job.endedAt !== undefined) end();
  };
  job.on('changed', send);
  response.on('close', end);
  send();
}

async function sendResult(job: ServedJob, response: ServerResponse): Promise<void> {
  if (job.status !== 'done') throw new HttpFault(409, job.error ?? 'the job is not done');
  if (job.output === undefined) return sendJson(response, 200, describe(job));
  const { size } = await stat(job.output);
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
  await pipeline(createReadStream(job.output), response);
}

/** A job as clients see it: without paths of this machine. */
function describe(job: ServedJob): Record<string, unknown> {
  const { id, status, request, progress, error, record, output } = job;
  const { metrics, gate, seconds, files } = record ?? {};
  const result =
    record &&
    Object.fromEntries(
      Object.entries(record.result).map(([key, one]) => [key, typeof one === 'string' ? job.hidePaths(one) : one]),
    );
  const bytes = output === undefined ? undefined : files?.reduce((sum, file) => sum + file.bytes, 0);
  return {
    id,
    status,
    command: request.command,
    name: request.name,
    progress,
    error,
    result,
    metrics,
    gate,
    seconds,
    bytes,
  };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(jsonLine(value));
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const isBad = error instanceof SubjectError;
  const isFull = error instanceof StorageFault || isDiskFull(error);
  const status = error instanceof HttpFault ? error.status : isBad ? 400 : isFull ? 507 : 500;
  const text =
    error instanceof HttpFault || error instanceof StorageFault || isBad
      ? error.message
      : isFull
        ? 'the disk of the server is full; try again later'
        : 'the request could not be answered';
  // A client that still sends does not read: the rest of a small body is dropped, so that it sees the answer; a large one is cut off.
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, LINGER).unref();
  sendJson(response, status, { error: text });
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));
}
