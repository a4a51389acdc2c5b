// SPDX-License-Identifier: MIT

import type { Asset } from '../asset.ts';
import type { Animation } from './animation.ts';

/** When animations are played as one: if they belong together, always, or never. */
export const TOGETHER_WORDS = ['auto', 'yes', 'no'] as const;
export type Together = (typeof TOGETHER_WORDS)[number];

/** Difference of first and last keys within which two animations have the same range, in seconds: less than a frame. */
const SAME_TIME = 0.01;

/**
 * Plays animations that belong together as one. Exporters such as Blender's glTF split a scene into an animation per object. By default,
 * animations of the same name that move different nodes are joined; and all animations, if no two of them move the same node and all have
 * the same range. 'yes' joins all; of a property that two animations move, the first counts.
 * @param log receives a sentence if animations were joined
 */
export function joinAnimations(asset: Asset, together: Together = 'auto', log?: (message: string) => void): Asset {
  const { animations } = asset;
  // matrices of bones, and tracks of corrections and light, belong to one animation each
  const isJoinable =
    animations.length > 1 && !asset.correction && !asset.light && animations.every(({ motion }) => !motion);
  if (!isJoinable || together === 'no') return asset;
  const groups = together === 'yes' ? [animations] : groupAnimations(animations);
  if (groups.length === animations.length) return asset;
  log?.(
    groups.length === 1
      ? `its ${animations.length} animations are played as one; use --together no to play each by itself`
      : `its ${animations.length} animations are played as ${groups.length}, joined by name; use --together no to play each by itself`,
  );
  return { ...asset, animations: groups.map((group) => joinGroup(group, asset.name)) };
}

function groupAnimations(animations: readonly Animation[]): Animation[][] {
  const isOneScene = areDisjoint(animations) && animations.every((animation) => isSameRange(animation, animations[0]));
  if (isOneScene) return [[...animations]];
  const groups = new Map<string, Animation[]>();
  animations.forEach((animation, n) => {
    // animations without a name have nothing in common
    const key = animation.name === '' ? `#${n}` : `"${animation.name}`;
    groups.set(key, [...(groups.get(key) ?? []), animation]);
  });
  return [...groups.values()].flatMap((group) => (areDisjoint(group) ? [group] : group.map((one) => [one])));
}

/** Whether no two animations move the same node. */
function areDisjoint(animations: readonly Animation[]): boolean {
  const moved = new Set<number>();
  return animations.every(({ tracks }) => {
    const own = new Set(tracks.map(({ node }) => node));
    const isFree = [...own].every((node) => !moved.has(node));
    for (const node of own) moved.add(node);
    return isFree;
  });
}

function isSameRange(a: Animation, b: Animation): boolean {
  return Math.abs(a.duration - b.duration) < SAME_TIME && Math.abs(startOf(a) - startOf(b)) < SAME_TIME;
}

function startOf({ tracks }: Animation): number {
  return tracks.reduce((first, { times }) => Math.min(first, times[0] ?? first), Number.MAX_VALUE);
}

/** One animation. Its name is the common one, else that of the file. */
function joinGroup(group: readonly Animation[], name: string): Animation {
  const [first, ...others] = group;
  if (others.length === 0) return first;
  const known = new Set<string>();
  const tracks = group
    .flatMap((animation) => animation.tracks)
    .filter(({ node, path }) => {
      const key = `${node} ${path}`;
      const isNew = !known.has(key);
      known.add(key);
      return isNew;
    });
  const isNamed = others.every((animation) => animation.name === first.name);
  return {
    name: isNamed ? first.name : name,
    duration: group.reduce((most, { duration }) => Math.max(most, duration), 0),
    tracks,
  };
}
