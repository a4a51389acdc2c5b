// SPDX-License-Identifier: MIT
// What three.js leaves out of an FBX: further sets of colours, tangents, and custom properties. All have names in the bytes of a binary file.
import type { Inventory } from './played-scene.ts';

/** Types of the properties that programs add for people. */
const TYPES = /^(KString|double|Number|int|Integer|bool|Bool|enum|Vector3D|Vector)$/;

/** Properties in which programs keep their own settings. */
const SETTINGS = /^(currentUVSet|lockInfluenceWeights|filmboxTypeID|MaxHandle|UDP3DSMAX)$/;

/** Counts what a binary file names. */
export function listFbxContents(bytes: Uint8Array): Pick<Inventory, 'colourSets' | 'tangents' | 'extras'> {
  const text = new TextDecoder('latin1').decode(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let colourSets = 0;
  for (const { index } of text.matchAll(/LayerElementColorI/g))
    colourSets = Math.max(colourSets, 1 + view.getInt32(index + 'LayerElementColorI'.length, true));
  const extras = new Set<string>();
  // a property is a record P of strings: name, type, label and flags, of which U says that a person made it
  for (const { index } of text.matchAll(/PS/g)) {
    if (bytes[index - 1] !== 1) continue;
    const words: string[] = [];
    for (let at = index + 1; words.length < 4 && text[at] === 'S' && at + 5 < text.length; ) {
      const length = view.getUint32(at + 1, true);
      words.push(text.slice(at + 5, at + 5 + length));
      at += 5 + length;
    }
    const [name, type, , flags = ''] = words;
    if (words.length === 4 && flags.includes('U') && TYPES.test(type) && !SETTINGS.test(name)) extras.add(name);
  }
  return { colourSets, tangents: text.includes('LayerElementTangent') ? 1 : 0, extras: [...extras] };
}
