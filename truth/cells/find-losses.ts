// SPDX-License-Identifier: MIT
// What three.js counts in the source and not in the result, and whether the command said so.
import type { Inventory } from '../players/played-scene.ts';

export interface Loss {
  what: string;
  /** Whether a note of the command names it. */
  isNamed: boolean;
}

type Kind = keyof Inventory;

/** Words by which a note names what is missing. */
const WORDS: Record<Kind, RegExp> = {
  parts: /\b(mesh|part|piece)/i,
  triangles: /\b(triangle|face|polygon)/i,
  materials: /material/i,
  textures: /texture|image|picture/i,
  uvSets: /\buvs?\b|texture coordinate/i,
  colourSets: /colou?r/i,
  tangents: /tangent/i,
  morphTargets: /morph|shape/i,
  joints: /joint|bone/i,
  animations: /animation|clip|frames/i,
  cameras: /camera/i,
  lights: /light/i,
  names: /name/i,
  nodeNames: /name|node/i,
  morphNames: /morph|shape|name/i,
  extras: /extra|custom|propert/i,
};

/** What a command is there to replace. */
const PURPOSE: Record<string, readonly Kind[]> = {
  decompose: ['joints', 'morphTargets', 'morphNames', 'nodeNames'],
  skeleton: ['joints', 'morphTargets', 'morphNames', 'nodeNames'],
  convert: ['joints', 'morphTargets', 'morphNames'],
  lod: ['triangles'],
};

/** What frames of positions stand for. */
const POSES: readonly Kind[] = ['joints', 'morphTargets', 'morphNames', 'nodeNames'];
const FRAMES = /\.(pc2|mdd|obj)$/;

/** What a command line made. */
export interface Made {
  command: string;
  /** File name of the output. */
  output: string;
  /** It was told to take one animation. */
  isFirstOnly?: boolean;
  /** Everything that it said. */
  notes: string;
}

/** Everything that `result` has fewer of than `source`, in words. */
export function findLosses(
  { command, output, isFirstOnly, notes }: Made,
  source: Inventory,
  result: Inventory,
): Loss[] {
  const meant = [
    ...(PURPOSE[command] ?? []),
    ...(FRAMES.test(output) ? POSES : []),
    ...(isFirstOnly ? (['animations'] as const) : []),
  ];
  const losses: Loss[] = [];
  for (const kind of Object.keys(WORDS) as Kind[]) {
    if (meant.includes(kind)) continue;
    // a player of USD lists nodes among the names of meshes
    const own =
      kind === 'names' && meant.includes('nodeNames')
        ? source.names.filter((name) => !source.nodeNames.includes(name))
        : source[kind];
    // a node of two materials is one mesh elsewhere
    const isName = kind === 'names' || kind === 'nodeNames';
    const after = isName ? [...result.names, ...result.nodeNames] : result[kind];
    const what = describeLoss(kind, own, after);
    if (what) losses.push({ what, isNamed: WORDS[kind].test(notes) });
  }
  return losses;
}

function describeLoss(kind: Kind, before: Inventory[Kind], after: Inventory[Kind]): string | undefined {
  if (typeof before === 'number' && typeof after === 'number')
    return after < before ? `${kind} ${before} to ${after}` : undefined;
  if (typeof before === 'number' || typeof after === 'number') return undefined;
  // loaders write other characters into names, and number those that repeat; that of glTF calls the further nodes of a mesh instances, and gives meshes without a name one
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/_instance_\d+$/, '')
      .replace(/^mesh_\d+$/, '')
      .replace(/[^a-z0-9]/g, '')
      .replace(/\d+$/, '');
  const kept = new Set(after.map(plain));
  const missing = before.filter((name) => plain(name) !== '' && !kept.has(plain(name)));
  if (missing.length === 0) return undefined;
  return `${kind}: ${missing.slice(0, 4).join(', ')}${missing.length > 4 ? ` and ${missing.length - 4} more` : ''}`;
}
