// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { FormatError } from '../../core/model/errors.ts';
import { type InputFile, type ReadAssetOptions, readAsset } from '../../formats/assets/index.ts';
import { checkFile, type Finding, type ReaderRemark } from '../../formats/rules/index.ts';
import { TARGETS, type TargetName } from '../../formats/targets/index.ts';
import { resolverOf } from './resolver-of.ts';

/** What a character is checked for. */
export interface CheckCharacterOptions extends Pick<ReadAssetOptions, 'resolve'> {
  /** Also check the rules of a target. Default: none. */
  target?: TargetName;
}

/**
 * Lists what is wrong with a character, the gravest first: what its reader repaired, the rules of Ossify, those of its format (the Khronos validator, USDZ, VRM), and those of a
 * target. A file that cannot be read has one error. `ossify check` prints this list.
 * @param files a file, or the files of one input
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { checkCharacter } from 'ossify';
 *
 * const findings = await checkCharacter([{ name: 'hero.fbx', bytes: await readFile('hero.fbx') }], { target: 'unity' });
 * for (const { severity, rule, fault, remedy } of findings) console.log(`${severity} ${rule}: ${fault}; ${remedy}`);
 * ```
 */
export async function checkCharacter(
  files: readonly InputFile[],
  { target, resolve }: CheckCharacterOptions = {},
): Promise<Finding[]> {
  const remarks: ReaderRemark[] = [];
  const log: ReadAssetOptions['log'] = (text, kind, facts) => remarks.push({ text, kind, facts });
  let read: { asset?: Asset; unreadable?: string };
  try {
    read = { asset: await readAsset(files, { resolve, log, topology: 'any' }) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const at = error.byteOffset === undefined ? '' : ` (byte ${error.byteOffset})`;
    read = { unreadable: `${error.fault}${at}` };
  }
  const [{ name, bytes }] = files;
  return checkFile({
    ...read,
    ...{ name, remarks, bytes, resolve: resolverOf(read.asset) },
    ...(target === undefined ? {} : { target: TARGETS[target] }),
  });
}
