// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { decomposeAffine } from '../../../core/math/decompose-affine.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { CORRECTION_EXTENSION } from '../../../deformers/corrections/index.ts';
import { DDM_EXTENSION } from '../../../deformers/direct-delta-mush/index.ts';
import { BLEND_EXTENSION } from '../../../deformers/dual-quaternion/index.ts';
import { HELPER_EXTENSION } from '../../../deformers/helper-bones/index.ts';
import type { JsonObject } from '../../../deformers/layout/index.ts';
import { LIGHT_EXTENSION } from '../../../deformers/light/index.ts';
import { SHAPE_EXTENSION } from '../../../deformers/shape-drivers/index.ts';
import { TWO_LAYER_EXTENSION } from '../../../deformers/two-layer/index.ts';
import { WRITTEN_NAMES } from '../document/open-gltf-document.ts';
import { MESHOPT } from './check-gltf-data.ts';

const SUCCESSOR = 'KHR_meshopt_compression';
const READ_EXTENSIONS = [
  ...[
    MESHOPT,
    DDM_EXTENSION,
    HELPER_EXTENSION,
    TWO_LAYER_EXTENSION,
    BLEND_EXTENSION,
    CORRECTION_EXTENSION,
    LIGHT_EXTENSION,
    SHAPE_EXTENSION,
  ],
];

/**
 * Renames KHR_meshopt_compression to the older EXT_meshopt_compression, which has the same layout and whose decoder reads
 * both. The JSON is not checked yet, so every access is guarded. Changed in place.
 */
export function renameMeshoptInto(json: unknown): void {
  const root = json as JsonObject | null;
  if (typeof root !== 'object' || root === null) return;
  for (const list of [root.extensionsUsed, root.extensionsRequired]) {
    if (!Array.isArray(list) || !list.includes(SUCCESSOR)) continue;
    if (list.includes(MESHOPT)) list.splice(list.indexOf(SUCCESSOR), 1);
    else list[list.indexOf(SUCCESSOR)] = MESHOPT;
  }
  for (const list of [root.buffers, root.bufferViews]) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const extensions = item?.extensions as JsonObject | undefined;
      if (typeof extensions !== 'object' || extensions === null || !(SUCCESSOR in extensions)) continue;
      extensions[MESHOPT] ??= extensions[SUCCESSOR];
      delete extensions[SUCCESSOR];
    }
  }
}

/**
 * Converts a checked JSON to a form that glTF-Transform reads without loss: nodes have translation, rotation and scale; sparse offsets are
 * explicit; extensions that are used are listed; channels that move no node are removed. Changed in place.
 */
export function tidyGltfInto(json: GLTF.IGLTF, log?: (message: string) => void): void {
  json.asset.version = '2.0';
  dropUnusedNames(json);
  // glTF-Transform reads only extensions that are listed.
  const primitives = (json.meshes ?? []).flatMap((mesh) => mesh.primitives);
  for (const name of READ_EXTENSIONS) {
    const has = ({ extensions }: { extensions?: Record<string, unknown> }): boolean => extensions?.[name] !== undefined;
    const isUsed = json.bufferViews?.some(has) || json.nodes?.some(has) || primitives.some(has);
    if (isUsed && !json.extensionsUsed?.includes(name)) json.extensionsUsed = [...(json.extensionsUsed ?? []), name];
  }
  // glTF-Transform uses the offset of the base accessor if a sparse part has none.
  for (const { sparse } of json.accessors ?? []) {
    if (!sparse) continue;
    sparse.indices.byteOffset ??= 0;
    sparse.values.byteOffset ??= 0;
  }
  // glTF-Transform supports neither textures without an image, nor extras that are not objects where it adds its own.
  for (const mesh of json.meshes ?? []) {
    if (typeof mesh.extras !== 'object') delete mesh.extras;
    moveTargetNames(mesh);
  }
  const isEmpty = (info?: { index: number }): boolean => {
    const texture = info && json.textures?.[info.index];
    return texture !== undefined && texture.source === undefined && texture.extensions === undefined;
  };
  for (const material of json.materials ?? []) {
    const pbr = material.pbrMetallicRoughness;
    if (isEmpty(material.normalTexture)) delete material.normalTexture;
    if (isEmpty(material.occlusionTexture)) delete material.occlusionTexture;
    if (isEmpty(material.emissiveTexture)) delete material.emissiveTexture;
    if (pbr && isEmpty(pbr.baseColorTexture)) delete pbr.baseColorTexture;
    if (pbr && isEmpty(pbr.metallicRoughnessTexture)) delete pbr.metallicRoughnessTexture;
  }
  for (const node of json.nodes ?? []) {
    if (!node.matrix) continue;
    const { translation, rotation, scale } = decomposeAffine(node.matrix);
    node.translation = [...translation];
    node.rotation = [...rotation];
    node.scale = [...scale];
    delete node.matrix;
  }
  for (const animation of json.animations ?? []) {
    const channels = animation.channels ?? [];
    const isKept = ({ target }: GLTF.IAnimationChannel) =>
      target.node !== undefined && (target.path as string) !== 'pointer';
    noteLeftOut(
      channels.filter((channel) => !isKept(channel) && !isVisibility(channel)),
      log,
    );
    animation.channels = channels.filter(isKept);
  }
  json.animations = json.animations?.filter((animation) => animation.channels.length > 0);
  if (json.animations?.length === 0) delete json.animations;
}

/** Removes names of extensions from the list of those that are used if nothing uses them. */
function dropUnusedNames(json: GLTF.IGLTF): void {
  const isOther = (name: string): boolean => !WRITTEN_NAMES.has(name) && !READ_EXTENSIONS.includes(name);
  if (!json.extensionsUsed?.some(isOther)) return;
  const found = new Set<string>();
  const stack: unknown[] = [json];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const { extensions } = value as { extensions?: unknown };
    if (typeof extensions === 'object' && extensions !== null && !Array.isArray(value))
      for (const name of Object.keys(extensions)) found.add(name);
    for (const own of Object.values(value)) if (typeof own === 'object') stack.push(own);
  }
  json.extensionsUsed = json.extensionsUsed.filter((name) => !isOther(name) || found.has(name));
}

/** Some exporters name morph targets at the primitives, where glTF-Transform does not look. */
function moveTargetNames(mesh: GLTF.IMesh): void {
  const own = (mesh.extras ?? {}) as Record<string, unknown>;
  if (own.targetNames !== undefined) return;
  for (const { extras } of mesh.primitives) {
    const { targetNames } = (extras ?? {}) as { targetNames?: unknown };
    if (!Array.isArray(targetNames) || !targetNames.every((name) => typeof name === 'string')) continue;
    mesh.extras = { ...own, targetNames };
    return;
  }
}

/** Properties that a note lists. */
const MAX_NAMED = 3;

/** Names what channels animate that no model has: materials, cameras, lights. */
function noteLeftOut(channels: readonly GLTF.IAnimationChannel[], log?: (message: string) => void): void {
  if (channels.length === 0) return;
  const pointers = new Set(channels.flatMap((channel) => pointerOf(channel) ?? []));
  const named = [...pointers].slice(0, MAX_NAMED).map((pointer) => quoteName(pointer));
  const more = pointers.size > named.length ? `, and ${pointers.size - named.length} more` : '';
  const properties = named.length > 0 ? ` (${named.join(', ')}${more})` : '';
  log?.(
    channels.length === 1
      ? `an animation channel that moves no node${properties} is not written to other files`
      : `${channels.length} animation channels that move no node${properties} are not written to other files`,
  );
}

/** Whether a channel switches a node. The reader of flip-books reports those that it does not use. */
function isVisibility(channel: GLTF.IAnimationChannel): boolean {
  return pointerOf(channel)?.endsWith('/KHR_node_visibility/visible') ?? false;
}

/** What a channel of KHR_animation_pointer animates. */
function pointerOf({ target }: GLTF.IAnimationChannel): string | undefined {
  const { pointer } = (target.extensions?.KHR_animation_pointer ?? {}) as { pointer?: unknown };
  return typeof pointer === 'string' ? pointer : undefined;
}
