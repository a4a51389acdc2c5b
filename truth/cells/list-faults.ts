// SPDX-License-Identifier: MIT
/// <reference path="../../src/formats/rules/validator/gltf-validator.d.ts" />
// What is wrong with an output as a file: the Khronos validator on glTF, and the rules of the USDZ specification on packages.
import { validateBytes } from 'gltf-validator';

/** Bytes that the files of a package are aligned to. */
const ALIGNED = 64;
const LOCAL_FILE = 0x04034b50;

/** Faults in words, each once; faults that the source has too are left out. */
export async function listFaults(path: string, bytes: Uint8Array, sources: readonly Uint8Array[]): Promise<string[]> {
  if (path.endsWith('.usdz')) return listPackageFaults(bytes);
  if (!path.endsWith('.glb')) return [];
  const known = new Set((await Promise.all(sources.filter(isGlb).map(validate))).flat().map(({ code }) => code));
  const own = (await validate(bytes)).filter(({ code }) => !known.has(code));
  return [...new Map(own.map(({ code, message }) => [code, `${code}: ${message}`])).values()];
}

const isGlb = (bytes: Uint8Array): boolean => new TextDecoder().decode(bytes.subarray(0, 4)) === 'glTF';

/** Errors and warnings. */
async function validate(bytes: Uint8Array): Promise<{ code: string; message: string }[]> {
  const { messages } = (await validateBytes(bytes, { maxIssues: 1000 })).issues;
  return messages.filter(({ severity }) => severity < 2);
}

/** A package is a zip file without compression, its first file is a stage, and the data of each file starts at a multiple of 64 bytes. */
function listPackageFaults(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const faults: string[] = [];
  for (let at = 0; at + 30 <= bytes.length && view.getUint32(at, true) === LOCAL_FILE; ) {
    const [nameLength, extraLength] = [view.getUint16(at + 26, true), view.getUint16(at + 28, true)];
    const name = new TextDecoder().decode(bytes.subarray(at + 30, at + 30 + nameLength));
    const data = at + 30 + nameLength + extraLength;
    if (at === 0 && !/\.usd[ac]?$/.test(name)) faults.push(`the first file of the package is ${name}`);
    if (view.getUint16(at + 8, true) !== 0) faults.push(`${name} is compressed`);
    if (data % ALIGNED !== 0) faults.push(`${name} starts at byte ${data}`);
    if (!/\.(usd[ac]?|png|jpe?g|m4a|mp3|wav)$/i.test(name))
      faults.push(`${name} is of a type that packages may not hold`);
    at = data + view.getUint32(at + 18, true);
  }
  return faults;
}
