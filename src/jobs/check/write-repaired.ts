// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { listContents } from '../../formats/gltf/index.ts';
import { checkFile, type Finding, fixAsset, type ReaderRemark } from '../../formats/rules/index.ts';
import type { Target } from '../../formats/targets/index.ts';
import { describeLosses, type JobContext, type LossKind, listLosses, type OutputFile } from '../engine/index.ts';
import { besidePath, writeCharacter } from '../shared/index.ts';

/** A repaired file, and what is still to find in it. */
export interface RepairedFile {
  path: string;
  files: OutputFile[];
  findings: Finding[];
}

/** What the fix of a rule removes on purpose. */
const REMOVED: Readonly<Record<string, readonly LossKind[]>> = {
  'material-unused': ['materials', 'images'],
  'image-unused': ['images'],
  'image-damaged': ['images'],
  'joint-unused': ['joints'],
  'triangle-degenerate': ['triangles'],
  'animation-length': ['animations'],
};

/** Repairs an asset, writes it in the format of a path, reads that back and checks it again. */
export async function writeRepaired(
  context: JobContext,
  asset: Asset,
  { path, target, findings: before }: { path: string; target?: Target; findings: readonly Finding[] },
): Promise<RepairedFile> {
  const log = (text: string): void => context.note(text);
  const { asset: repaired, fixed } = await context.phase('fix', () => fixAsset(asset, before, { log }));
  const files = await context.phase('write', () => writeCharacter(repaired, { kind: 'clip' }, { path, target, log }));
  return context.phase('check again', async () => {
    const remarks: ReaderRemark[] = [];
    const own = bytesOf(files.find((file) => file.path === path));
    const resolve = async (uri: string): Promise<Uint8Array> => {
      const found = files.find((file) => file.path === besidePath(path, decodeURIComponent(uri)));
      if (!found) throw new InputError(uri, 'was not written');
      return bytesOf(found);
    };
    const read = await readBack(path, own, { resolve, remarks });
    for (const sentence of describeLosses(
      listLosses(listContents(asset), listContents(read), {
        ...{ command: 'check', format: /\.[^.]*$/.exec(path)?.[0].toLowerCase() ?? '' },
        replaces: fixed.flatMap((rule) => REMOVED[rule] ?? []),
      }),
    ))
      context.note(sentence);
    const findings = await checkFile({ name: path, asset: read, remarks, bytes: own, resolve, target });
    return { path, files, findings };
  });
}

const bytesOf = (file: OutputFile | undefined): Uint8Array =>
  typeof file?.bytes === 'string' ? new TextEncoder().encode(file.bytes) : (file?.bytes ?? new Uint8Array(0));

async function readBack(
  path: string,
  bytes: Uint8Array,
  { resolve, remarks }: { resolve(uri: string): Promise<Uint8Array>; remarks: ReaderRemark[] },
): Promise<Asset> {
  try {
    return await readAsset([{ name: path, bytes }], {
      resolve,
      log: (text, kind, facts) => remarks.push({ text, kind, facts }),
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new InputError(path, `was not written: it could not be read back: ${error.fault}`, { cause: error });
  }
}
