// SPDX-License-Identifier: MIT
import {
  ClampToEdgeWrapping,
  MirroredRepeatWrapping,
  NearestFilter,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from 'three';
import type { SurfaceImage, SurfaceMap } from '../../../../src/entry/index.ts';
import type { DecodedImage } from './decode-ktx2.ts';

const WRAPS = { repeat: RepeatWrapping, mirror: MirroredRepeatWrapping, clamp: ClampToEdgeWrapping };

/** Images that the page holds decoded after nothing uses them. */
const MAX_UNUSED = 8;

/** Decodes images once; all versions of a model share them. */
export class TextureStore {
  readonly #load: (image: number) => Promise<SurfaceImage | DecodedImage>;
  readonly #images = new Map<number, Promise<ImageBitmap | undefined>>();
  /** Called when an image that cannot be decoded is left out. */
  onFault: (sentence: string) => void = () => {};

  /** @param load the stored bytes of an image, or its pixels if browsers do not decode it */
  constructor(load: (image: number) => Promise<SurfaceImage | DecodedImage>) {
    this.#load = load;
  }

  /** The pixels of an image; undefined if the browser cannot decode it. */
  bitmap(image: number): Promise<ImageBitmap | undefined> {
    const known = this.#images.get(image);
    // the newest is last
    this.#images.delete(image);
    const found = known ?? this.#decode(image);
    this.#images.set(image, found);
    const oldest = [...this.#images.keys()][0];
    if (this.#images.size > MAX_UNUSED) this.#images.delete(oldest);
    return found;
  }

  /** A texture of an image. It is empty until the image is decoded; then onReady is called. */
  make(image: number, map: SurfaceMap, isColor: boolean, onReady: (texture: Texture) => void): Texture {
    const texture = new Texture();
    texture.flipY = false;
    if (isColor) texture.colorSpace = SRGBColorSpace;
    [texture.wrapS, texture.wrapT] = map.wrap.map((wrap) => WRAPS[wrap]);
    if (map.isNearest) texture.magFilter = NearestFilter;
    texture.anisotropy = 4;
    texture.channel = map.uv;
    texture.offset.set(...map.offset);
    texture.repeat.set(...map.scale);
    texture.rotation = map.rotation;
    void this.bitmap(image).then((bitmap) => {
      if (!bitmap) return;
      texture.image = bitmap;
      texture.needsUpdate = true;
      onReady(texture);
    });
    return texture;
  }

  async #decode(image: number): Promise<ImageBitmap | undefined> {
    try {
      const loaded = await this.#load(image);
      const options = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' } as const;
      if ('bytes' in loaded)
        return await createImageBitmap(new Blob([loaded.bytes as BlobPart], { type: loaded.type }), options);
      const { width, height, pixels } = loaded;
      const data = new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.length);
      return await createImageBitmap(new ImageData(data, width, height), options);
    } catch {
      this.onFault('A texture of this file cannot be decoded here; its surface is drawn without it.');
      return undefined;
    }
  }
}
