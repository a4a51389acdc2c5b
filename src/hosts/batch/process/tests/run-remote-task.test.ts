// SPDX-License-Identifier: MIT
// The standard SDK of S3 against a small server on this machine.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAbc } from '../../../../formats/alembic/write/write-abc.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { connectS3 } from '../../../queue/connect-s3.ts';
import type { JobRecord } from '../../batch-job.ts';
import { runBatch } from '../../run-batch.ts';
import { runRemoteTask } from '../run-remote-task.ts';

interface Stored {
  bytes: Buffer;
  id?: string;
}

/** PUT, GET and HEAD of objects. Signatures are not checked. */
function startStorage(objects: Map<string, Stored>): Promise<Server> {
  const server = createServer((request, response) => {
    const key = decodeURIComponent((request.url ?? '').replace(/\?.*$/, ''));
    if (request.method === 'PUT') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const id = request.headers['x-amz-meta-ossify-id'];
        objects.set(key, { bytes: decodeBody(request.headers, Buffer.concat(chunks)), id: id as string | undefined });
        response.writeHead(200, { ETag: '"x"' }).end();
      });
      return;
    }
    const found = objects.get(key);
    if (!found) {
      const body = request.method === 'HEAD' ? undefined : '<Error><Code>NoSuchKey</Code></Error>';
      response.writeHead(404, { 'Content-Type': 'application/xml' }).end(body);
      return;
    }
    const etag = createHash('md5').update(found.bytes).digest('hex');
    response.writeHead(200, {
      ...{ 'Content-Length': found.bytes.length, ETag: `"${etag}"` },
      ...(found.id ? { 'x-amz-meta-ossify-id': found.id } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : found.bytes);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** The SDK sends streams in pieces with checksums: size;…\r\n bytes \r\n … 0\r\n. */
function decodeBody(headers: NodeJS.Dict<string | string[]>, body: Buffer): Buffer {
  if (!String(headers['content-encoding']).includes('aws-chunked')) return body;
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

describe('jobs on S3', () => {
  const objects = new Map<string, Stored>();
  let server: Server;
  let folder = '';
  const saved = { ...process.env };
  beforeAll(async () => {
    server = await startStorage(objects);
    folder = mkdtempSync(join(tmpdir(), 'ossify-s3-'));
    Object.assign(process.env, {
      ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', TMPDIR: folder },
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    const { clip } = makeSample('bar-bend', { resolution: 100, frames: 4 });
    objects.set('/studio/in/bar.abc', { bytes: Buffer.from(writeAbc(clip)) });
  });
  afterAll(() => {
    server.close();
    process.env = saved;
    rmSync(folder, { recursive: true, force: true });
  });

  const job = {
    command: 'decompose',
    inputs: ['s3://studio/in/bar.abc'],
    output: 'deep/bar.glb',
    options: { bones: 2, iterations: 1 },
  };

  it('are read from and written to buckets, and kept when they are finished', async () => {
    const remote = await connectS3();
    const commits: JobRecord[] = [];
    const limits = { threads: 1, maxMemory: 1e9 };
    const runner = {
      run: (task: Parameters<typeof runRemoteTask>[0]) =>
        runRemoteTask(task, { ...limits, commit: async (record) => void commits.push(record) }),
    };
    const options = { out: 's3://studio/out/', runner, lanes: 1, remote };
    const [row] = await runBatch([job], options);
    expect(row.error).toBeUndefined();
    expect(row).toMatchObject({ status: 'done', inputs: job.inputs, files: [{ path: 'deep/bar.glb' }] });
    const made = objects.get('/studio/out/deep/bar.glb');
    expect(made?.bytes.toString('latin1', 0, 4)).toBe('glTF');
    expect(made?.bytes.length).toBe(row.files[0].bytes);
    expect(made?.id).toBe(row.id);
    expect(commits).toHaveLength(1);
    expect((await runBatch([job], options))[0].status).toBe('kept');
    objects.set('/studio/in/bar.abc', { bytes: Buffer.from('changed') });
    expect((await runBatch([job], options))[0]).toMatchObject({ status: 'failed' });
    // nothing is left on this machine
    expect(readdirSync(folder)).toEqual([]);
  });

  it('report files that do not exist', async () => {
    const remote = await connectS3();
    await expect(remote.identify('s3://studio/nope.glb')).rejects.toThrow('s3://studio/nope.glb: no such file');
    expect(await remote.idOf('s3://studio/nope.glb')).toBeUndefined();
    await expect(remote.identify('s3://studio')).rejects.toThrow('write s3://bucket/key');
  });
});
