// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { faultOf } from '../../core/model/errors.ts';
import {
  decodeImage,
  makeTextureLevels,
  type SceneLook,
  type SceneLooks,
  type TextureLevels,
} from '../../draw/index.ts';
import { listSurfaces } from '../../formats/gltf/index.ts';

/** Pixels of all textures of a picture, those of smaller sizes included: 512 MB. */
const MAX_PIXELS = 2 ** 27;

/**
 * The materials of an asset for pictures: base colours, and their textures where they can be decoded. Undefined if no material has a texture: then clay shows the shape
 * better. A texture that cannot be decoded is left out, with a note.
 */
export async function loadLooks(asset: Asset, note: (message: string) => void): Promise<SceneLooks | undefined> {
  const surfaces = listSurfaces(asset);
  if (!surfaces?.materials.some(({ colorMap }) => colorMap)) return undefined;
  const known = new Map<number, TextureLevels | undefined>();
  let pixels = 0;
  const load = async (index: number): Promise<TextureLevels | undefined> => {
    if (known.has(index)) return known.get(index);
    let levels: TextureLevels | undefined;
    try {
      const { bytes } = surfaces.images[index];
      levels = pixels < MAX_PIXELS ? makeTextureLevels(await decodeImage(bytes)) : undefined;
      pixels += levels?.reduce((sum, { width, height }) => sum + width * height, 0) ?? 0;
    } catch (error) {
      note(`image ${index} is not drawn: ${faultOf(error)}`);
    }
    known.set(index, levels);
    return levels;
  };
  const looks: SceneLook[] = [];
  for (const { color, colorMap } of surfaces.materials) {
    const [r, g, b] = color;
    const uvs = asset.mesh.attributes.find(({ name }) => name === `TEXCOORD_${colorMap?.uv}`)?.values;
    const levels = colorMap && uvs ? await load(colorMap.image) : undefined;
    looks.push({ color: [r, g, b], ...(colorMap && uvs && levels ? { texture: { levels, map: colorMap, uvs } } : {}) });
  }
  if (!looks.some(({ texture }) => texture)) return undefined;
  const lookOfTriangle = new Int32Array(asset.mesh.triangles.length / 3).fill(-1);
  asset.mesh.parts.forEach(({ triangleStart, triangleCount }, p) => {
    lookOfTriangle.fill(surfaces.materialOfPart[p], triangleStart, triangleStart + triangleCount);
  });
  return { looks, lookOfTriangle };
}
