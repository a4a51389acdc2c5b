// SPDX-License-Identifier: MIT
// The rules of USDZ packages, as they are played by AR Quick Look and other viewers (https://openusd.org/release/spec_usdz.html, usdchecker).
import { FormatError } from '../../../core/model/errors.ts';
import { listZipEntries, type ZipEntry } from '../syntax/list-zip-entries.ts';
import { readUsda } from '../syntax/read-usda.ts';
import { readUsdc } from '../syntax/read-usdc.ts';
import type { UsdLayer } from '../syntax/usd-layer.ts';
import { crc32 } from '../write/pack-usdz.ts';
import { checkUsdStage } from './check-usd-stage.ts';
import { readImageSize } from './read-image-size.ts';
import type { UsdzFault } from './usdz-fault.ts';

/** Packages place the bytes of every file at a multiple of this. */
const ALIGNMENT = 64;
/** Images with more pixels on a side are scaled down, or do not fit into the memory of telephones. */
const MAX_IMAGE_SIDE = 4096;
const LAYER = /\.usd[ac]?$/i;
const IMAGE = /\.(png|jpe?g|exr|avif)$/i;
const SOUND = /\.(m4a|mp3|wav)$/i;

/**
 * Lists where a package breaks the rules of USDZ. A file that is no package has one fault.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { checkUsdz } from 'ossify';
 *
 * for (const { severity, place, fault } of checkUsdz(await readFile('hero.usdz'))) console.log(`${severity} ${place}: ${fault}`);
 * ```
 */
export function checkUsdz(bytes: Uint8Array): UsdzFault[] {
  const entries = listZipEntries(bytes);
  if (!entries || entries.length === 0)
    return [
      {
        ...{ rule: 'package', severity: 'error', place: '' },
        fault: entries ? 'the package holds no file' : 'the file is no zip archive, or its directory is damaged',
        remedy: 'write it again',
      },
    ];
  const faults = entries.flatMap((entry, n) => [...checkEntry(entry, n), ...checkContent(entry, bytes)]);
  const names = entries.map(({ name }) => name);
  names.forEach((name, n) => {
    if (names.indexOf(name) !== n)
      faults.push({
        ...{ rule: 'names', severity: 'error', place: name, fault: 'the package has two files of this name' },
        remedy: 'give each file a name of its own',
      });
  });
  return [...faults, ...checkRoot(entries, bytes)];
}

function checkEntry({ name, method, isEncrypted, start, stored, size }: ZipEntry, n: number): UsdzFault[] {
  const faults: UsdzFault[] = [];
  const add = (rule: UsdzFault['rule'], fault: string, remedy: string): void => {
    faults.push({ rule, severity: 'error', place: name, fault, remedy });
  };
  if (method !== 0 || stored !== size) add('compression', 'the file is compressed', 'store it without compression');
  if (isEncrypted) add('encryption', 'the file is encrypted', 'store it without encryption');
  if (start < 0) add('package', 'the file is not where the directory says', 'write the package again');
  else if (start % ALIGNMENT !== 0)
    add('alignment', `its bytes begin at ${start}, which is no multiple of ${ALIGNMENT}`, 'pad the header of the file');
  if (/^([/\\]|[a-z]:)|(^|[/\\])\.\.([/\\]|$)/i.test(name))
    add('names', 'its path leads out of the package', 'use a path inside the package');
  if (n === 0 && !LAYER.test(name)) add('root-layer', 'the first file is no USD file', 'place the stage first');
  if (!LAYER.test(name) && !IMAGE.test(name) && !SOUND.test(name))
    add('file-types', 'packages hold USD, PNG, JPEG, EXR and AVIF files and sounds', 'remove the file, or convert it');
  return faults;
}

/** What the bytes of a file must be. */
function checkContent({ name, method, start, size, crc }: ZipEntry, bytes: Uint8Array): UsdzFault[] {
  if (start < 0 || method !== 0) return [];
  const own = bytes.subarray(start, start + size);
  const faults: UsdzFault[] = [];
  if (crc32(own) !== crc)
    faults.push({
      ...{ rule: 'package', severity: 'error', place: name, fault: 'its checksum is wrong: the bytes are damaged' },
      remedy: 'write the package again',
    });
  if (!/\.(png|jpe?g)$/i.test(name)) return faults;
  const image = readImageSize(own);
  const isPng = /\.png$/i.test(name);
  if (!image || image.type !== (isPng ? 'png' : 'jpeg'))
    faults.push({
      ...{
        rule: 'image-types',
        severity: 'error',
        place: name,
        fault: `its bytes are no ${isPng ? 'PNG' : 'JPEG'} image`,
      },
      remedy: 'convert the image, or rename it',
    });
  else if (Math.max(image.width, image.height) > MAX_IMAGE_SIDE)
    faults.push({
      ...{ rule: 'image-size', severity: 'warning', place: name },
      fault: `the image has ${image.width} x ${image.height} pixels, more than ${MAX_IMAGE_SIDE} on a side`,
      remedy: 'make it smaller',
    });
  return faults;
}

/** The rules of the stage, if it can be read. */
function checkRoot(entries: readonly ZipEntry[], bytes: Uint8Array): UsdzFault[] {
  const [root] = entries;
  if (root.start < 0 || root.method !== 0 || !LAYER.test(root.name)) return [];
  const own = bytes.subarray(root.start, root.start + root.size);
  const isBinary = new TextDecoder('latin1').decode(own.subarray(0, 8)) === 'PXR-USDC';
  const faults: UsdzFault[] = [];
  if (!isBinary)
    faults.push({
      ...{ rule: 'root-layer', severity: 'warning', place: root.name, fault: 'the stage is text, not binary USD' },
      remedy: 'write it as usdc, which loads faster and which AR Quick Look expects',
    });
  let layer: UsdLayer;
  try {
    layer = isBinary ? readUsdc(own) : readUsda(own);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const fault = { rule: 'root-layer', severity: 'error', place: root.name, fault: error.fault } as const;
    return [...faults, { ...fault, remedy: 'write the stage again' }];
  }
  return [...faults, ...checkUsdStage(layer, root.name, new Set(entries.map(({ name }) => name)))];
}
