// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { jsonOf, makeSource } from '../document/gltf-json.ts';
import { makeGltfSource } from './make-gltf-source.ts';
import type { Scene } from './scene.ts';

/**
 * The glTF of a scene that listScene made of a source and that was changed since. Its materials and textures are those of the source with all of their extensions,
 * which a scene does not hold; the order of materials and images must be the same.
 */
export function makeFittedSource(scene: Scene, source: GltfSource): GltfSource {
  const fitted = makeGltfSource(scene);
  const [json, old] = [jsonOf(fitted), jsonOf(source)];
  const { asset, materials, textures, samplers, images } = old;
  const isSame =
    scene.look.images.length === (images ?? []).length && (json.images ?? []).length === (images ?? []).length;
  const look: Partial<GLTF.IGLTF> = isSame && materials ? dropAbsent({ materials, textures, samplers }) : {};
  const next: GLTF.IGLTF = { ...json, asset: { ...asset, version: '2.0' }, ...look };
  const named = new Set([...listExtensions({ ...next, asset: undefined }), ...Object.keys(json.extensions ?? {})]);
  const used = [...new Set([...(json.extensionsUsed ?? []), ...(old.extensionsUsed ?? [])])].filter((one) =>
    named.has(one),
  );
  const required = (old.extensionsRequired ?? []).filter((one) => used.includes(one));
  delete next.extensionsUsed;
  const lists = {
    ...(used.length > 0 ? { extensionsUsed: used } : {}),
    ...(required.length > 0 ? { extensionsRequired: required } : {}),
  };
  return makeSource({ ...next, ...lists }, fitted.resources);
}

function dropAbsent<T extends object>(lists: T): Partial<T> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)) as Partial<T>;
}

/** Names in all objects that are called extensions. */
function listExtensions(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listExtensions);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(key === 'extensions' && typeof item === 'object' && item !== null ? Object.keys(item) : []),
    ...listExtensions(item),
  ]);
}
