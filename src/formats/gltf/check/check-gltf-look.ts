// SPDX-License-Identifier: MIT

import {
  choiceField,
  fail,
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
import { checkGltfUri } from './check-gltf-uri.ts';

/** Checks data that is kept but not used here: images, textures, materials, cameras. */
export function checkGltfLook(json: JsonObject): void {
  const viewCount = listField(json, 'bufferViews').length;
  const images = listField(json, 'images');
  images.forEach((image, n) => {
    optionalIndex(image.bufferView, viewCount, `images[${n}].bufferView`, 'buffer view');
    optionalString(image.mimeType, `images[${n}].mimeType`);
    if (image.uri !== undefined) {
      const uri = stringField(image.uri, `images[${n}].uri`);
      if (!/^data:/i.test(uri)) checkGltfUri(uri);
    } else if (image.bufferView === undefined) fail('syntax', `images[${n}] has neither a URI nor a buffer view`);
  });
  const samplerCount = listField(json, 'samplers').length;
  const textures = listField(json, 'textures');
  textures.forEach((texture, n) => {
    optionalIndex(texture.source, images.length, `textures[${n}].source`, 'image');
    optionalIndex(texture.sampler, samplerCount, `textures[${n}].sampler`, 'sampler');
  });
  listField(json, 'materials').forEach((material, n) => {
    checkMaterial(material, textures.length, `materials[${n}]`);
  });
  listField(json, 'cameras').forEach((camera, n) => {
    choiceField(camera.type, ['perspective', 'orthographic'], `cameras[${n}].type`);
    const kind = camera.type as string;
    for (const [key, value] of Object.entries(objectField(camera[kind], `cameras[${n}].${kind}`)))
      if (key !== 'extras' && key !== 'extensions') optionalNumber(value, `cameras[${n}].${kind}.${key}`);
  });
}

function checkMaterial(material: JsonObject, textureCount: number, where: string): void {
  optionalString(material.name, `${where}.name`);
  optionalBoolean(material.doubleSided, `${where}.doubleSided`);
  optionalNumber(material.alphaCutoff, `${where}.alphaCutoff`);
  optionalNumbers(material.emissiveFactor, `${where}.emissiveFactor`, 3);
  const pbr =
    material.pbrMetallicRoughness === undefined
      ? {}
      : objectField(material.pbrMetallicRoughness, `${where}.pbrMetallicRoughness`);
  optionalNumbers(pbr.baseColorFactor, `${where}.baseColorFactor`, 4);
  optionalNumber(pbr.metallicFactor, `${where}.metallicFactor`);
  optionalNumber(pbr.roughnessFactor, `${where}.roughnessFactor`);
  const infos: [string, unknown][] = [
    ['normalTexture', material.normalTexture],
    ['occlusionTexture', material.occlusionTexture],
    ['emissiveTexture', material.emissiveTexture],
    ['baseColorTexture', pbr.baseColorTexture],
    ['metallicRoughnessTexture', pbr.metallicRoughnessTexture],
  ];
  for (const [name, value] of infos) {
    if (value === undefined) continue;
    const info = objectField(value, `${where}.${name}`);
    indexField(info.index, textureCount, `${where}.${name}.index`, 'texture');
  }
}
