// SPDX-License-Identifier: MIT
import { quoteName } from '../../../../core/model/plain-text.ts';
import type { Remark } from '../../../../core/model/remark.ts';
import type { SurfaceImage } from '../../../../core/model/surface-look.ts';
import { baseName } from '../../../shared/index.ts';
import { resolveUsdPath } from '../compose-usd.ts';

/** Reads a file of the stage: from its package, or beside it; undefined if it is missing. */
export type ReadUsdFile = (path: string) => Promise<Uint8Array | undefined>;

/** First tile of a set of images that cover several squares of UVs. */
const FIRST_TILE = '1001';

/** Images that materials name, each read once. What is missing, outside of the folder or of another type is left out with a note. */
export class UsdImages {
  readonly images: SurfaceImage[] = [];
  readonly #read: ReadUsdFile;
  readonly #first: string;
  readonly #log?: Remark;
  readonly #known = new Map<string, number | undefined>();

  /** @param options the root layer is `first` */
  constructor({ read, first, log }: { read: ReadUsdFile; first: string; log?: Remark }) {
    this.#read = read;
    this.#first = first;
    this.#log = log;
  }

  /**
   * Index of an image.
   * @param from the layer that names it
   */
  async place(asset: string, from: string): Promise<number | undefined> {
    const file = asset.replace('<UDIM>', FIRST_TILE);
    const key = `${from}|${file}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const found = await this.#find(file, from);
    this.#known.set(key, found);
    if (found !== undefined && file !== asset)
      this.#log?.(`${quoteName(asset)} is a set of images; only the first one is read`);
    return found;
  }

  async #find(file: string, from: string): Promise<number | undefined> {
    const beside = resolveUsdPath(from, file);
    if (beside === undefined)
      return this.#leaveOut(`the image ${quoteName(file)} is outside of the folder of the stage`);
    const whole = resolveUsdPath(this.#first, file);
    // equal files are one image, whoever names them
    for (const path of new Set([beside, whole])) {
      if (path === undefined) continue;
      if (this.#known.has(path)) return this.#known.get(path);
      const bytes = await this.#read(path);
      if (!bytes) continue;
      const type = typeOf(bytes);
      if (type === '') return this.#leaveOut(`the image ${quoteName(file)} is neither PNG, JPEG nor WebP`);
      const place = this.images.push({ type, bytes, name: baseName(path) }) - 1;
      this.#known.set(path, place);
      return place;
    }
    return this.#leaveOut(`the image ${quoteName(file)} is missing`);
  }

  #leaveOut(fault: string): undefined {
    this.#log?.(`${fault}; it is left out`, undefined, { kind: 'image', count: 1, where: '' });
    return undefined;
  }
}

function typeOf(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8')) return 'image/jpeg';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : '';
}
