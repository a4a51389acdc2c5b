// SPDX-License-Identifier: MIT

/** Deeper than any scene; keeps cyclic groups from being followed for ever. */
export const MAX_DEPTH = 512;

export const MAX_OBJECTS = 200_000;

/** The value of a key in a metadata string: a=b;c=d. */
export function metadataValue(metadata: string, key: string): string {
  for (const entry of metadata.split(';')) if (entry.startsWith(`${key}=`)) return entry.slice(key.length + 1);
  return '';
}
