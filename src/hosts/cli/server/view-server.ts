// SPDX-License-Identifier: MIT
// Serves the studio on this machine: its static files and the given inputs. Only requests from this machine are answered.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { isSameSecret } from './same-secret.ts';

/** A served file; it is read on request. */
export interface ServedFile {
  name: string;
  read(): Promise<Uint8Array>;
}

/** Files that belong together, and how to read them. */
export interface ServedInput {
  /** fps, unit, up, scale: as on the command line. */
  options: Record<string, unknown>;
  files: ServedFile[];
}

export interface ViewServer {
  url: string;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};

/** Isolation allows shared memory for threads. The policy restricts the page to this origin and forbids others to embed or read it. */
const HEADERS: Record<string, string> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; " +
    "img-src 'self' data: blob:; connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

const SESSION = '/session.json';
/** Files below are named by their contents. They are the same for all; a browser keeps them with what it compiled from them. */
const ASSETS = '/assets/';
const KEPT = 'private, max-age=86400, immutable';

/** Milliseconds after which connections are closed. */
export interface ViewTimeouts {
  /** Of a request whose headers or body do not arrive. */
  request: number;
  /** Of a connection on which nothing moves: a reader that stopped reading. */
  idle: number;
}

const TIMEOUTS: ViewTimeouts = { request: 10_000, idle: 60_000 };

/** Random bytes of the token in the address. */
const TOKEN_BYTES = 18;

/**
 * Serves a built studio and inputs on localhost, below a folder whose name is a random token: other processes of this machine do not know it.
 * Addresses in the page are relative, so that all its requests have it.
 * @param folder the built studio
 * @param port 0 for a free one
 */
export async function startViewServer(
  folder: string,
  inputs: readonly ServedInput[],
  port = 0,
  timeouts = TIMEOUTS,
): Promise<ViewServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const pages = await listPages(folder);
  const files = new Map<string, ServedFile>();
  const session = inputs.map(({ options, files: list }, n) => ({
    options,
    files: list.map((file, m) => {
      const path = `/files/${n}/${m}`;
      files.set(path, file);
      // relative, as every address of the page
      return { name: file.name, url: path.slice(1) };
    }),
  }));
  const limits = {
    headersTimeout: timeouts.request,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.request / 4,
  };
  const server = createServer(limits, (request, response) => {
    answer(server, token, request, response, async (path) => {
      if (path === SESSION) return { bytes: JSON.stringify({ inputs: session }), type: TYPES['.json'] };
      const file = files.get(path);
      if (file) return { bytes: await file.read(), type: 'application/octet-stream' };
      const page = pages.get(path);
      if (page === undefined) return undefined;
      const bytes = await readFile(page);
      const isKept = path.startsWith(ASSETS);
      if (path !== '/') return { bytes, type: TYPES[extname(page)] ?? 'application/octet-stream', isKept };
      return { bytes: nameSession(bytes.toString('utf8')), type: TYPES['.html'] };
    }).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'The file could not be read.');
      else response.destroy();
    });
  });
  server.setTimeout(timeouts.idle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

/** All files in a folder by their address. Only these are served. */
async function listPages(folder: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    pages.set(`/${relative(folder, file).split(sep).join('/')}`, file);
  }
  const index = pages.get('/index.html');
  if (index !== undefined) pages.set('/', index);
  return pages;
}

function nameSession(page: string): string {
  return page.replace('</head>', `<meta name="ossify-session" content="${SESSION.slice(1)}">\n</head>`);
}

interface Found {
  bytes: Uint8Array | string;
  type: string;
  isKept?: boolean;
}

async function answer(
  server: Server,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  look: (path: string) => Promise<Found | undefined>,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  // Another site may resolve its name to 127.0.0.1 (DNS rebinding); the Host header has that name then.
  if (!isOwnHost(request.headers.host, portOf(server)))
    return refuse(response, 403, 'This server answers localhost only.');
  const site = request.headers['sec-fetch-site'];
  const isNavigation = request.headers['sec-fetch-mode'] === 'navigate';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
    return refuse(response, 403, 'This server answers its own page only.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'Only GET is answered.');
  const path = pathBelow(token, (request.url ?? '/').replace(/[?#].*$/s, ''));
  if (path === undefined) return refuse(response, 403, 'Open the address that ossify view printed.');
  // Links from other sites may open the page; its files can be fetched only by the page itself.
  if (isNavigation && site === 'cross-site' && path !== '/') return refuse(response, 403, 'Open the studio itself.');
  const found = await look(path);
  if (!found) return refuse(response, 404, 'There is no such file.');
  const bytes = typeof found.bytes === 'string' ? Buffer.from(found.bytes) : found.bytes;
  if (found.isKept) response.setHeader('Cache-Control', KEPT);
  response.writeHead(200, { 'Content-Type': found.type, 'Content-Length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** The path below the folder of the token; undefined for any other. */
function pathBelow(token: string, path: string): string | undefined {
  return isSameSecret(path.slice(1, 1 + token.length), token) && path[1 + token.length] === '/'
    ? path.slice(1 + token.length)
    : undefined;
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${sentence}\n`);
}

/** Whether a Host header names this machine, at the port that is served. */
export function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}
