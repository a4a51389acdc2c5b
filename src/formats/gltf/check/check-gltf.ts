// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { fail, objectField, stringField } from '../../../deformers/layout/index.ts';
import { jsonOf } from '../document/gltf-json.ts';
import type { GltfRepairs } from '../repair/gltf-repairs.ts';
import { checkGltfData, MESHOPT } from './check-gltf-data.ts';
import { checkGltfLook } from './check-gltf-look.ts';
import { checkGltfScene } from './check-gltf-scene.ts';

/** Extensions that a file may require. Their data is either read here or kept unchanged. */
const READABLE = new Set([
  'KHR_mesh_quantization',
  'KHR_draco_mesh_compression',
  MESHOPT,
  'KHR_meshopt_compression',
  'KHR_texture_transform',
  'KHR_texture_basisu',
  'EXT_texture_webp',
  'EXT_texture_avif',
  'KHR_lights_punctual',
  'EXT_mesh_gpu_instancing',
  'KHR_node_visibility',
  'KHR_animation_pointer',
  'KHR_xmp_json_ld',
  'KHR_materials_anisotropy',
  'KHR_materials_clearcoat',
  'KHR_materials_diffuse_transmission',
  'KHR_materials_dispersion',
  'KHR_materials_emissive_strength',
  'KHR_materials_ior',
  'KHR_materials_iridescence',
  'KHR_materials_pbrSpecularGlossiness',
  'KHR_materials_sheen',
  'KHR_materials_specular',
  'KHR_materials_transmission',
  'KHR_materials_unlit',
  'KHR_materials_variants',
  'KHR_materials_volume',
]);

export interface CheckedGltf {
  json: GLTF.IGLTF;
  /** Decoded size of all accessors and compressed views in bytes. */
  decodedBytes: number;
  /** Indices of images without data. */
  missingImages: Set<number>;
}

/**
 * Checks the JSON of a glTF: the type of every field that is used, indices, ranges of views and accessors, matching
 * counts, the node trees, URIs, and required extensions. What viewers do without is removed and counted; the JSON is changed in place. Values inside buffers are
 * checked when they are read.
 */
export function checkGltf(value: unknown, repairs: GltfRepairs): CheckedGltf {
  const json = objectField(value, 'the glTF');
  const asset = objectField(json.asset, 'asset');
  const version = stringField(asset.version, 'asset.version');
  if (!/^2(\.\d+)?$/.test(version)) fail('version', `the file is glTF ${version.slice(0, 20)}; only version 2 is read`);
  if (asset.minVersion !== undefined && asset.minVersion !== '2.0')
    fail('version', `the file needs glTF ${String(asset.minVersion).slice(0, 20)}; only 2.0 is read`);

  for (const list of ['extensionsUsed', 'extensionsRequired']) {
    const names = json[list] ?? [];
    if (!Array.isArray(names)) fail('syntax', `${list} must be an array of names`);
    names.forEach((name, n) => {
      stringField(name, `${list}[${n}]`);
      if (list === 'extensionsRequired' && !READABLE.has(name))
        fail(
          'unsupported',
          `the file requires the extension ${name.slice(0, 60)}, which is not read; export it without`,
        );
    });
  }

  const decodedBytes = checkGltfData(json);
  const missingImages = checkGltfLook(json, repairs);
  checkGltfScene(json, repairs);
  return { json: jsonOf({ json }), decodedBytes, missingImages };
}
