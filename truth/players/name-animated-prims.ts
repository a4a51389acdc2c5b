// SPDX-License-Identifier: MIT
import type { AnimationClip, Object3D } from 'three';
import type { UsdStage } from './usd-stage.ts';

/**
 * Gives animated prims names of their own. three.js' loader names the tracks of a prim by its last name, and the mixer moves the first object of that name: of two prims
 * /Cube and /Cube/Cube it turns the outer one, whichever is animated. The n-th track of a name belongs to the n-th animated prim of that name.
 */
export function nameAnimatedPrims(root: Object3D, clips: readonly AnimationClip[], stage: UsdStage): void {
  const leafOf = (path: string): string => path.split('/').at(-1) ?? '';
  const animated = stage.prims.filter((prim) => stage.operations(prim).some((name) => stage.isAnimated(prim, name)));
  const count = new Map<string, number>();
  root.traverse(({ name }) => count.set(name, (count.get(name) ?? 0) + 1));
  const renamed = animated.flatMap((prim) => {
    const object = findObject(root, prim);
    return object && (count.get(object.name) ?? 0) > 1 ? [{ object, leaf: leafOf(prim) }] : [];
  });
  for (const clip of clips) {
    const seen = new Map<string, number>();
    for (const track of clip.tracks) {
      const [leaf, property] = track.name.split('.');
      const own = renamed.filter((one) => one.leaf === leaf);
      const nth = seen.get(track.name) ?? 0;
      seen.set(track.name, nth + 1);
      if (own[nth]) track.name = `${nameOf(own[nth].leaf, renamed.indexOf(own[nth]))}.${property}`;
    }
  }
  renamed.forEach(({ object, leaf }, n) => {
    object.name = nameOf(leaf, n);
  });
}

const nameOf = (leaf: string, n: number): string => `${leaf}_animated_${n}`;

/** The object of a prim, by the names along its path. */
function findObject(root: Object3D, path: string): Object3D | undefined {
  return path
    .split('/')
    .slice(1)
    .reduce<Object3D | undefined>((at, name) => at?.children.find((child) => child.name === name), root);
}
