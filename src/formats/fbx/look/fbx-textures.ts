// SPDX-License-Identifier: MIT
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Remark } from '../../../core/model/remark.ts';
import type { SurfaceImage, SurfaceMap } from '../../../core/model/surface-look.ts';
import { findFbxChild, textOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf, vectorProperty } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import { pngFromTga } from './png-from-tga.ts';

/** Where images are looked for. */
export interface FbxTextureFiles {
  /** Name of the FBX without its extension. */
  name: string;
  /** Reads a file in the folder of the FBX, and never outside of it. */
  resolve?: (uri: string) => Promise<Uint8Array>;
  log?: Remark;
}

/** Folders of textures beside a file. */
const FOLDERS = ['textures', 'Textures', 'tex', 'images'];
/** Image formats that a scene holds, by their first bytes. */
const MAGIC: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
/** Textures in textures: a layer of a layer is not followed further. */
const MAX_LAYERS = 4;

/** Reads textures and their images, each once. */
export class FbxTextures {
  readonly images: SurfaceImage[] = [];
  readonly #objects: FbxObjects;
  readonly #files: FbxTextureFiles;
  /** By identifier of a video, or path of a file: place in the images, -1 if it cannot be used. */
  readonly #places = new Map<string, number>();

  constructor(objects: FbxObjects, files: FbxTextureFiles) {
    this.#objects = objects;
    this.#files = files;
  }

  /** The map of a texture; undefined for what is none, or has no image. */
  async mapOf(object: FbxObject, uvSets: readonly string[]): Promise<SurfaceMap | undefined> {
    const texture = this.#findFile(object, 0);
    if (!texture) return undefined;
    const image = await this.#imageOf(texture);
    if (image < 0) return undefined;
    const set = propertyOf(texture, 'UVSet')?.[0];
    const uv = typeof set === 'string' ? Math.max(0, uvSets.indexOf(set)) : 0;
    const wrap = (name: string) => (numberProperty(texture, name, 0) === 1 ? 'clamp' : 'repeat');
    // from the surface to the texture, with v from the top
    const [x, y] = vectorProperty(texture, 'Scaling', 1).map((value) => value || 1);
    const [along, up] = vectorProperty(texture, 'Translation', 0);
    return {
      image,
      uv,
      wrap: [wrap('WrapModeU'), wrap('WrapModeV')],
      isNearest: false,
      offset: [zeroed(-along / x), zeroed(1 - 1 / y + up / y)],
      rotation: 0,
      scale: [1 / x, 1 / y],
    };
  }

  /** A texture with a file: itself, or the first of its layers. */
  #findFile(object: FbxObject, depth: number): FbxObject | undefined {
    if (object.kind === 'Texture') return object;
    if (object.kind !== 'LayeredTexture' || depth >= MAX_LAYERS) return undefined;
    for (const { object: below } of this.#objects.childrenOf(object.id)) {
      const found = this.#findFile(below, depth + 1);
      if (found) return found;
    }
    return undefined;
  }

  async #imageOf(texture: FbxObject): Promise<number> {
    const video = this.#objects.childrenOf(texture.id).find(({ object }) => object.kind === 'Video')?.object;
    const paths = [texture, ...(video ? [video] : [])].flatMap(({ node }) =>
      ['RelativeFilename', 'FileName', 'Filename'].map((name) => textOfFbx(node, name)).filter(Boolean),
    );
    const [first = texture.name] = paths;
    const key = video ? `video ${video.id}` : `path ${first}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const embedded = video && readContent(video);
    const found = embedded ? { bytes: embedded, key } : await this.#search(paths);
    const place = found ? (this.#places.get(found.key) ?? this.#put(found.bytes, baseName(first))) : -1;
    if (!found)
      this.#files.log?.(
        `the texture ${quoteName(baseName(first))} is neither in the file nor in its folder`,
        undefined,
        { kind: 'image', count: 1, where: '' },
      );
    else this.#places.set(found.key, place);
    this.#places.set(key, place);
    return place;
  }

  /** Looks in the place that the file states, then by name in the folder and in folders of textures. */
  async #search(paths: readonly string[]): Promise<{ bytes: Uint8Array; key: string } | undefined> {
    const { resolve, name } = this.#files;
    if (!resolve) return undefined;
    const stated = paths.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, ''));
    const inside = stated.filter((path) => !/^([a-z]:|\/)/i.test(path) && !path.split('/').includes('..'));
    const bases = [...new Set(stated.map(baseName))].filter((base) => base !== '' && base !== '..');
    const folders = ['', ...[`${name}.fbm`, ...FOLDERS].map((folder) => `${folder}/`)];
    for (const uri of new Set([...inside, ...folders.flatMap((folder) => bases.map((base) => folder + base))])) {
      const bytes = await resolve(uri).catch(() => undefined);
      if (bytes && bytes.length > 0) return { bytes, key: `file ${uri}` };
    }
    return undefined;
  }

  #put(bytes: Uint8Array, name: string): number {
    const start = String.fromCharCode(...bytes.subarray(0, 16));
    const type = MAGIC.find(([, magic]) => magic.test(start))?.[0];
    if (type !== undefined) return this.images.push({ type, bytes, name }) - 1;
    // Targa has no first bytes of its own
    const png = /\.tga$/i.test(name) ? pngFromTga(bytes) : undefined;
    if (png) return this.images.push({ type: 'image/png', bytes: png, name: name.replace(/\.tga$/i, '.png') }) - 1;
    this.#files.log?.(
      `the texture ${quoteName(name)} is no PNG, JPEG, WebP or Targa image, and was left out; convert it to PNG`,
    );
    return -1;
  }
}

/** The bytes of an embedded image: as they are in binary files, as base64 in texts. */
function readContent({ node }: FbxObject): Uint8Array | undefined {
  const content = findFbxChild(node, 'Content');
  const [first] = content?.values ?? [];
  if (first instanceof Uint8Array) return first.length > 0 ? first : undefined;
  const text = (content?.values ?? []).filter((value): value is string => typeof value === 'string').join('');
  return text === '' ? undefined : decodeBase64(text);
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function baseName(path: string): string {
  return path.replace(/^.*[/\\]/, '');
}

function zeroed(x: number): number {
  return Math.abs(x) < 1e-12 ? 0 : x;
}
