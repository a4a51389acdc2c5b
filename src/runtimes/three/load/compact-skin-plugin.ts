// SPDX-License-Identifier: MIT
import type { GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import type { JsonObject } from '../../../deformers/layout/index.ts';
import { COMPACT_EXTENSION, expandCompactSkin } from '../../../formats/compact-skin/index.ts';

/** What the types of the loader leave out. */
interface ParserInner {
  extensions: Record<string, { body: ArrayBuffer | null } | undefined>;
  meshCache: object;
  cameraCache: object;
  _markDefs(): void;
}

/** The loader's binary chunk. */
const BINARY = 'KHR_binary_glTF';

/**
 * Makes a plugin for the GLTFLoader of three.js that reads files of `--for size --codec ossify` as plain skins, with any renderer. ossifyPlugin contains it.
 * @example
 * ```ts
 * import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
 * import { compactSkinPlugin } from 'ossify/three';
 *
 * const loader = new GLTFLoader().register(compactSkinPlugin());
 * const { scene, animations } = await loader.loadAsync('model.glb');
 * ```
 */
export function compactSkinPlugin() {
  return (parser: GLTFParser): GLTFLoaderPlugin => {
    const plugin = { name: COMPACT_EXTENSION, _markDefs: () => expandParserInto(parser) };
    return plugin as GLTFLoaderPlugin;
  };
}

/**
 * Replaces the JSON and the binary chunk of a parser by plain glTF, if the file has the extension. The loader calls _markDefs of all plugins before it loads anything, but after it looked for joints and shared
 * meshes, which it does again here.
 */
export function expandParserInto(parser: GLTFParser): void {
  const json = parser.json as JsonObject;
  const inner = parser as GLTFParser & ParserInner;
  const own = inner.extensions[BINARY];
  if ((json.extensions as JsonObject | undefined)?.[COMPACT_EXTENSION] === undefined) return;
  const plain = expandCompactSkin({ json, ...(own?.body ? { binary: new Uint8Array(own.body) } : {}) });
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, plain.json);
  if (own && plain.binary) own.body = plain.binary.buffer as ArrayBuffer;
  inner.meshCache = { refs: {}, uses: {} };
  inner.cameraCache = { refs: {}, uses: {} };
  inner._markDefs();
}
