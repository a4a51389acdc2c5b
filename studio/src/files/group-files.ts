// SPDX-License-Identifier: MIT
import type { FileBytes } from '../messages/protocol.ts';

/** Formats that hold whole scenes, those that hold one mesh, and point caches. */
const SCENES = ['glb', 'abc', 'fbx', 'usda', 'usdc', 'usd', 'usdz'];
const MESHES = ['obj', 'ply', 'stl'];
const CACHES = ['pc2', 'mdd'];

/** All model formats that the page reads: those of the command line. Caches come last. */
export const MODEL_EXTENSIONS = ['glb', 'gltf', ...SCENES.slice(1), ...MESHES, ...CACHES];
/** Files that belong to a .gltf. */
export const RESOURCE_EXTENSIONS = ['bin', 'png', 'jpg', 'jpeg', 'webp', 'ktx2'];

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';

/** Whether a file holds a whole scene by itself. */
export const isScene = (name: string): boolean => SCENES.includes(extensionOf(name));

/**
 * Groups dropped files into inputs: each scene file alone; a glTF with all files that are not models; point caches with their mesh; several
 * OBJ, PLY or STL files as a sequence in natural order.
 */
export function groupFiles<T extends Pick<FileBytes, 'name'>>(files: readonly T[]): T[][] {
  const of = (extensions: readonly string[]): T[] => files.filter(({ name }) => extensions.includes(extensionOf(name)));
  const caches = of(CACHES);
  const scenes = of(SCENES);
  const gltfs = of(['gltf']);
  const meshes = of(MESHES).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const known = [...caches, ...scenes, ...gltfs, ...meshes];
  const rest = files.filter((file) => !known.includes(file));
  const groups: T[][] = [];
  for (const scene of scenes) groups.push([scene]);
  for (const gltf of gltfs) groups.push([gltf, ...rest]);
  if (meshes.length > 0 && (caches.length === 0 || meshes.length === 1)) groups.push([...meshes, ...caches]);
  else if (meshes.length > 0) {
    // each mesh with the caches of the same name, or with all caches if no name matches
    for (const mesh of meshes) {
      const stem = mesh.name.replace(/\.[^.]*$/, '');
      const own = caches.filter(({ name }) => name.startsWith(stem));
      groups.push([mesh, ...(own.length > 0 ? own : caches)]);
    }
  } else if (caches.length > 0) {
    const mesh = scenes.length + gltfs.length === 1 ? groups.pop() : undefined;
    groups.push([...(mesh ?? []), ...caches]);
  }
  if (groups.length === 0 && rest.length > 0) groups.push(rest);
  return groups;
}

/** Inputs that are opened one after the other. */
export interface OpenedGroup<T> {
  files: T[];
  /** Whether the first file is a character, and the others are its animations. */
  hasRest: boolean;
}

/** Joins files of animations with the first input that is none: a character, and its clips. Clips alone are one input. */
export function joinClips<T>(groups: readonly T[][], isClip: readonly boolean[]): OpenedGroup<T>[] {
  const clips = groups.filter((_, n) => isClip[n]).flat();
  const others = groups.filter((_, n) => !isClip[n]).map((files) => ({ files, hasRest: false }));
  if (clips.length === 0) return others;
  const [character, ...rest] = others;
  return [{ files: [...(character?.files ?? []), ...clips], hasRest: character !== undefined }, ...rest];
}
