// SPDX-License-Identifier: MIT
import {
  type Hdf5Attribute,
  type Hdf5Dataset,
  type Hdf5File,
  type Hdf5Links,
  readHdf5Attributes,
  readHdf5Dataset,
  readHdf5Links,
  readHdf5Messages,
  textOfHdf5,
} from '../hdf5/index.ts';

/** A group of an HDF5 file: its children and attributes are read when they are needed, once. */
export interface Hdf5Node {
  childNames(): string[];
  /** A group below; undefined if there is none of that name. */
  child(name: string): Hdf5Node | undefined;
  attributeNames(): string[];
  attribute(name: string): Hdf5Attribute | undefined;
  /** An attribute of uint32 or float64 numbers. */
  numbers(name: string): Float64Array | undefined;
  /** An attribute that is text; '' if there is none. */
  text(name: string): string;
  dataset(name: string): Hdf5Dataset | undefined;
}

/** Opens the group whose header is at a position. */
export function openHdf5Node(file: Hdf5File, position: number): Hdf5Node {
  let attributes: ReadonlyMap<string, Hdf5Attribute> | undefined;
  let links: Hdf5Links | undefined;
  const children = new Map<string, Hdf5Node>();
  const listAttributes = () => {
    attributes ??= readHdf5Attributes(file, readHdf5Messages(file, position));
    return attributes;
  };
  const listLinks = () => {
    links ??= readHdf5Links(file, readHdf5Messages(file, position));
    return links;
  };
  return {
    childNames: () => [...listLinks().keys()],
    child(name) {
      const at = listLinks().get(name);
      if (at === undefined) return undefined;
      const known = children.get(name) ?? openHdf5Node(file, at);
      children.set(name, known);
      return known;
    },
    attributeNames: () => [...listAttributes().keys()],
    attribute: (name) => listAttributes().get(name),
    numbers(name) {
      const attribute = listAttributes().get(name);
      if (!attribute) return undefined;
      const { type, data } = attribute;
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      const count = attribute.count;
      if (type.size === 4) return Float64Array.from({ length: count }, (_, n) => view.getUint32(4 * n, true));
      if (type.size === 8) return Float64Array.from({ length: count }, (_, n) => view.getFloat64(8 * n, true));
      throw file.fault('value', `the attribute "${name}" has numbers of ${type.size} bytes`);
    },
    text(name) {
      const attribute = listAttributes().get(name);
      return attribute ? textOfHdf5(file, attribute) : '';
    },
    dataset(name) {
      const at = listLinks().get(name);
      return at === undefined ? undefined : readHdf5Dataset(file, at);
    },
  };
}
