// SPDX-License-Identifier: MIT
import { type Asset, listSurfaces, type SurfaceLook } from '../../../src/entry/index.ts';
import type { LookView } from '../messages/views.ts';

/**
 * The materials, UVs and vertex colours of an asset for drawing; undefined if it has neither materials nor colours.
 * @param addImage keeps an image and returns its number
 */
export function makeLookView(
  asset: Asset,
  addImage: (image: { type: string; bytes: Uint8Array }) => number,
): LookView | undefined {
  const { mesh } = asset;
  const surfaces = dropBare(listSurfaces(asset));
  const painted = mesh.attributes.find(({ name }) => name === 'COLOR_0');
  if (!surfaces && !painted) return undefined;
  const uvs = mesh.attributes
    .filter(({ name, size }) => /^TEXCOORD_\d$/.test(name) && size === 2)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ values }) => values);
  return {
    materials: surfaces?.materials ?? [],
    images: surfaces?.images.map(addImage) ?? [],
    parts: mesh.parts.map(({ name, triangleStart, triangleCount }, p) => ({
      ...{ name, triangleStart, triangleCount },
      material: surfaces?.materialOfPart[p] ?? -1,
    })),
    uvs,
    ...(painted ? { colors: dropAlpha(painted.values, painted.size) } : {}),
  };
}

/** Nothing, for materials that are white and without maps: clay shows the shape better. */
function dropBare(look: SurfaceLook | undefined): SurfaceLook | undefined {
  const isBare = look?.materials.every(
    ({ color, colorMap, normalMap, emissiveMap }) =>
      !colorMap && !normalMap && !emissiveMap && color.every((value) => value === 1),
  );
  return isBare ? undefined : look;
}

function dropAlpha(values: Float32Array, size: number): Float32Array {
  if (size === 3) return values;
  const out = new Float32Array((3 * values.length) / size);
  for (let i = 0; i < out.length / 3; i++)
    for (let c = 0; c < 3; c++) out[3 * i + c] = values[i * size + Math.min(c, size - 1)];
  return out;
}
