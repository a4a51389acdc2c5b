// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { objectField } from '../../../deformers/layout/index.ts';
import { expandCompactSkin } from '../../compact-skin/index.ts';
import { jsonOf, makeSource } from '../document/gltf-json.ts';
import { loadGltfResources } from '../document/load-gltf-resources.ts';
import { splitGlb } from '../document/split-glb.ts';
import { GltfRepairs } from '../repair/gltf-repairs.ts';
import type { AnimationContents, Contents } from './contents.ts';
import { listUsed } from './list-used.ts';

/**
 * Lists what an asset holds: meshes, materials, images, sets of UVs and colours, morph targets, joints, nodes, animations, cameras, lights, custom properties and
 * extensions. What two files hold can be compared.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { listContents, readAsset } from 'ossify';
 *
 * const asset = await readAsset([{ name: 'hero.fbx', bytes: await readFile('hero.fbx') }]);
 * console.log(listContents(asset).morphTargets);
 * ```
 */
export function listContents(asset: Asset): Contents {
  if (!asset.source) return listPlainContents(asset);
  const contents = listSourceContents(asset.source);
  return { ...contents, animations: [...contents.animations, ...listFrames(asset)] };
}

/** The same of a GLB that was written, without reading its geometry. */
export async function listGlbContents(bytes: Uint8Array): Promise<Contents> {
  const split = splitGlb(bytes);
  const { json, binary } = expandCompactSkin({ json: objectField(split.json, 'the glTF'), binary: split.binary });
  const gltf = jsonOf({ json });
  return listSourceContents(
    makeSource(
      gltf,
      await loadGltfResources(gltf, binary, undefined, { repairs: new GltfRepairs(), missingImages: new Set() }),
    ),
  );
}

function listSourceContents(source: GltfSource): Contents {
  const json = jsonOf(source);
  const { nodes, meshes, primitives, materials, images, skins } = listUsed(json);
  const attributes = primitives.map((primitive) => Object.keys(primitive.attributes));
  const most = (pattern: RegExp): number =>
    attributes.reduce((max, names) => Math.max(max, names.filter((name) => pattern.test(name)).length), 0);
  const jointNodes = [...new Set(skins.flatMap(({ joints }) => joints))];
  return {
    meshes: meshes.map(({ mesh, node }) => mesh.name || node.name || ''),
    parts: primitives.length,
    vertices: sum(primitives, ({ attributes: { POSITION } }) => countOf(json, POSITION)),
    triangles: sum(primitives, (primitive) => countOf(json, primitive.indices ?? primitive.attributes.POSITION) / 3),
    ...{ uvSets: most(/^TEXCOORD_\d+$/), colorSets: most(/^COLOR_\d+$/) },
    tangents: attributes.filter((names) => names.includes('TANGENT')).length,
    materials: materials.map(({ name = '' }) => name),
    images: images.map((image) => hashImage(source, image)),
    morphTargets: listMorphTargets(meshes.map(({ mesh }) => mesh)),
    skins: skins.length,
    joints: jointNodes.map((joint) => json.nodes?.[joint]?.name ?? ''),
    influences: 4 * most(/^JOINTS_\d+$/),
    nodes: nodes.map(({ name = '' }) => name),
    extras: listExtras([...nodes, ...meshes.map(({ mesh }) => mesh), ...materials]),
    animations: (json.animations ?? []).map(({ name = '', channels, samplers }) => ({
      name,
      channels: channels.length,
      interpolations: [...new Set(samplers.map(({ interpolation = 'LINEAR' }) => interpolation))].sort(),
    })),
    cameras: nodes.flatMap(({ camera }) => (camera === undefined ? [] : [json.cameras?.[camera]?.name ?? ''])),
    lights: nodes.flatMap((node) => listLights(json, node)),
    extensions: [...(json.extensionsUsed ?? [])].sort(),
  };
}

/** What an asset of a format without a scene holds. */
function listPlainContents({ mesh, rig, morphs, animations, clips, nodes }: Asset): Contents {
  const named = (pattern: RegExp): number => mesh.attributes.filter(({ name }) => pattern.test(name)).length;
  const animated = animations.map(({ name, tracks }) => ({
    name,
    channels: tracks.length,
    interpolations: ['LINEAR'],
  }));
  return {
    meshes: [mesh.name],
    parts: mesh.parts.length,
    vertices: mesh.positions.length / 3,
    triangles: mesh.triangles.length / 3,
    ...{ uvSets: named(/^TEXCOORD_\d+$/), colorSets: named(/^COLOR_\d+$/) },
    tangents: named(/^TANGENT$/),
    materials: [...new Set(mesh.parts.map(({ material }) => material).filter(Boolean))],
    images: [],
    morphTargets: [...new Set((morphs?.targets ?? []).map(({ name }) => name))],
    skins: rig ? 1 : 0,
    joints: rig?.skeleton.names ?? [],
    influences: rig ? maxInfluencesOf(rig.skin) : 0,
    nodes: nodes.names,
    extras: [],
    animations: [...animated, ...listFrames({ clips })],
    ...{ cameras: [], lights: [], extensions: [] },
  };
}

/** Frames of positions, as animations. */
const listFrames = ({ clips }: Pick<Asset, 'clips'>): AnimationContents[] =>
  clips.map(({ name }) => ({ name, channels: 1, interpolations: ['LINEAR'] }));

const sum = <T>(list: readonly T[], value: (item: T) => number): number =>
  list.reduce((total, item) => total + value(item), 0);

const countOf = ({ accessors = [] }: GLTF.IGLTF, index: number | undefined): number =>
  index === undefined ? 0 : (accessors[index]?.count ?? 0);

function listMorphTargets(meshes: readonly GLTF.IMesh[]): string[] {
  const names = meshes.flatMap((mesh) => {
    const count = mesh.primitives.reduce((max, { targets = [] }) => Math.max(max, targets.length), 0);
    // some exporters name them at the primitives
    const given = [mesh, ...mesh.primitives].map(targetNamesOf).find((list) => list !== undefined) ?? [];
    return Array.from({ length: count }, (_, t) => String(given[t] || `target ${t}`));
  });
  return [...new Set(names)];
}

function targetNamesOf({ extras }: { extras?: unknown }): readonly unknown[] | undefined {
  const given: unknown = (extras as Record<string, unknown> | undefined)?.targetNames;
  return Array.isArray(given) ? given : undefined;
}

/** Names of custom properties; those of morph targets are listed with them. */
function listExtras(items: readonly { extras?: unknown }[]): string[] {
  const keys = items.flatMap(({ extras }) =>
    typeof extras === 'object' && extras !== null ? Object.keys(extras) : [],
  );
  return [...new Set(keys)].filter((key) => key !== 'targetNames');
}

function listLights({ extensions }: GLTF.IGLTF, { extensions: own }: GLTF.INode): string[] {
  const used = own?.KHR_lights_punctual as { light?: unknown } | undefined;
  if (!used) return [];
  const { lights } = (extensions?.KHR_lights_punctual ?? {}) as { lights?: unknown };
  const light: unknown = Array.isArray(lights) && typeof used.light === 'number' ? lights[used.light] : undefined;
  const { name } = (light ?? {}) as { name?: unknown };
  return [typeof name === 'string' ? name : ''];
}

/** A hash of the bytes of an image as stored. */
function hashImage({ json, resources }: GltfSource, { uri, bufferView }: GLTF.IImage): string {
  if (bufferView === undefined) return hashBytes(resources[uri ?? ''] ?? new Uint8Array());
  const { buffers, bufferViews } = jsonOf({ json });
  const view = bufferViews?.[bufferView];
  const bytes = view && resources[buffers?.[view.buffer]?.uri ?? '@glb.bin'];
  const start = view?.byteOffset ?? 0;
  return hashBytes(bytes?.subarray(start, start + (view?.byteLength ?? 0)) ?? new Uint8Array());
}

/** FNV-1a of 32 bits, and the number of bytes. */
function hashBytes(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (let n = 0; n < bytes.length; n++) hash = Math.imul(hash ^ bytes[n], 0x01000193);
  return `${(hash >>> 0).toString(16).padStart(8, '0')}-${bytes.length}`;
}
