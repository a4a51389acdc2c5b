// SPDX-License-Identifier: MIT
// Extensions that this project does not use. Those of avatars (VRM) are moved with what they point to; others are kept if nothing that they could point to
// has moved, and are named otherwise.
import type { Document, GLTF } from '@gltf-transform/core';
import { findLostBone, isAvatarExtension, moveAvatarExtension, type NewPlaces } from '../../vrm/index.ts';
import type { GltfTracker } from './gltf-tracker.ts';

type Json = Record<string, unknown>;
/** A property of a glTF that can have extensions. */
type Owner = { extensions?: Json };

/** Extensions of files that writing makes anew. */
const REMADE = /^(KHR_draco_mesh_compression|(EXT|KHR)_meshopt_compression|KHR_mesh_quantization|OSSIFY_.*)$/;
/** Fields that name bytes, which are written anew in another order. */
const BYTES = /accessor|bufferView/i;

/** What was written of a document. */
interface Written {
  document: Document;
  json: GLTF.IGLTF;
  /** Names of the extensions that the writer knows. */
  known: ReadonlySet<string>;
}

/** Puts extensions of the file that was read into the file that was made of it. The JSON is changed in place. */
export function keepExtensions(
  tracker: GltfTracker,
  before: GLTF.IGLTF,
  { document, json, known }: Written,
  log?: (message: string) => void,
): void {
  const isOther = (name: string): boolean => !known.has(name) && !REMADE.test(name);
  const lost = new Set(listElsewhere(before).filter((name) => isOther(name) && !isAvatarExtension(name)));
  for (const name of lost)
    log?.(`the extension ${name} was left out: it is kept of nodes, meshes, materials and images only`);
  const owners = listOwners(before).filter(({ owner }) => Object.keys(owner.extensions ?? {}).some(isOther));
  if (owners.length === 0) return;
  const places = tracker.locate(document, before, json);
  const lostBone = findLostBone((before.extensions ?? {}) as Json, places);
  const isSame = hasSameLists(before, json, places);
  const moved = new Set<string>();
  const kept = new Set<string>();
  for (const { owner, find } of owners) {
    const target = find(json, places);
    for (const [name, extension] of Object.entries(owner.extensions ?? {})) {
      if (!isOther(name)) continue;
      if (isAvatarExtension(name)) {
        const own = target && !lostBone ? moveAvatarExtension(name, extension, places) : undefined;
        if (target && own !== undefined) put(target, name, own, kept);
      } else if (target && !namesBytes(extension) && (isSame || !hasIndex(extension)))
        put(target, name, extension, kept);
      else moved.add(name);
    }
  }
  if (kept.size > 0) json.extensionsUsed = [...new Set([...(json.extensionsUsed ?? []), ...kept])].sort();
  for (const name of moved) log?.(`the extension ${name} was left out: what it may point to was written anew`);
  if (lostBone) log?.(`the avatar data (VRM) was left out: the result has no bone for ${lostBone}`);
  else if (kept.has('VRM') || kept.has('VRMC_vrm')) log?.('the avatar data (VRM) is kept');
}

function put(target: Owner, name: string, extension: unknown, kept: Set<string>): void {
  target.extensions = { ...target.extensions, [name]: extension };
  kept.add(name);
}

interface Place {
  owner: Owner;
  /** The same property in the new file. */
  find(json: GLTF.IGLTF, places: NewPlaces): Owner | undefined;
}

/** Everything that can have extensions and can be found again. */
function listOwners(before: GLTF.IGLTF): Place[] {
  const { nodes = [], meshes = [], materials = [], images = [], scenes = [] } = before;
  const place = (owner: unknown, find: (json: GLTF.IGLTF, places: NewPlaces) => unknown): Place => ({
    owner: owner as Owner,
    find: (json, places) => find(json, places) as Owner | undefined,
  });
  const item = <T>(list: readonly T[] | undefined, index: number | undefined): T | undefined =>
    index === undefined ? undefined : list?.[index];
  return [
    place(before, (json) => json),
    place(before.asset, (json) => json.asset),
    ...nodes.map((node, n) => place(node, (json, { node: at }) => item(json.nodes, at(n)))),
    ...meshes.map((mesh, m) => place(mesh, (json, { mesh: at }) => item(json.meshes, at(m)))),
    ...meshes.flatMap(({ primitives }, m) =>
      primitives.map((primitive, p) =>
        place(primitive, (json, { mesh: at }) => {
          const own = item(json.meshes, at(m))?.primitives;
          return own?.length === primitives.length ? own[p] : undefined;
        }),
      ),
    ),
    ...materials.map((material, m) => place(material, (json, { material: at }) => item(json.materials, at(m)))),
    ...images.map((image, n) => place(image, (json, { image: at }) => item(json.images, at(n)))),
    ...scenes.map((scene, n) =>
      place(scene, (json) => (json.scenes?.length === scenes.length ? json.scenes[n] : undefined)),
    ),
  ];
}

/** Names of extensions inside of parts that are not found again: texture infos, samplers, skins, animations and cameras. */
function listElsewhere({ skins, animations, cameras, textures, samplers, materials = [] }: GLTF.IGLTF): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, own] of Object.entries(value)) {
      if (key === 'extras') continue;
      if (key === 'extensions' && !Array.isArray(value)) for (const name of Object.keys(own ?? {})) names.add(name);
      visit(own);
    }
  };
  for (const list of [skins, animations, cameras, textures, samplers]) visit(list);
  for (const { extensions: _, ...material } of materials) visit(material);
  return [...names];
}

/** Whether every part is where it was, so that any index means the same. */
function hasSameLists(before: GLTF.IGLTF, json: GLTF.IGLTF, places: NewPlaces): boolean {
  const lists = [
    'nodes',
    'meshes',
    'materials',
    'images',
    'textures',
    'skins',
    'cameras',
    'animations',
    'scenes',
  ] as const;
  if (lists.some((list) => (before[list]?.length ?? 0) !== (json[list]?.length ?? 0))) return false;
  const isSame = (list: readonly unknown[] | undefined, at: (index: number) => number | undefined): boolean =>
    (list ?? []).every((_, n) => at(n) === n);
  return (
    isSame(before.nodes, places.node) &&
    isSame(before.meshes, places.mesh) &&
    isSame(before.materials, places.material) &&
    isSame(before.images, places.image) &&
    isSame(before.textures, places.texture)
  );
}

/** Whether a value names accessors or views. */
function namesBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, own]) => (BYTES.test(key) && !Array.isArray(value)) || namesBytes(own));
}

/** Whether a value holds a whole number, which may be an index. */
function hasIndex(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasIndex);
}
