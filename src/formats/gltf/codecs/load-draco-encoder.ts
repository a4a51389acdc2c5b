// SPDX-License-Identifier: MIT
/// <reference path="./draco3dgltf.d.ts" />
import type { DracoEncoderModule } from 'draco3dgltf/draco_encoder_gltf_nodejs.js';

let loaded: Promise<DracoEncoderModule> | undefined;

/** Loads Draco's encoder, once. */
export function loadDracoEncoder(): Promise<DracoEncoderModule> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<DracoEncoderModule> {
  const { default: createEncoderModule } = await import('draco3dgltf/draco_encoder_gltf_nodejs.js');
  // Node finds the WebAssembly beside the script; bundlers copy the file that this address names.
  if (typeof process === 'object' && process.versions?.node) return createEncoderModule({});
  const response = await fetch(new URL('draco3dgltf/draco_encoder.wasm', import.meta.url));
  return createEncoderModule({ wasmBinary: await response.arrayBuffer() });
}
