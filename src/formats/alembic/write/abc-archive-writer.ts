// SPDX-License-Identifier: MIT
// Writes Alembic archives: the layouts are in abc-archive.ts and abc-property.ts.
import { EMPTY_BLOCK, type OgawaRef, OgawaWriter } from './ogawa-writer.ts';

/** Types of values, as numbered by Alembic. */
export const ABC_TYPES = { boolean: 0, int32: 6, float32: 10, float64: 11 } as const;

const VALUE_SIZES: Record<number, number> = { 0: 1, 6: 4, 10: 4, 11: 8 };

/** Time per cycle of samplings that list all times: DBL_MAX / 32. */
const ACYCLIC = Number.MAX_VALUE / 32;

export interface AbcPropertySpec {
  name: string;
  metadata: string;
  /** Of a compound. */
  properties?: AbcPropertySpec[];
  isArray?: boolean;
  /** One of ABC_TYPES. */
  type?: number;
  /** Values per element. */
  extent?: number;
  /** One sample, or one for each frame. */
  samples?: readonly Uint8Array[];
}

export interface AbcObjectSpec {
  name: string;
  metadata: string;
  properties: AbcPropertySpec[];
  children: AbcObjectSpec[];
}

/**
 * Writes an archive.
 * @param times frameCount, seconds, rising: of properties with several samples
 */
export function writeAbcArchive(
  objects: readonly AbcObjectSpec[],
  times: Float64Array,
  metadata: string,
): Uint8Array<ArrayBuffer> {
  return new ArchiveWriter(times).write(objects, metadata);
}

class ArchiveWriter {
  readonly #file = new OgawaWriter();
  readonly #times: Float64Array;
  /** Metadata strings to their index in the table. */
  readonly #table = new Map<string, number>();
  /** Blocks by their key: equal samples are stored once. */
  readonly #blocks = new Map<string, { sample: Uint8Array; block: OgawaRef }>();

  constructor(times: Float64Array) {
    this.#times = times;
  }

  write(objects: readonly AbcObjectSpec[], metadata: string): Uint8Array<ArrayBuffer> {
    const file = this.#file;
    const version = file.addData(packInt32(0));
    const libraryVersion = file.addData(packInt32(10700));
    const root = this.#addObject({ name: '', metadata: '', properties: [], children: [...objects] }).group;
    const archiveMetadata = file.addData(encode(metadata));
    const samplings = file.addData(this.#packSamplings());
    const strings = [...this.#table.keys()].map(encode);
    const table = file.addData(...strings.flatMap((text) => [Uint8Array.of(text.length), text]));
    return file.finish(file.addGroup([version, libraryVersion, root, archiveMetadata, samplings, table]));
  }

  #addObject({ properties, children }: AbcObjectSpec): { group: OgawaRef; hash: Uint8Array } {
    const compound = this.#addCompound(properties);
    const written = children.map((child) => this.#addObject(child));
    const headers: number[] = [];
    for (const { name, metadata } of children) {
      const text = encode(name);
      const index = this.#indexOf(metadata);
      headers.push(...packInt32(text.length), ...text, index);
      if (index === 255) headers.push(...packInt32(encode(metadata).length), ...encode(metadata));
    }
    // Programs compare these hashes to find what is equal or changed.
    const childHash = children.length > 0 ? makeKey(joinBytes(written.map(({ hash }) => hash))) : new Uint8Array(16);
    const headerData = this.#file.addData(Uint8Array.from(headers), compound.hash, childHash);
    const group = this.#file.addGroup([compound.group, ...written.map((child) => child.group), headerData]);
    return { group, hash: makeKey(joinBytes([childHash, compound.hash])) };
  }

  #addCompound(properties: readonly AbcPropertySpec[]): { group: OgawaRef; hash: Uint8Array } {
    if (properties.length === 0) return { group: this.#file.addGroup([]), hash: new Uint8Array(16) };
    const written = properties.map((property) =>
      property.properties ? this.#addCompound(property.properties) : this.#addSamples(property),
    );
    const headers = properties.flatMap((property) => this.#packHeader(property));
    const headerData = this.#file.addData(Uint8Array.from(headers));
    const hash = makeKey(joinBytes([Uint8Array.from(headers), ...written.map((property) => property.hash)]));
    return { group: this.#file.addGroup([...written.map((property) => property.group), headerData]), hash };
  }

  #addSamples({ samples = [], isArray }: AbcPropertySpec): { group: OgawaRef; hash: Uint8Array } {
    const keys: Uint8Array[] = [];
    const blocks = samples.flatMap((sample) => {
      const key = makeKey(sample);
      keys.push(key);
      const known = this.#blocks.get(key.join());
      const isKnown = known?.sample.length === sample.length && known.sample.every((byte, n) => byte === sample[n]);
      const block = isKnown ? known.block : this.#file.addData(key, sample);
      if (!known) this.#blocks.set(key.join(), { sample, block });
      // The dimensions of an array with one dimension follow from its length.
      return isArray ? [block, EMPTY_BLOCK] : [block];
    });
    return { group: this.#file.addGroup(blocks), hash: makeKey(joinBytes(keys)) };
  }

  #packHeader({ name, metadata, properties, isArray, type = 0, extent = 1, samples = [] }: AbcPropertySpec): number[] {
    const text = encode(name);
    const index = this.#indexOf(metadata);
    const count = samples.length;
    const sampling = count > 1 ? 1 : 0;
    const largest = Math.max(text.length, encode(metadata).length, count);
    const hint = largest < 256 ? 0 : largest < 65536 ? 1 : 2;
    const packNumber = (value: number): number[] => [...packInt32(value)].slice(0, 1 << hint);
    const isSingle = samples.every((sample) => sample.length === VALUE_SIZES[type] * extent);
    let flags = (hint << 2) | (index << 20);
    if (!properties) {
      flags |= (isArray ? (isSingle ? 3 : 2) : 1) | (type << 4) | 0x400 | (extent << 12);
      flags |= (sampling ? 0x100 : 0) | (count > 1 ? 0 : 0x800);
    }
    return [
      ...packInt32(flags),
      ...(properties ? [] : packNumber(count)),
      ...(sampling ? packNumber(sampling) : []),
      ...packNumber(text.length),
      ...text,
      ...(index === 255 ? [...packNumber(encode(metadata).length), ...encode(metadata)] : []),
    ];
  }

  /** Index of a metadata string; 255 if it is too long for the table or the table is full. */
  #indexOf(metadata: string): number {
    if (metadata === '') return 0;
    const known = this.#table.get(metadata);
    if (known !== undefined) return known;
    if (encode(metadata).length > 255 || this.#table.size >= 254) return 255;
    this.#table.set(metadata, this.#table.size + 1);
    return this.#table.size;
  }

  /** Sampling 0, of properties that do not change, and sampling 1, of the frames. */
  #packSamplings(): Uint8Array {
    const times = this.#times;
    const step = evenStep(times);
    const stored = step === undefined ? times : times.subarray(0, 1);
    const list = [{ count: 1, cycle: 1, times: new Float64Array(1) as Float64Array }];
    if (times.length > 1) list.push({ count: times.length, cycle: step ?? ACYCLIC, times: stored });
    return joinBytes(
      list.flatMap(({ count, cycle, times: own }) => [
        packInt32(count),
        packFloat64s([cycle]),
        packInt32(own.length),
        packFloat64s([...own]),
      ]),
    );
  }
}

/** The time between frames if all are the same to rounding, as of times made from multiples of 1/24. */
function evenStep(times: Float64Array): number | undefined {
  const last = times.length - 1;
  const step = (times[last] - times[0]) / last;
  return times.every((time, k) => Math.abs(time - times[0] - k * step) <= 1e-6 * step) ? step : undefined;
}

/** A key of 16 bytes for the bytes of a sample: equal bytes have equal keys, others almost certainly not. Four FNV-1a-like hashes of words. */
function makeKey(bytes: Uint8Array): Uint8Array {
  const hashes = Uint32Array.of(0x811c9dc5, 0x1000193, 0x9e3779b1, bytes.length);
  const words = bytes.length >> 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const add = (word: number): void => {
    for (let h = 0; h < 4; h++) {
      const mixed = Math.imul(hashes[h] ^ word, PRIMES[h]);
      hashes[h] = mixed ^ (mixed >>> 15);
    }
  };
  for (let n = 0; n < words; n++) add(view.getUint32(4 * n, true));
  for (let n = 4 * words; n < bytes.length; n++) add(bytes[n]);
  const key = new Uint8Array(16);
  for (let h = 0; h < 4; h++) new DataView(key.buffer).setUint32(4 * h, hashes[h], true);
  return key;
}

const PRIMES = [0x01000193, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f];

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function packInt32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value >>> 0, true);
  return bytes;
}

function packFloat64s(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [n, value] of values.entries()) view.setFloat64(8 * n, value, true);
  return bytes;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
