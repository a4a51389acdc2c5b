// SPDX-License-Identifier: MIT
import {
  Document,
  type GLTF,
  type ILogger,
  type JSONDocument,
  Logger,
  type Node,
  Property,
  WebIO,
} from '@gltf-transform/core';
import { ALL_EXTENSIONS, EXTMeshoptCompression, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import type { GltfSource } from '../../../core/model/asset.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { MESHOPT } from '../check/check-gltf-data.ts';
import { GltfDdmExtension } from '../extensions/gltf-direct-delta-mush.ts';
import { GltfHelperExtension } from '../extensions/gltf-helper-extension.ts';
import { GltfLodExtension } from '../extensions/gltf-lod-extension.ts';
import { GltfShapeExtension } from '../extensions/gltf-shape-drivers.ts';
import { GltfBlendExtension } from '../extensions/gltf-skin-blend.ts';
import { GltfCorrectionExtension } from '../extensions/gltf-skin-correction.ts';
import { GltfLightExtension } from '../extensions/gltf-skin-light.ts';
import { GltfTwoLayerExtension } from '../extensions/gltf-two-layer.ts';
import { disposeUnused } from './add-accessor.ts';
import { jsonOf } from './gltf-json.ts';

/** Extensions that affect the stored numbers, their motion or their light. */
const READ = [
  EXTMeshoptCompression,
  GltfDdmExtension,
  GltfHelperExtension,
  GltfTwoLayerExtension,
  GltfBlendExtension,
  GltfCorrectionExtension,
  GltfLightExtension,
  GltfShapeExtension,
];

/** All extensions of glTF-Transform except Draco, which is decoded before, and those of Ossify. */
const WRITTEN = [
  ...ALL_EXTENSIONS.filter((extension) => extension !== KHRDracoMeshCompression),
  ...READ.slice(1),
  GltfLodExtension,
];

/** Names of the extensions that glTF-Transform writes as they were read. */
export const WRITTEN_NAMES: ReadonlySet<string> = new Set(WRITTEN.map(({ EXTENSION_NAME }) => EXTENSION_NAME));

/**
 * Makes glTF-Transform's reader and writer for bytes in memory: it never reads a URI by itself.
 * @param meshopt whether the document has compressed views or will be compressed
 */
export async function makeGltfIo(meshopt: boolean, log?: (message: string) => void): Promise<WebIO> {
  const note = (message: string): void => log?.(message);
  const quiet = (): void => {};
  const logger: ILogger = { debug: quiet, info: quiet, warn: note, error: note };
  const io = new WebIO().setLogger(log ? logger : new Logger(Logger.Verbosity.SILENT)).registerExtensions(WRITTEN);
  if (!meshopt) return io;
  // Loaded on demand: each module allocates WebAssembly memory when it is loaded.
  const { MeshoptEncoder } = await import('meshoptimizer/encoder');
  await MeshoptEncoder.ready;
  return io.registerDependencies({ ...(await loadDecoder()), 'meshopt.encoder': MeshoptEncoder });
}

async function loadDecoder() {
  const { MeshoptDecoder } = await import('meshoptimizer/decoder');
  await MeshoptDecoder.ready;
  return { 'meshopt.decoder': MeshoptDecoder };
}

/**
 * Opens a checked and tidied glTF for reading: nodes, meshes, skins, animations and the extensions that move them. Data that is only
 * kept (images, materials, cameras, other extensions) is omitted: it needs memory, and an error in it must not prevent reading.
 */
export async function openGltfForReading(source: GltfSource): Promise<Document> {
  const whole = jsonOf(source);
  const isRead = (name: string): boolean => READ.some(({ EXTENSION_NAME }) => EXTENSION_NAME === name);
  const { images: _images, textures: _textures, samplers: _samplers, cameras: _cameras, ...rest } = whole;
  const part: GLTF.IGLTF = {
    ...rest,
    materials: whole.materials?.map(({ name }) => ({ name })),
    extensionsUsed: whole.extensionsUsed?.filter(isRead),
    extensionsRequired: whole.extensionsRequired?.filter(isRead),
  };
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(READ);
  if (part.extensionsUsed?.includes(MESHOPT)) io.registerDependencies(await loadDecoder());
  try {
    return await readSilently(io, { json: part, resources: source.resources });
  } catch (error) {
    // the decoder's errors do not describe the fault of the file
    if (part.extensionsUsed?.includes(MESHOPT) && !(error instanceof FormatError))
      fail('syntax', 'a compressed buffer view does not decompress; the file is damaged');
    throw error;
  }
}

/**
 * Opens the whole document of a source for writing, with all its data in one buffer, as a GLB requires. Accessors that nothing uses are left out. The source is
 * not changed.
 */
export async function openGltfForWriting(io: WebIO, source: GltfSource): Promise<Document> {
  const json = jsonOf(source);
  // keepExtensions keeps the others, or names them
  const extensionsUsed = json.extensionsUsed?.filter((name) => WRITTEN_NAMES.has(name));
  const document = await readSilently(io, { json: { ...json, extensionsUsed }, resources: source.resources });
  const [first, ...others] = document.getRoot().listBuffers();
  const buffer = first ?? document.createBuffer();
  disposeUnused(document, document.getRoot().listAccessors());
  for (const accessor of document.getRoot().listAccessors()) accessor.setBuffer(buffer);
  for (const other of others) other.dispose();
  return document;
}

interface Dispatcher {
  dispatchEvent?(event: { type: string }): unknown;
}

/**
 * Reads a document without events of changes. glTF-Transform dispatches two for every value that it sets, which have no listeners before the
 * document exists; in a file of many animation channels they take half of the time of reading. The creation of properties is still
 * dispatched: the root and extensions listen for it. The override lasts as long as readJSON runs, which is synchronous. It is made only if properties
 * report their changes as expected; otherwise the document is read with its events, which is slower and gives the same document.
 */
function readSilently(io: WebIO, source: JSONDocument): Promise<Document> {
  const prototype: Dispatcher = Property.prototype;
  const { dispatchEvent } = prototype;
  if (!dispatchEvent || Object.hasOwn(prototype, 'dispatchEvent') || !reportsChanges()) return io.readJSON(source);
  prototype.dispatchEvent = function (event) {
    return event.type === 'change' ? this : dispatchEvent.call(this, event);
  };
  try {
    return io.readJSON(source);
  } finally {
    delete prototype.dispatchEvent;
  }
}

/** Whether a property reports a new value by one call of its dispatchEvent, with an event of type `change`: what readSilently replaces. */
function reportsChanges(): boolean {
  const types: string[] = [];
  const node: Dispatcher & Node = new Document().createNode();
  node.dispatchEvent = function ({ type }) {
    types.push(type);
    return this;
  };
  node.setName('renamed');
  return types.length === 1 && types[0] === 'change';
}
