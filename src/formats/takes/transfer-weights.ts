// SPDX-License-Identifier: MIT
import { sizeOfTrack } from '../../core/keyframes/sample-track.ts';
import type { Track } from '../../core/model/clip/animation.ts';

/** The morph targets of a node. */
export interface TargetList {
  node: number;
  /** Name of the node. */
  name: string;
  targets: readonly string[];
  /** Weights at rest. */
  rest: readonly number[];
}

/** Names as programs vary them: 'blendShape1.jawOpen' and 'jaw_open' are one. */
const formOf = (name: string): string =>
  name
    .replace(/^.*[.:|](?=.)/s, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/**
 * The weight tracks of a file on the nodes of a character, by the names of targets. A node of the character takes the track of the node of the same name, else the one with the
 * maximum number of targets in common.
 * @returns the tracks, and the names of targets that are moved and are not there
 */
export function transferWeights(
  tracks: readonly Track[],
  own: readonly TargetList[],
  character: readonly TargetList[],
): { tracks: Track[]; lost: string[] } {
  const moved = tracks.flatMap((track) => {
    const list = own.find(({ node }) => node === track.node);
    return list && track.path === 'weights' && sizeOfTrack(track) === list.targets.length ? [{ track, list }] : [];
  });
  const used = new Set<string>();
  const out = character.flatMap((to): Track[] => {
    const forms = to.targets.map(formOf);
    const scored = moved.map((one) => {
      const common = one.list.targets.filter((name) => forms.includes(formOf(name))).length;
      return { ...one, common, isNamed: one.list.name === to.name };
    });
    const [best] = scored
      .filter(({ common }) => common > 0)
      .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.common - a.common);
    if (!best) return [];
    const places = forms.map((form) => best.list.targets.findIndex((name) => formOf(name) === form));
    for (const place of places) if (place >= 0) used.add(best.list.targets[place]);
    return [moveWeights(best.track, best.list.targets.length, to, places)];
  });
  const lost = moved.flatMap(({ track, list }) =>
    list.targets.filter((name, t) => !used.has(name) && isMoved(track, list.targets.length, t)),
  );
  return { tracks: out, lost: [...new Set(lost)] };
}

/** @param places by target of the character: that of the track, -1 for none */
function moveWeights(track: Track, size: number, to: TargetList, places: readonly number[]): Track {
  const count = to.targets.length;
  const isCubic = track.interpolation === 'CUBICSPLINE';
  const rows = track.values.length / size;
  const values = new Float32Array(rows * count);
  for (let row = 0; row < rows; row++) {
    const isTangent = isCubic && row % 3 !== 1;
    places.forEach((place, t) => {
      values[row * count + t] = place >= 0 ? track.values[row * size + place] : isTangent ? 0 : (to.rest[t] ?? 0);
    });
  }
  return { ...track, node: to.node, values };
}

function isMoved({ values }: Track, size: number, target: number): boolean {
  for (let v = target; v < values.length; v += size) if (values[v] !== 0) return true;
  return false;
}
