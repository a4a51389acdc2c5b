// SPDX-License-Identifier: MIT
import { type Document, type ILogger, Logger, WebIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import type { GltfSource } from '../model/asset.ts';
import { GltfDdmExtension } from './gltf-direct-delta-mush.ts';
import { GltfHelperExtension } from './gltf-helper-bones.ts';
import { GltfSkinCorrectionExtension } from './gltf-skin-correction.ts';
import { GltfTwoLayerExtension } from './gltf-two-layer.ts';

/** Every extension glTF-Transform knows but Draco, whose decoder is not part of this project, and our own. */
const EXTENSIONS = [
  ...ALL_EXTENSIONS.filter((extension) => extension !== KHRDracoMeshCompression),
  GltfDdmExtension,
  GltfHelperExtension,
  GltfTwoLayerExtension,
  GltfSkinCorrectionExtension,
];

/**
 * glTF-Transform set up for bytes in memory: it never reads a URI by itself.
 * @param meshopt whether the document has or shall have compressed views
 */
export async function makeGltfIo(meshopt: boolean, log?: (message: string) => void): Promise<WebIO> {
  const tell = (message: string): void => log?.(message);
  const quiet = (): void => {};
  const logger: ILogger = { debug: quiet, info: quiet, warn: tell, error: tell };
  const io = new WebIO().setLogger(log ? logger : new Logger(Logger.Verbosity.SILENT)).registerExtensions(EXTENSIONS);
  if (!meshopt) return io;
  // Loaded where it is needed, not with this module: each takes WebAssembly memory as soon as it is loaded.
  const [{ MeshoptDecoder }, { MeshoptEncoder }] = await Promise.all([
    import('meshoptimizer/decoder'),
    import('meshoptimizer/encoder'),
  ]);
  await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
  return io.registerDependencies({ 'meshopt.decoder': MeshoptDecoder, 'meshopt.encoder': MeshoptEncoder });
}

/** The document of a source, with all its data in one buffer as a GLB needs it. The source is not changed. */
export async function openGltfSource(io: WebIO, source: GltfSource): Promise<Document> {
  const { json, resources } = source;
  const document = await io.readJSON({ json: json as never, resources });
  const [first, ...others] = document.getRoot().listBuffers();
  const buffer = first ?? document.createBuffer();
  for (const accessor of document.getRoot().listAccessors()) accessor.setBuffer(buffer);
  for (const other of others) other.dispose();
  return document;
}
