// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { SurfaceLook, SurfaceMap, SurfaceMaterial, SurfaceWrap } from '../../../core/model/surface-look.ts';
import type { GltfChunks } from './gltf-chunks.ts';

/** The parts of a glTF that say how surfaces look. */
export type GltfLook = Pick<GLTF.IGLTF, 'materials' | 'textures' | 'samplers' | 'images'>;

const WRAPS: Readonly<Record<SurfaceWrap, GLTF.TextureWrapMode>> = { clamp: 33071, mirror: 33648, repeat: 10497 };
const NEAREST: GLTF.TextureMagFilter & GLTF.TextureMinFilter = 9728;
const UNLIT = 'KHR_materials_unlit';
const EMISSIVE_STRENGTH = 'KHR_materials_emissive_strength';
const TEXTURE_TRANSFORM = 'KHR_texture_transform';
const WEBP = 'EXT_texture_webp';

/**
 * Makes the materials of a glTF. Materials of one name that differ get a number after it, since parts of a mesh name their material.
 * @param extensions names of the extensions that were used; completed
 */
export function makeGltfLook(
  { materials, images }: Pick<SurfaceLook, 'materials' | 'images'>,
  chunks: GltfChunks,
  extensions: Set<string>,
): GltfLook {
  if (materials.length === 0) return {};
  const textures = new TextureList(images, extensions);
  const names = new Set<string>();
  const out: GltfLook = {
    materials: materials.map((material) =>
      makeMaterial(material, uniqueName(material.name, names), textures, extensions),
    ),
  };
  if (textures.textures.length === 0) return out;
  const stored = images.map(
    ({ type, bytes, name }): GLTF.IImage => ({
      ...(name ? { name } : {}),
      mimeType: type,
      bufferView: chunks.addView(bytes),
    }),
  );
  return { ...out, textures: textures.textures, samplers: textures.samplers, images: stored };
}

/** A name that no other has, and which it is added to. */
function uniqueName(name: string, taken: Set<string>): string {
  let own = name;
  for (let n = 2; taken.has(own) && name !== ''; n++) own = `${name} ${n}`;
  taken.add(own);
  return own;
}

function makeMaterial(
  material: SurfaceMaterial,
  name: string,
  textures: TextureList,
  used: Set<string>,
): GLTF.IMaterial {
  const { color, metallic, roughness, emissive, alpha, cutoff, extras } = material;
  const { colorMap, metallicRoughnessMap, normalMap, occlusionMap, emissiveMap } = material;
  const strength = Math.max(1, ...emissive);
  const extensions: Record<string, unknown> = {};
  if (material.isUnlit) extensions[UNLIT] = {};
  if (strength > 1) extensions[EMISSIVE_STRENGTH] = { emissiveStrength: strength };
  for (const extension of Object.keys(extensions)) used.add(extension);
  const [red, green, blue] = emissive;
  return {
    name,
    pbrMetallicRoughness: {
      baseColorFactor: [...color],
      metallicFactor: metallic,
      roughnessFactor: roughness,
      ...(colorMap ? { baseColorTexture: textures.infoOf(colorMap) } : {}),
      ...(metallicRoughnessMap ? { metallicRoughnessTexture: textures.infoOf(metallicRoughnessMap) } : {}),
    },
    ...(normalMap ? { normalTexture: { ...textures.infoOf(normalMap), scale: material.normalScale } } : {}),
    ...(occlusionMap
      ? { occlusionTexture: { ...textures.infoOf(occlusionMap), strength: material.occlusionStrength } }
      : {}),
    ...(emissiveMap ? { emissiveTexture: textures.infoOf(emissiveMap) } : {}),
    ...(strength > 0 && emissive.some((x) => x > 0)
      ? { emissiveFactor: [red / strength, green / strength, blue / strength] }
      : {}),
    ...(alpha === 'opaque' ? {} : { alphaMode: alpha === 'mask' ? 'MASK' : 'BLEND' }),
    ...(alpha === 'mask' ? { alphaCutoff: cutoff } : {}),
    ...(material.isDoubleSided ? { doubleSided: true } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...(extras ? { extras: { ...extras } } : {}),
  };
}

/** Textures of images, each with its sampler, once. */
class TextureList {
  readonly textures: GLTF.ITexture[] = [];
  readonly samplers: GLTF.ISampler[] = [];
  readonly #images: SurfaceLook['images'];
  readonly #extensions: Set<string>;
  readonly #known = new Map<string, number>();

  constructor(images: SurfaceLook['images'], extensions: Set<string>) {
    this.#images = images;
    this.#extensions = extensions;
  }

  infoOf(map: SurfaceMap): GLTF.ITextureInfo {
    const { offset, rotation, scale, uv } = map;
    const info: GLTF.ITextureInfo = { index: this.#textureOf(map), ...(uv > 0 ? { texCoord: uv } : {}) };
    if ([...offset, rotation].every((x) => x === 0) && scale.every((x) => x === 1)) return info;
    this.#extensions.add(TEXTURE_TRANSFORM);
    const transform = { offset: [...offset], rotation, scale: [...scale] };
    return { ...info, extensions: { [TEXTURE_TRANSFORM]: transform } };
  }

  #textureOf({ image, wrap, isNearest }: SurfaceMap): number {
    const [wrapS, wrapT] = wrap.map((mode) => WRAPS[mode]);
    const sampler = this.#add(`sampler ${wrapS} ${wrapT} ${isNearest}`, this.samplers, () => ({
      wrapS,
      wrapT,
      ...(isNearest ? { magFilter: NEAREST, minFilter: NEAREST } : {}),
    }));
    return this.#add(`${image} ${sampler}`, this.textures, () => {
      if (this.#images[image].type !== 'image/webp') return { sampler, source: image };
      this.#extensions.add(WEBP);
      return { sampler, extensions: { [WEBP]: { source: image } } };
    });
  }

  #add<T>(key: string, list: T[], make: () => T): number {
    let index = this.#known.get(key);
    if (index === undefined) {
      index = list.push(make()) - 1;
      this.#known.set(key, index);
    }
    return index;
  }
}
