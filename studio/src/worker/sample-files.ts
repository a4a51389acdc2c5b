// SPDX-License-Identifier: MIT
import { encodeSample, frameRateOf } from '../../../src/entry/index.ts';
import { makeSample } from '../../../src/entry/sample.ts';
import type { FileBytes, ReadOptions } from '../messages/protocol.ts';

/** The files of an example, as the command line writes them, and how to read them. */
export async function makeSampleFiles(
  name: string,
  options: { resolution?: number; frames?: number },
): Promise<{ files: FileBytes[]; readOptions: ReadOptions }> {
  const sample = makeSample(name, options);
  const { clip, skeleton, skin, motion } = sample;
  const isSkinned = sample.isExact && skeleton && skin && motion;
  const encoded = await encodeSample(sample, `${name}.${isSkinned ? 'glb' : 'pc2'}`);
  // the mesh comes before its point cache
  const files = encoded.map(({ path, bytes }) => ({ name: path, bytes: bytes as Uint8Array })).reverse();
  return { files, readOptions: isSkinned ? {} : { fps: frameRateOf(clip.times), unit: 1 } };
}
