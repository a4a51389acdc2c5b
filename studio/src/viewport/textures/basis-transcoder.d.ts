// SPDX-License-Identifier: MIT
// The transcoder of Basis Universal in three.js, as far as the page uses it. vite.config.ts makes it a module.

declare module 'three/examples/jsm/libs/basis/basis_transcoder.js' {
  interface Ktx2File {
    isValid(): boolean;
    getWidth(): number;
    getHeight(): number;
    startTranscoding(): number;
    getImageTranscodedSizeInBytes(level: number, layer: number, face: number, format: number): number;
    transcodeImage(
      pixels: Uint8Array,
      level: number,
      layer: number,
      face: number,
      format: number,
      unused: number,
      channel0: number,
      channel1: number,
    ): number;
    close(): void;
    delete(): void;
  }
  export default function start(options: { wasmBinary: ArrayBuffer }): Promise<{
    initializeBasis(): void;
    KTX2File: new (bytes: Uint8Array) => Ktx2File;
  }>;
}

declare module '*.wasm?url' {
  const url: string;
  export default url;
}
