// SPDX-License-Identifier: MIT
// A glTF is kept byte for byte where a target needs no change of it. Where it does, the scene is written anew with its materials; data of extensions that name nodes or
// meshes, such as an avatar, then stays as it is, and only influences are cut.

import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import {
  listContents,
  listScene,
  type Scene,
  type WriteGlbOptions,
  writeFittedGlb,
  writeGlb,
} from '../../../formats/gltf/index.ts';
import { cutSkin, fitMeshes, fitScene } from '../../../formats/targets/index.ts';
import { readWritten } from '../../report/index.ts';
import { changeGltfScene, type OutputSettings } from '../output/list-output-scenes.ts';

/** Extensions about materials, images, lights and storage, which do not name nodes or meshes. */
const FREE =
  /^(KHR_materials_(?!variants)|KHR_texture_|EXT_texture_|KHR_lights_punctual|KHR_draco|(EXT|KHR)_meshopt|KHR_mesh_quantization|OSSIFY_compact_skin)/;

/** The GLB as its target expects it; undefined if it is that already. */
export async function fitGlb(
  model: Asset,
  settings: OutputSettings,
  { quantize, meshopt }: WriteGlbOptions = {},
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { source } = model;
  if (!source || !isFitted(settings)) return undefined;
  if (listBound(model, settings).length > 0) return cutBound(model, settings, { quantize, meshopt });
  const scene = await changeGltfScene(model, settings);
  return scene && writeChanged(scene, source, { quantize, meshopt });
}

/** Writes a scene with the materials of its source, as every GLB is written: with ranges of positions and times, and compressed if that is wanted. */
async function writeChanged(
  scene: Scene,
  source: GltfSource,
  storing: WriteGlbOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return writeGlb(await readWritten(writeFittedGlb(scene, source)), { kind: 'clip' }, storing);
}

/** The glTF as its target expects it. */
export async function fitSource(model: Asset, settings: OutputSettings): Promise<GltfSource | undefined> {
  const { source } = model;
  if (!source || !isFitted(settings)) return source;
  const bytes = await fitGlb(model, settings);
  return bytes ? (await readWritten(bytes)).source : source;
}

const isFitted = ({ target, steps = [] }: OutputSettings): boolean => target !== undefined || steps.length > 0;

/** Extensions that a new scene would lose, and the target reads. Those of this project are for pages. */
function listBound(model: Asset, { target }: Pick<OutputSettings, 'target'>): string[] {
  const isOurs = (name: string): boolean => name.startsWith('OSSIFY_');
  return listContents(model).extensions.filter(
    (name) => !FREE.test(name) && (!isOurs(name) || target === undefined || target.name === 'web'),
  );
}

/** The GLB with fewer influences; all else is kept. */
async function cutBound(
  model: Asset,
  { target, log }: OutputSettings,
  storing: WriteGlbOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!model.source || !target) return undefined;
  const scene = await listScene(model.source);
  fitMeshes(scene, target, log);
  const bound = listBound(model, { target });
  if (fitScene(scene, target).nodes !== scene.nodes)
    log?.(
      `nodes and their names stay as they are, since ${bound.join(', ')} ${bound.length === 1 ? 'refers' : 'refer'} to them; ${target.title} may change them`,
    );
  const cut = model.rig && cutSkin(model.rig.skin, target.influences?.value ?? Infinity);
  return cut ? writeGlb(model, { kind: 'weights', skin: cut.skin }, storing) : undefined;
}
