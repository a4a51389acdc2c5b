// SPDX-License-Identifier: MIT

/** What moves a character: joints, morph targets, or stored positions; `posed`: joints without an animation; `rigid`: nodes, without a skin. */
export type CharacterKind = 'skinned' | 'rigid' | 'posed' | 'morphing' | 'cache';

export interface Character {
  name: string;
  kind: CharacterKind;
  /** What is difficult in it. */
  about: string;
  /** The input as on the command line, relative to the folder of `files`, or absolute. */
  input: string;
  /** Makes the files of the input; absent for files that exist. */
  make?: () => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** A character of one generated GLB. */
export function glbCharacter(
  name: string,
  kind: CharacterKind,
  about: string,
  write: () => Promise<Uint8Array>,
): Character {
  const input = `${name}.glb`;
  return { name, kind, about, input, make: async () => new Map([[input, await write()]]) };
}
