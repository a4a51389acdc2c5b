// SPDX-License-Identifier: MIT
// S3-compatible storage through the standard SDK, an optional peer dependency that is loaded when an s3:// address is used. Region, endpoint and credentials are
// those of the SDK: AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, ~/.aws.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InputError } from '../../core/model/errors.ts';
import type { RemoteFiles } from '../batch/index.ts';

/** Name of the id of a job in the metadata of a file. */
const ID = 'ossify-id';

/** Connects to S3. Throws an InputError with the command that installs the SDK. */
export async function connectS3(): Promise<RemoteFiles> {
  let sdk: typeof import('@aws-sdk/client-s3');
  try {
    sdk = await import('@aws-sdk/client-s3');
  } catch (error) {
    const fault = 'needs the package @aws-sdk/client-s3, which is not installed; run npm install @aws-sdk/client-s3';
    throw new InputError('s3://', fault, { cause: error });
  }
  // servers other than Amazon's have no names for buckets
  const forcePathStyle = process.env.AWS_ENDPOINT_URL_S3 !== undefined || process.env.AWS_ENDPOINT_URL !== undefined;
  const client = new sdk.S3Client({ forcePathStyle });
  const head = (url: string) => client.send(new sdk.HeadObjectCommand(placeOf(url)));
  return {
    async identify(url) {
      const { ETag, ContentLength } = await head(url).catch((error) => fail(url, 'read', error));
      return `${ETag} ${ContentLength}`;
    },
    async download(url, path) {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(placeOf(url)));
        await pipeline(Body as Readable, createWriteStream(path));
      } catch (error) {
        fail(url, 'read', error);
      }
    },
    async upload(url, path, id) {
      const { size } = await stat(path);
      const body = { Body: createReadStream(path), ContentLength: size, Metadata: { [ID]: id } };
      await client
        .send(new sdk.PutObjectCommand({ ...placeOf(url), ...body }))
        .catch((error) => fail(url, 'written', error));
    },
    async idOf(url) {
      try {
        return (await head(url)).Metadata?.[ID];
      } catch (error) {
        const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
        if (name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404) return undefined;
        return fail(url, 'read', error);
      }
    },
  };
}

/** Bucket and key of s3://bucket/key. */
function placeOf(url: string): { Bucket: string; Key: string } {
  const match = /^s3:\/\/([^/]+)\/(.+)$/.exec(url);
  if (!match) throw new InputError(url, 'is not the address of a file; write s3://bucket/key');
  return { Bucket: match[1], Key: match[2] };
}

function fail(url: string, verb: string, error: unknown): never {
  const { name, $metadata, code } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  if ($metadata?.httpStatusCode === 404) throw new InputError(url, 'no such file');
  // an error without a status is about the network: another attempt may succeed
  const cause =
    $metadata?.httpStatusCode === undefined ? Object.assign(new Error(String(name)), { code: code ?? 'EIO' }) : error;
  throw new InputError(url, `cannot be ${verb} (${name ?? code ?? 'no answer'})`, { cause });
}
