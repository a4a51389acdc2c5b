// SPDX-License-Identifier: MIT
/// <reference path="./draco3dgltf.d.ts" />
import type { DracoModule } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';

/** Loads Draco's decoder. Every call makes a module of its own: its memory grows with the file and is freed with it. */
export async function loadDracoDecoder(): Promise<DracoModule> {
  const { default: createDecoderModule } = await import('draco3dgltf/draco_decoder_gltf_nodejs.js');
  // Node finds the WebAssembly beside the script; bundlers copy the file that this address names.
  if (typeof process === 'object' && process.versions?.node) return createDecoderModule({});
  const response = await fetch(new URL('draco3dgltf/draco_decoder_gltf.wasm', import.meta.url));
  return createDecoderModule({ wasmBinary: await response.arrayBuffer() });
}
