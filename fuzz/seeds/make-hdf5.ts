// SPDX-License-Identifier: MIT
// Small Alembic archives in HDF5, in the form that the HDF5 library calls version 2: links and attributes are messages of their group.
import { zlibSync } from 'fflate';

const UNDEFINED = Array<number>(8).fill(255);
const u16 = (n: number): number[] => [n & 255, (n >> 8) & 255];
const u32 = (n: number): number[] => [...u16(n), ...u16(n >>> 16)];
const u64 = (n: number): number[] => [...u32(n), ...u32(Math.floor(n / 2 ** 32))];
const textBytes = (text: string): number[] => [...new TextEncoder().encode(text)];

const INT32 = [0x10, 8, 0, 0, ...u32(4), ...u16(0), ...u16(32)];
const UINT32 = [0x10, 0, 0, 0, ...u32(4), ...u16(0), ...u16(32)];
const FLOAT32 = [0x11, 0x20, 31, 0, ...u32(4), ...u16(0), ...u16(32), 23, 8, 0, 23, ...u32(127)];
const FLOAT64 = [0x11, 0x20, 63, 0, ...u32(8), ...u16(0), ...u16(64), 52, 11, 0, 52, ...u32(1023)];

type Numbers = Int32Array | Uint32Array | Float32Array | Float64Array;

const typeOf = (values: Numbers): number[] => {
  if (values instanceof Int32Array) return INT32;
  if (values instanceof Uint32Array) return UINT32;
  return values instanceof Float32Array ? FLOAT32 : FLOAT64;
};
const bytesOf = (values: Numbers): Uint8Array => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Writes the blocks of an HDF5 file, those that others name first. */
export class Hdf5Writer {
  readonly #chunks: Uint8Array[] = [new Uint8Array(48)];
  #length = 48;

  /** Adds a group; texts become strings. Returns its address. */
  addGroup(attributes: Record<string, Numbers | string>, links: Record<string, number> = {}): number {
    const messages: number[][] = [];
    for (const [name, value] of Object.entries(attributes)) {
      const data = typeof value === 'string' ? textBytes(value) : [...bytesOf(value)];
      const type = typeof value === 'string' ? [0x13, 0, 0, 0, ...u32(data.length)] : typeOf(value);
      const shape = typeof value === 'string' ? [2, 0, 0, 0] : [2, 1, 0, 1, ...u64(value.length)];
      const label = [...textBytes(name), 0];
      const sizes = [label.length, type.length, shape.length].flatMap(u16);
      messages.push([12, ...sized([3, 0, ...sizes, 0, ...label, ...type, ...shape, ...data])]);
    }
    for (const [name, address] of Object.entries(links)) {
      const label = textBytes(name);
      messages.push([6, ...sized([1, 0, label.length, ...label, ...u64(address)])]);
    }
    return this.#addHeader(messages);
  }

  /** Adds an array, as one compressed chunk or in one piece. Returns its address. */
  addDataset(values: Numbers, isCompressed: boolean): number {
    const type = typeOf(values);
    const messages = [
      [3, ...sized(type)],
      [1, ...sized([2, 1, 0, 1, ...u64(values.length)])],
    ];
    const size = values.BYTES_PER_ELEMENT;
    if (!isCompressed) {
      const start = this.#add(bytesOf(values));
      return this.#addHeader([...messages, [8, ...sized([3, 1, ...u64(start), ...u64(values.byteLength)])]]);
    }
    const packed = zlibSync(bytesOf(values), { level: 9 });
    const start = this.#add(packed);
    const key = [...u32(packed.length), ...u32(0), ...u64(0), ...u64(0)];
    const head = [...textBytes('TREE'), 1, 0, ...u16(1), ...UNDEFINED, ...UNDEFINED];
    const tree = this.#add(Uint8Array.from([...head, ...key, ...u64(start), ...key]));
    const layout = [3, 2, 2, ...u64(tree), ...u32(values.length), ...u32(size)];
    return this.#addHeader([...messages, [8, ...sized(layout)], [11, ...sized([2, 1, 1, 0, 0, 0, 1, 0, ...u32(9)])]]);
  }

  /** The bytes of the file. */
  finish(root: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const signature = [0x89, ...textBytes('HDF\r\n'), 0x1a, 0x0a];
    bytes.set([...signature, 2, 8, 8, 0, ...u64(0), ...UNDEFINED, ...u64(this.#length), ...u64(root)]);
    return bytes;
  }

  #addHeader(messages: readonly number[][]): number {
    const length = messages.reduce((sum, message) => sum + message.length, 0);
    const data = new Uint8Array(14 + length);
    data.set([...textBytes('OHDR'), 2, 2, ...u32(length)]);
    let at = 10;
    for (const message of messages) {
      data.set(message, at);
      at += message.length;
    }
    return this.#add(data);
  }

  #add(bytes: Uint8Array): number {
    const start = this.#length;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    return start;
  }
}

const sized = (data: readonly number[]): number[] => [...u16(data.length), 0, ...data];

/** Header of an array property: type of values, values per element, number of samples if there are several. */
const info = (type: number, extent: number, count: number): Uint32Array =>
  count > 1
    ? Uint32Array.of(2 | (type << 2) | (extent << 8) | 0x40 | 0x80, count, 1)
    : Uint32Array.of(2 | (type << 2) | (extent << 8));

export interface Hdf5ArchiveOptions {
  /** frameCount: the points of each frame */
  frames: readonly Float32Array[];
  /** Triangles over the points. */
  indices: Int32Array;
  /** Objects, all with the same properties. Default 1. */
  objectCount?: number;
  isCompressed?: boolean;
}

/** An Alembic archive whose objects share one mesh. Equal frames are stored once. */
export function makeHdf5Archive({
  frames,
  indices,
  objectCount = 1,
  isCompressed = false,
}: Hdf5ArchiveOptions): Uint8Array<ArrayBuffer> {
  const file = new Hdf5Writer();
  const known = new Map<Float32Array, number>();
  const points = frames.map((frame) => {
    const at = known.get(frame) ?? file.addDataset(frame, isCompressed);
    known.set(frame, at);
    return at;
  });
  const later = points.slice(1).map((at, k) => [String(k + 1).padStart(4, '0'), at] as const);
  const geometry = file.addGroup(
    {
      ...{ 'P.info': info(10, 3, frames.length), 'P.meta': 'geoScope=vtx;interpretation=point' },
      ...{ '.faceCounts.info': info(6, 1, 1), '.faceIndices.info': info(6, 1, 1) },
    },
    {
      'P.smp0': points[0],
      ...(later.length > 0 ? { 'P.smpi': file.addGroup({}, Object.fromEntries(later)) } : {}),
      '.faceCounts.smp0': file.addDataset(new Int32Array(indices.length / 3).fill(3), isCompressed),
      '.faceIndices.smp0': file.addDataset(indices, isCompressed),
    },
  );
  const schema = 'schema=AbcGeom_PolyMesh_v1';
  const properties = file.addGroup({ '.geom.info': Uint32Array.of(0), '.geom.meta': schema }, { '.geom': geometry });
  const object = file.addGroup({ '.prop.meta': schema }, { '.prop': properties });
  const names = Array.from({ length: objectCount }, (_, n) => [`m${n}`, object] as const);
  const top = file.addGroup({}, Object.fromEntries(names));
  const times = { '1.ttpc': Float64Array.of(1 / 24), '1.time': Float64Array.of(0) };
  return file.finish(file.addGroup({ abc_version: Int32Array.of(-8), ...times }, { ABC: top }));
}
