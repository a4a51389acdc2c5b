// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import type {
  Extras,
  SurfaceImage,
  SurfaceLook,
  SurfaceMap,
  SurfaceMaterial,
  SurfaceWrap,
} from '../../../core/model/surface-look.ts';
import { jsonBuffer, jsonOf, jsonView } from './gltf-json.ts';
import { GLB_BINARY } from './load-gltf-resources.ts';

/** Wrapping modes and filters of samplers, by their number in glTF. */
const WRAPS: Readonly<Record<number, SurfaceWrap>> = { 33071: 'clamp', 33648: 'mirror', 10497: 'repeat' };
const NEAREST = 9728;

type TextureInfo = GLTF.ITextureInfo | undefined;

/**
 * Lists the materials of an asset for drawing: the materials of its glTF, and the material of each part of the mesh, which is found by name. Undefined if the
 * asset has none. Bytes of images are views into the source. Images in a format that browsers cannot decode (KTX2) are listed as they are.
 * @example
 * ```ts
 * import { listSurfaces } from 'ossify';
 *
 * const look = listSurfaces(asset);
 * console.log(look?.materials.map(({ name, color }) => `${name} ${color}`));
 * ```
 */
export function listSurfaces({ source, mesh }: Pick<Asset, 'source' | 'mesh'>): SurfaceLook | undefined {
  const look = source && readGltfLook(source);
  if (!look?.materials.length) return undefined;
  const names = look.materials.map(({ name }) => name);
  const materialOfPart = mesh.parts.map(({ material }) => (material === '' ? -1 : names.indexOf(material)));
  return materialOfPart.every((m) => m < 0) ? undefined : { ...look, materialOfPart };
}

/** The materials of a glTF in its order, and their images. */
export function readGltfLook(source: GltfSource): Pick<SurfaceLook, 'materials' | 'images'> {
  const json = jsonOf(source);
  return {
    materials: (json.materials ?? []).map((one, m) => readMaterial(json, one, one.name || `material ${m}`)),
    images: (json.images ?? []).map((image) => readImage(json, image, source)),
  };
}

function readMaterial(json: GLTF.IGLTF, material: GLTF.IMaterial, name: string): SurfaceMaterial {
  const { pbrMetallicRoughness: pbr = {}, normalTexture, occlusionTexture, emissiveTexture } = material;
  const map = (info: TextureInfo): SurfaceMap | undefined => info && readMap(json, info);
  const extensions = (material.extensions ?? {}) as Record<string, Record<string, unknown>>;
  const strength = Number(extensions.KHR_materials_emissive_strength?.emissiveStrength ?? 1);
  const [red, green, blue] = material.emissiveFactor ?? [0, 0, 0];
  // The older workflow: its diffuse colour is the base colour of a surface that is no metal.
  const glossy = extensions.KHR_materials_pbrSpecularGlossiness;
  const factor = (glossy ? glossy.diffuseFactor : pbr.baseColorFactor) as number[] | undefined;
  const [r, g, b, a] = factor ?? [1, 1, 1, 1];
  return {
    name,
    color: [r, g, b, a],
    metallic: glossy ? 0 : (pbr.metallicFactor ?? 1),
    roughness: glossy ? 1 - Number(glossy.glossinessFactor ?? 1) : (pbr.roughnessFactor ?? 1),
    emissive: [strength * red, strength * green, strength * blue],
    alpha: material.alphaMode === 'MASK' ? 'mask' : material.alphaMode === 'BLEND' ? 'blend' : 'opaque',
    cutoff: material.alphaCutoff ?? 0.5,
    isDoubleSided: material.doubleSided === true,
    isUnlit: 'KHR_materials_unlit' in extensions,
    normalScale: normalTexture?.scale ?? 1,
    occlusionStrength: occlusionTexture?.strength ?? 1,
    colorMap: map((glossy ? glossy.diffuseTexture : pbr.baseColorTexture) as TextureInfo),
    metallicRoughnessMap: glossy ? undefined : map(pbr.metallicRoughnessTexture),
    normalMap: map(normalTexture),
    occlusionMap: map(occlusionTexture),
    emissiveMap: map(emissiveTexture),
    ...(isFilled(material.extras) ? { extras: material.extras } : {}),
  };
}

function readMap(json: GLTF.IGLTF, info: GLTF.ITextureInfo): SurfaceMap | undefined {
  const texture = json.textures?.[info.index];
  const other = (texture?.extensions?.EXT_texture_webp ?? texture?.extensions?.KHR_texture_basisu) as
    | { source?: number }
    | undefined;
  const image = texture?.source ?? other?.source;
  if (!texture || image === undefined || !json.images?.[image]) return undefined;
  const sampler = texture.sampler === undefined ? {} : (json.samplers?.[texture.sampler] ?? {});
  const transform = (info.extensions?.KHR_texture_transform ?? {}) as {
    offset?: [number, number];
    rotation?: number;
    scale?: [number, number];
    texCoord?: number;
  };
  return {
    image,
    uv: transform.texCoord ?? info.texCoord ?? 0,
    wrap: [WRAPS[sampler.wrapS ?? 0] ?? 'repeat', WRAPS[sampler.wrapT ?? 0] ?? 'repeat'],
    isNearest: sampler.magFilter === NEAREST,
    offset: transform.offset ?? [0, 0],
    rotation: transform.rotation ?? 0,
    scale: transform.scale ?? [1, 1],
  };
}

function isFilled(extras: unknown): extras is Extras {
  return typeof extras === 'object' && extras !== null && Object.keys(extras).length > 0;
}

function readImage(json: GLTF.IGLTF, image: GLTF.IImage, { resources }: GltfSource): SurfaceImage {
  const type = image.mimeType ?? '';
  // names of resources that stand for data URIs say nothing
  const file = image.uri?.startsWith('__data') ? undefined : image.uri?.replace(/^.*\//, '');
  const name = image.name || file;
  const named = name === undefined ? {} : { name };
  if (image.bufferView === undefined) return { type, bytes: resources[image.uri ?? ''] ?? new Uint8Array(0), ...named };
  const { buffer, byteOffset = 0, byteLength } = jsonView(json, image.bufferView);
  const bytes = resources[jsonBuffer(json, buffer).uri ?? GLB_BINARY];
  return { type, bytes: bytes.subarray(byteOffset, byteOffset + byteLength), ...named };
}
