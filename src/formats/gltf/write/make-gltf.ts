// SPDX-License-Identifier: MIT
import { type Document, Format, type GLTF, type WebIO } from '@gltf-transform/core';
import { EXTMeshoptCompression } from '@gltf-transform/extensions';
import { type Shading, shadeMesh } from '../../../core/mesh/geometry/shade-mesh.ts';
import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import { MESHOPT } from '../check/check-gltf-data.ts';
import { padGltfForMeshopt } from '../codecs/pad-gltf-for-meshopt.ts';
import { buildGltfDocument } from '../document/build-gltf-document.ts';
import { jsonNode, jsonOf } from '../document/gltf-json.ts';
import { makeGltfIo, openGltfForWriting, WRITTEN_NAMES } from '../document/open-gltf-document.ts';
import { bindGltfPieces } from '../document/pieces/bind-gltf-pieces.ts';
import { listGltfPieces } from '../document/pieces/list-gltf-pieces.ts';
import { removeGltfArrays } from '../extensions/gltf-arrays-extension.ts';
import { GltfTracker } from '../keep/gltf-tracker.ts';
import { keepExtensions } from '../keep/keep-extensions.ts';
import { readGltfNodes } from '../read/read-gltf-nodes.ts';
import type { GlbContent, WriteGlbOptions } from '../write-glb.ts';
import { contentKindOf, type OpenedGltf } from './gltf-contents.ts';
import { quantizeGltf } from './quantize-gltf.ts';
import { clearIdleJoints } from './skins/clear-idle-joints.ts';
import { sortInfluences } from './skins/sort-influences.ts';

/**
 * The JSON and the binary chunk of a GLB.
 * @param options isPlain: without compression, even if the asset was read from a compressed file
 */
export async function makeGltf(
  given: Asset,
  unshaded: GlbContent,
  options: WriteGlbOptions & { isPlain?: boolean },
): Promise<{ json: GLTF.IGLTF; binary: Uint8Array }> {
  const { log } = options;
  const { quantize = false, meshopt = false, shading = 'keep' } = options;
  const kind = contentKindOf(unshaded);
  kind.check?.(unshaded);
  const { asset, content } = shade(given, unshaded, shading);
  const used = (asset.source && jsonOf(asset.source).extensionsUsed) ?? [];
  const io = await makeGltfIo(meshopt || used.includes(MESHOPT), log);
  const opened = asset.source
    ? await openSource(io, asset, asset.source, kind.needsBinding)
    : buildSource(asset, content, log);
  const { document, tracker } = opened;
  if (!kind.keepsExtensions(asset)) removeGltfArrays(document);
  kind.put(opened, asset, content, quantize);
  clearIdleJoints(document);
  sortInfluences(document);
  if (quantize) quantizeGltf(document);
  if (options.isPlain)
    document
      .getRoot()
      .listExtensionsUsed()
      .find(({ extensionName }) => extensionName === MESHOPT)
      ?.dispose();
  else if (meshopt) document.createExtension(EXTMeshoptCompression).setRequired(true);
  padGltfForMeshopt(document);
  document.getRoot().getAsset().generator = 'Ossify';
  const { json, resources } = await io.writeJSON(document, { format: Format.GLB });
  restoreTransforms(document, json);
  if (asset.source && tracker)
    keepExtensions(tracker, jsonOf(asset.source), { document, json, known: WRITTEN_NAMES }, log);
  return { json, binary: Object.values(resources)[0] ?? new Uint8Array(0) };
}

/** The asset and its content with the normals to write. */
function shade(asset: Asset, content: GlbContent, shading: Shading): { asset: Asset; content: GlbContent } {
  if (content.kind === 'clip' && asset.clips.length > 0 && shading === 'smooth') return { asset, content };
  const shaded = { ...asset, mesh: shadeMesh(asset.mesh, shading) };
  if (content.kind !== 'skin') return { asset: shaded, content };
  const { model } = content;
  const mesh = model.mesh === asset.mesh ? shaded.mesh : shadeMesh(model.mesh, shading);
  return { asset: shaded, content: { ...content, model: { ...model, mesh } } };
}

/** Opens the glTF that an asset was read from. If weights change, its binding is read before anything is removed. */
async function openSource(
  io: WebIO,
  asset: Asset,
  source: GltfSource,
  needsBinding: boolean,
): Promise<OpenedGltf & { tracker?: GltfTracker }> {
  const document = await openGltfForWriting(io, source).catch((error: unknown) => {
    // The reader checks what it uses, but an extension may have data that glTF-Transform cannot read.
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new InputError('writeGlb', `the glTF that "${asset.name}" was read from cannot be written again: ${why}`);
  });
  const tracker = new GltfTracker(document);
  const nodes = readGltfNodes(document);
  const pieces = listGltfPieces(document, nodes);
  if (!needsBinding) return { document, shown: pieces, tracker };
  const { restMatrices } = bindGltfPieces(document, nodes, pieces);
  return { document, shown: pieces, bound: { nodes: nodes.list, pieces, restMatrices }, tracker };
}

/** Makes a document from a mesh that was not read from a glTF. */
function buildSource(
  asset: Asset,
  content: GlbContent,
  log?: (message: string) => void,
): OpenedGltf & { tracker?: GltfTracker } {
  const mesh = content.kind === 'skin' ? content.model.mesh : asset.mesh;
  const { document, primitives } = buildGltfDocument(mesh, log);
  const node = document.getRoot().listNodes()[0];
  return { document, shown: primitives.map(({ part, primitive }) => ({ ...part, primitive, node })) };
}

/** Writes transforms that glTF-Transform omits: those within 1e-5 of the identity, which matters for a model of a millimetre. */
function restoreTransforms(document: Document, json: GLTF.IGLTF): void {
  for (const [n, node] of document.getRoot().listNodes().entries()) {
    const def = jsonNode(json, n);
    if (node.getTranslation().some((x) => x !== 0)) def.translation = node.getTranslation();
    if (node.getRotation().some((x, c) => x !== (c === 3 ? 1 : 0))) def.rotation = node.getRotation();
    if (node.getScale().some((x) => x !== 1)) def.scale = node.getScale();
  }
}
