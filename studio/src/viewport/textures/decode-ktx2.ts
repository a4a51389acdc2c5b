// SPDX-License-Identifier: MIT
// Decodes KTX2 images (Basis Universal: ETC1S and UASTC). The transcoder is loaded with the first one.
import transcoderUrl from 'three/examples/jsm/libs/basis/basis_transcoder.wasm?url';

/** Pixels of an image. */
export interface DecodedImage {
  width: number;
  height: number;
  /** width x height x 4: red, green, blue and alpha */
  pixels: Uint8Array;
}

/** The first image of a file, without mipmaps, as the transcoder numbers this format. */
const RGBA32 = 13;

let transcoder: Promise<Transcoder> | undefined;

export async function decodeKtx2(bytes: Uint8Array): Promise<DecodedImage> {
  transcoder ??= loadTranscoder();
  const { KTX2File } = await transcoder;
  const file = new KTX2File(bytes);
  try {
    const [width, height] = [file.getWidth(), file.getHeight()];
    if (!file.isValid() || width === 0 || height === 0 || !file.startTranscoding())
      throw new Error('the image is not a KTX2 file of Basis Universal');
    const pixels = new Uint8Array(file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
    if (!file.transcodeImage(pixels, 0, 0, 0, RGBA32, 0, -1, -1)) throw new Error('the KTX2 image is damaged');
    return { width, height, pixels };
  } finally {
    file.close();
    file.delete();
  }
}

async function loadTranscoder(): Promise<Transcoder> {
  const [{ default: start }, answer] = await Promise.all([
    import('three/examples/jsm/libs/basis/basis_transcoder.js'),
    fetch(transcoderUrl),
  ]);
  const transcoder = await start({ wasmBinary: await answer.arrayBuffer() });
  transcoder.initializeBasis();
  return transcoder;
}

type Transcoder = Awaited<ReturnType<typeof import('three/examples/jsm/libs/basis/basis_transcoder.js')['default']>>;
