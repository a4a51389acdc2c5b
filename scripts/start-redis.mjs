// SPDX-License-Identifier: MIT
// A real Redis for tests: redis-server of the path, on a free port, in a temporary folder, with its append-only file.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('skipping tests of the queue: there is no redis-server in the path');

export async function startRedis(password) {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-redis-'));
  const port = await findPort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''];
  if (password !== undefined) words.push('--requirepass', password);
  let server;
  const start = async () => {
    server = spawn('redis-server', words, { stdio: 'ignore' });
    for (let n = 0; n < 400; n++) {
      if (await answers(port)) return;
      await sleep(25);
    }
    throw new Error('redis-server does not answer');
  };
  const end = (signal) =>
    new Promise((resolve) => {
      server.once('exit', resolve);
      server.kill(signal);
    });
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    /** Removes all data, as a server without a file that starts again. */
    flush: () => ask(port, 'FLUSHALL'),
    async restart(signal = 'SIGTERM') {
      await end(signal);
      await start();
    },
    /** With false, its data stay for the next start. */
    async stop(isLast = true) {
      await end('SIGKILL');
      if (isLast) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Sends a command and waits for an answer. */
function ask(port, line) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}

/** Whether commands are executed: while the append-only file is loaded, they are refused. */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (isUp) => {
      resolve(isUp);
      socket.destroy();
    };
    socket.on('data', (data) => end(!data.toString().startsWith('-LOADING')));
    socket.on('error', () => end(false));
    socket.setTimeout(500, () => end(false));
  });
}
