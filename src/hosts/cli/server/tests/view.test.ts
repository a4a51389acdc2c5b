// SPDX-License-Identifier: MIT
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../capture-cli.ts';
import { listViewInput } from '../view-inputs.ts';
import { isOwnHost, startViewServer, type ViewServer } from '../view-server.ts';

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

describe('view', () => {
  let folder = '';
  let server: ViewServer;
  const at = (...parts: string[]) => join(folder, ...parts);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ossify-view-'));
    mkdirSync(at('page/assets'), { recursive: true });
    mkdirSync(at('model/textures'), { recursive: true });
    writeFileSync(at('page/index.html'), '<!doctype html><head><title>t</title></head><body>the page</body>');
    writeFileSync(at('page/assets/a.js'), 'export {};');
    writeFileSync(at('secret.txt'), 'secret');
    writeFileSync(at('model/walk.obj'), 'v 0 0 0\n');
    writeFileSync(at('model/walk.pc2'), 'cache');
    writeFileSync(at('model/data.bin'), 'data');
    writeFileSync(at('model/textures/skin one.png'), 'png');
    const uris = ['data.bin', '../secret.txt', 'data:text/plain,x'];
    const json = { buffers: uris.map((uri) => ({ uri })), images: [{ uri: 'textures/skin%20one.png' }, {}] };
    writeFileSync(at('model/rig.gltf'), JSON.stringify(json));
    const options = { seed: 0, fps: 30 };
    const inputs = [`${at('model/walk.obj')}+${at('model/walk.pc2')}`, at('model/rig.gltf')];
    server = await startViewServer(at('page'), await Promise.all(inputs.map((one) => listViewInput(one, options))));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A request as it is on the wire: paths are not tidied. */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    askBare(new URL(server.url).pathname.slice(0, -1) + path, headers, method);

  /** The same without the token. */
  const askBare = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(server.url);
      const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let body = '';
        response.on('data', (part) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      });
      sent.on('error', reject);
      sent.end();
    });

  it('serves the page with isolation headers, and tells it where the session is', async () => {
    const { status, headers, body } = await ask('/?sample=sheet');
    expect(status).toBe(200);
    expect(body).toContain('<meta name="ossify-session" content="session.json">');
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await ask('/assets/a.js')).headers['content-type']).toContain('text/javascript');
    // what is named by its contents may be kept; the page and the files of its user are not
    expect((await ask('/assets/a.js')).headers['cache-control']).toContain('immutable');
    for (const path of ['/', '/session.json', '/files/0/0', '/assets/b.js'])
      expect((await ask(path)).headers['cache-control'], path).toBe('no-store');
    expect(await ask('/assets/a.js', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });

  it('serves the files it was given, and what a .gltf names inside its folder', async () => {
    const session = JSON.parse((await ask('/session.json')).body) as {
      inputs: { options: object; files: { name: string; url: string }[] }[];
    };
    const names = session.inputs.map(({ files }) => files.map(({ name }) => name));
    expect(names).toEqual([
      ['walk.obj', 'walk.pc2'],
      ['rig.gltf', 'data.bin', '../secret.txt', 'textures/skin one.png'],
    ]);
    expect(session.inputs[0].options).toEqual({ fps: 30 });
    const read = async (n: number, m: number) => ask(`/${session.inputs[n].files[m].url}`);
    expect(await read(0, 1)).toMatchObject({ status: 200, body: 'cache' });
    expect(await read(1, 1)).toMatchObject({ status: 200, body: 'data' });
    expect(await read(1, 3)).toMatchObject({ status: 200, body: 'png' });
    expect((await read(1, 2)).status).toBe(500);
    expect((await read(1, 2)).body).not.toContain('secret');
  });

  it.each([
    '/secret.txt',
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/files/0/7',
    '//etc/passwd',
    '/files',
    '/assets',
  ])('has no %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('refuses other hosts, other sites and other methods', async () => {
    const { port } = new URL(server.url);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1',
      `localhost.:${port}`,
    ])
      expect((await ask('/session.json', { Host: host })).status, host).toBe(403);
    expect((await ask('/session.json', { Host: `localhost:${port}` })).status).toBe(200);
    expect((await ask('/files/0/0', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })).status).toBe(403);
    expect((await ask('/files/0/0', { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' })).status).toBe(403);
    expect((await ask('/files/0/0', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })).status).toBe(
      403,
    );
    expect((await ask('/', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })).status).toBe(200);
    expect((await ask('/files/0/0', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await ask('/', {}, method)).status).toBe(405);
    expect(isOwnHost(undefined, 80)).toBe(false);
  });

  it('answers nobody who does not know the address', async () => {
    const { pathname } = new URL(server.url);
    expect(pathname).toMatch(/^\/[\w-]{24}\/$/);
    const other = await startViewServer(at('page'), []);
    expect(new URL(other.url).pathname).not.toBe(pathname);
    const paths = [
      '/',
      '/session.json',
      '/files/0/0',
      '/assets/a.js',
      pathname.slice(0, -1),
      new URL(other.url).pathname,
    ];
    await other.close();
    for (const path of [...paths, `${pathname.slice(0, -2)}/`, `/x${pathname.slice(2)}session.json`, '//'])
      expect(await askBare(path), path).toMatchObject({ status: 403, body: expect.not.stringContaining('walk') });
    expect((await askBare(`${pathname}session.json`)).status).toBe(200);
  });

  it('closes connections on which nothing arrives', async () => {
    const slow = await startViewServer(at('page'), [], 0, { request: 200, idle: 400 });
    const port = Number(new URL(slow.url).port);
    const closes = (text: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text)).resume();
        socket.on('error', () => resolve(true)).on('close', () => resolve(true));
        setTimeout(() => resolve(false), 5000).unref();
      });
    const stalled = ['', 'GET / HTTP/1.1\r\nHost: 127', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1'];
    expect(await Promise.all(stalled.map(closes))).toEqual([true, true, true]);
    await slow.close();
  });

  it('runs until it is interrupted, and says where', async () => {
    const control = new AbortController();
    const environment = { OSSIFY_STUDIO: at('page') };
    const words = ['view', at('model/walk.obj'), '--no-open', '--json'];
    const onOutput = (): void => control.abort();
    const { status, out, err } = await captureCli(words, { signal: control.signal, environment, onOutput });
    expect(status).toBe(130);
    expect(err).not.toContain('browser');
    const told = JSON.parse(out) as { url: string; files: string[][] };
    expect(told.files).toEqual([['walk.obj']]);
    await expect(fetch(told.url)).rejects.toThrow();
  });

  it('says in a sentence what it cannot do', async () => {
    const environment = { OSSIFY_STUDIO: at('page') };
    const fault = async (words: string[], where = environment) =>
      captureCli(['view', ...words], { environment: where });
    expect(await fault([at('nothing.glb')])).toMatchObject({ status: 1, err: expect.stringContaining('nothing.glb') });
    expect(await fault([folder])).toMatchObject({ status: 1 });
    const { port } = new URL(server.url);
    expect((await fault(['--no-open', '--port', port])).err).toContain(`port ${port} is in use`);
    expect((await fault(['--no-open'], { OSSIFY_STUDIO: at('model') })).err).toContain('run npm run build first');
    expect((await fault(['--port', '70000'])).status).toBe(2);
  });
});
