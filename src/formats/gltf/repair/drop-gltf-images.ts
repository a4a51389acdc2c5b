// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { JsonObject } from '../../../deformers/layout/index.ts';

/**
 * Removes images that have no data, and what refers to them: sources of textures, and maps of materials whose texture has no image left. Other images get
 * new numbers. Changed in place.
 */
export function dropGltfImages(json: GLTF.IGLTF, missing: ReadonlySet<number>): void {
  const placeOf = new Map<number, number>();
  json.images = json.images?.filter((_, n) => !missing.has(n) && placeOf.set(n, placeOf.size));
  if (json.images?.length === 0) delete json.images;
  const empty = new Set<number>();
  json.textures?.forEach((texture, n) => {
    renumber(texture, placeOf);
    // KHR_texture_basisu and others name an image in another format
    for (const extension of Object.values(texture.extensions ?? {})) renumber(extension, placeOf);
    const has = (one: unknown): boolean => (one as { source?: number } | null)?.source !== undefined;
    if (!has(texture) && !Object.values(texture.extensions ?? {}).some(has)) empty.add(n);
  });
  const avatar = (json.extensions?.VRMC_vrm as { meta?: { thumbnailImage?: number } } | undefined)?.meta;
  if (avatar?.thumbnailImage !== undefined) {
    const place = placeOf.get(avatar.thumbnailImage);
    if (place === undefined) delete avatar.thumbnailImage;
    else avatar.thumbnailImage = place;
  }
  if (empty.size > 0) for (const material of json.materials ?? []) removeMaps(material as JsonObject, empty);
}

function renumber(owner: unknown, placeOf: ReadonlyMap<number, number>): void {
  if (typeof owner !== 'object' || owner === null) return;
  const texture = owner as { source?: number };
  if (texture.source === undefined) return;
  const place = placeOf.get(texture.source);
  if (place === undefined) delete texture.source;
  else texture.source = place;
}

/** Removes maps (normalTexture and others, also of extensions) whose texture has no image. */
function removeMaps(owner: JsonObject, empty: ReadonlySet<number>): void {
  for (const [key, value] of Object.entries(owner)) {
    if (typeof value !== 'object' || value === null || key === 'extras') continue;
    const { index } = value as { index?: unknown };
    if (/texture$/i.test(key) && typeof index === 'number') {
      if (empty.has(index)) delete owner[key];
    } else removeMaps(value as JsonObject, empty);
  }
}
