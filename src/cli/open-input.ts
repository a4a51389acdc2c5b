// SPDX-License-Identifier: MIT
import { basename } from 'node:path';
import { type InputFile, readAsset } from '../io/read-asset.ts';
import type { Asset } from '../model/asset.ts';
import type { ClipOptions, ReadOptions } from './clip-options.ts';
import type { Context } from './command.ts';
import { JobError, UsageError } from './exit-status.ts';
import { listInputFiles } from './list-input-files.ts';
import { readBytes } from './read-bytes.ts';
import { makeResourceReader } from './resource-folder.ts';

export interface OpenedInput {
  /** As the command line said it. */
  input: string;
  asset: Asset;
  /** Every file that was read, for guards against overwriting. */
  paths: string[];
}

/** Reads an input of the command line. Whatever is wrong with it is one sentence that starts with its name. */
export async function openInput(input: string, context: Context<ReadOptions>): Promise<OpenedInput> {
  const { fps, unit, up, scale, rest: restOption } = context.options;
  const { rest, paths } = await listInputFiles(input, restOption);
  const all = rest === undefined ? paths : [rest, ...paths];
  const files: InputFile[] = [];
  for (const path of all) {
    context.signal.throwIfAborted();
    files.push({ name: path, bytes: await readBytes(path) });
  }
  const remarks: string[] = [];
  let byteLength = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const readResource = makeResourceReader(paths[0]);
  const restFile = rest === undefined ? undefined : files.shift();
  try {
    const asset = await readAsset(files, {
      fps,
      unit,
      up,
      scale,
      rest: restFile,
      resolve: async (uri) => {
        const bytes = await readResource(uri);
        byteLength += bytes.length;
        return bytes;
      },
      log: (message) => remarks.push(message),
    });
    printRemarks(input, remarks, context);
    if ((context.options as ClipOptions).plain) {
      delete asset.ddm;
      delete asset.twoLayer;
      delete asset.helpers;
      delete asset.linearTwoLayer;
      delete asset.correction;
    }
    return { input, asset: { ...asset, name: asset.name || basename(paths[0]), byteLength }, paths: all };
  } catch (error) {
    throw nameInput(input, all, error);
  }
}

/** A file that is odd in a thousand places gets a few lines, not a thousand. */
const MOST_REMARKS = 4;

function printRemarks(input: string, remarks: readonly string[], context: Context): void {
  const name = basename(input);
  for (const remark of remarks.slice(0, MOST_REMARKS))
    context.note(remark.startsWith(input) ? remark : `${name}: ${remark}`);
  for (const remark of remarks.slice(MOST_REMARKS)) context.log(`note: ${name}: ${remark}`);
  const hidden = context.options.verbose ? 0 : remarks.length - MOST_REMARKS;
  if (hidden > 0) context.note(`${name}: and ${hidden} more remarks; --verbose shows them`);
}

/** Puts the input's name before a fault, unless the sentence starts with one of its files. */
function nameInput(input: string, paths: readonly string[], error: unknown): unknown {
  if (error instanceof JobError || error instanceof UsageError || !(error instanceof Error)) return error;
  if (error.name === 'AbortError') return error;
  const isNamed = [input, ...paths].some((path) => error.message.startsWith(`${path}:`));
  if (isNamed) return new JobError(error.message, { cause: error });
  const fault = error instanceof RangeError ? 'is too large for the memory of this machine' : error.message;
  return new JobError(`${paths.length === 1 ? paths[0] : input}: ${fault}`, { cause: error });
}
