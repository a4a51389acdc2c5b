// SPDX-License-Identifier: MIT
// Data that is kept but not used here: images, textures, materials, cameras. Viewers draw a mesh without it, so what cannot be used is left out.
import {
  choiceField,
  indexField,
  type JsonObject,
  listField,
  objectField,
  optionalBoolean,
  optionalIndex,
  optionalNumber,
  optionalNumbers,
  optionalString,
  stringField,
} from '../../../deformers/layout/index.ts';
import type { GltfRepairs, RepairKind } from '../repair/gltf-repairs.ts';
import { checkGltfUri } from './check-gltf-uri.ts';

/** Removes a field unless it passes a check. Changed in place. */
function keepIf(
  repairs: GltfRepairs,
  parent: JsonObject,
  key: string,
  check: (value: unknown) => void,
  kind: RepairKind = 'field',
): void {
  if (parent[key] !== undefined && !repairs.passes(kind, () => check(parent[key]))) delete parent[key];
}

/**
 * Checks images, textures, materials and cameras, and removes what cannot be used. Changed in place.
 * @returns indices of images without data
 */
export function checkGltfLook(json: JsonObject, repairs: GltfRepairs): Set<number> {
  const viewCount = listField(json, 'bufferViews').length;
  const images = listField(json, 'images');
  const missing = new Set<number>();
  images.forEach((image, n) => {
    const where = `images[${n}]`;
    keepIf(repairs, image, 'mimeType', (value) => optionalString(value, `${where}.mimeType`));
    keepIf(repairs, image, 'name', (value) => optionalString(value, `${where}.name`));
    if (!repairs.passes('image', () => checkImage(image, viewCount, where))) missing.add(n);
  });
  const samplerCount = listField(json, 'samplers').length;
  const textures = listField(json, 'textures');
  textures.forEach((texture, n) => {
    const check = (key: string, count: number, what: string): void =>
      keepIf(repairs, texture, key, (value) => optionalIndex(value, count, `textures[${n}].${key}`, what), 'reference');
    check('source', images.length, 'image');
    check('sampler', samplerCount, 'sampler');
  });
  listField(json, 'materials').forEach((material, n) => {
    checkMaterial(material, textures.length, `materials[${n}]`, repairs);
  });
  listField(json, 'cameras').forEach((camera, n) => {
    checkCamera(camera, `cameras[${n}]`);
  });
  return missing;
}

/** Throws if an image has no data in the file, or names none beside it. */
function checkImage(image: JsonObject, viewCount: number, where: string): void {
  if (image.uri !== undefined) {
    const uri = stringField(image.uri, `${where}.uri`);
    if (!/^data:/i.test(uri)) checkGltfUri(uri);
    return;
  }
  indexField(image.bufferView, viewCount, `${where}.bufferView`, 'buffer view');
}

function checkMaterial(material: JsonObject, textureCount: number, where: string, repairs: GltfRepairs): void {
  const own = (key: string, check: (value: unknown, place: string) => void): void =>
    keepIf(repairs, material, key, (value) => check(value, `${where}.${key}`));
  own('name', optionalString);
  own('doubleSided', optionalBoolean);
  own('alphaCutoff', optionalNumber);
  own('emissiveFactor', (value, place) => optionalNumbers(value, place, 3));
  own('pbrMetallicRoughness', objectField);
  const pbr = (material.pbrMetallicRoughness ?? {}) as JsonObject;
  keepIf(repairs, pbr, 'baseColorFactor', (value) => optionalNumbers(value, `${where}.baseColorFactor`, 4));
  for (const key of ['metallicFactor', 'roughnessFactor'])
    keepIf(repairs, pbr, key, (value) => optionalNumber(value, `${where}.${key}`));
  const checkInfo = (value: unknown, place: string): void => {
    indexField(objectField(value, place).index, textureCount, `${place}.index`, 'texture');
  };
  for (const key of ['normalTexture', 'occlusionTexture', 'emissiveTexture'])
    keepIf(repairs, material, key, (value) => checkInfo(value, `${where}.${key}`), 'reference');
  for (const key of ['baseColorTexture', 'metallicRoughnessTexture'])
    keepIf(repairs, pbr, key, (value) => checkInfo(value, `${where}.${key}`), 'reference');
}

function checkCamera(camera: JsonObject, where: string): void {
  choiceField(camera.type, ['perspective', 'orthographic'], `${where}.type`);
  const kind = camera.type as string;
  for (const [key, value] of Object.entries(objectField(camera[kind], `${where}.${kind}`)))
    if (key !== 'extras' && key !== 'extensions') optionalNumber(value, `${where}.${kind}.${key}`);
}
