// SPDX-License-Identifier: MIT
import type { FileBytes } from './protocol.ts';

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';

/**
 * Groups dropped files into inputs: each GLB or Alembic file alone; a glTF with all files that are not models; point caches with their mesh; several
 * OBJ, PLY or STL files as a sequence in natural order.
 */
export function groupFiles<T extends Pick<FileBytes, 'name'>>(files: readonly T[]): T[][] {
  const of = (...extensions: string[]): T[] => files.filter(({ name }) => extensions.includes(extensionOf(name)));
  const caches = of('pc2', 'mdd');
  const scenes = of('glb', 'abc');
  const gltfs = of('gltf');
  const objs = of('obj', 'ply', 'stl').sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const known = [...caches, ...scenes, ...gltfs, ...objs];
  const rest = files.filter((file) => !known.includes(file));
  const groups: T[][] = [];
  for (const scene of scenes) groups.push([scene]);
  for (const gltf of gltfs) groups.push([gltf, ...rest]);
  if (objs.length > 0 && (caches.length === 0 || objs.length === 1)) groups.push([...objs, ...caches]);
  else if (objs.length > 0) {
    // each mesh with the caches of the same name, or with all caches if no name matches
    for (const obj of objs) {
      const stem = obj.name.replace(/\.[^.]*$/, '');
      const own = caches.filter(({ name }) => name.startsWith(stem));
      groups.push([obj, ...(own.length > 0 ? own : caches)]);
    }
  } else if (caches.length > 0) {
    const mesh = scenes.length + gltfs.length === 1 ? groups.pop() : undefined;
    groups.push([...(mesh ?? []), ...caches]);
  }
  if (groups.length === 0 && rest.length > 0) groups.push(rest);
  return groups;
}
