// SPDX-License-Identifier: MIT
// Binary USD ("crate"), version 0.8: values first, then tables of tokens, strings, fields, sets of fields, paths and specs, compressed.

import { usdEntriesOf } from '../../usd-extras.ts';
import type { UsdDraftLayer, UsdDraftPrim, UsdDraftProperty } from '../usd-draft.ts';
import { compressUsdc, encodeUsdcIntegers } from './encode-usdc-integers.ts';
import { UsdcBytes } from './usdc-bytes.ts';
import { UsdcTables } from './usdc-tables.ts';
import { UsdcValueWriter } from './usdc-value-writer.ts';

const HEADER_BYTES = 88;
const VERSION = [0, 8, 0];
const NAME_BYTES = 16;
const [ATTRIBUTE, PRIM, FILE, RELATIONSHIP] = [1, 6, 7, 8];
const UNIFORM = 1;
const DEF = 0;

/** Writes a file as binary USD. */
export function writeUsdcLayer(layer: UsdDraftLayer): Uint8Array<ArrayBuffer> {
  return new CrateWriter().write(layer);
}

type Fields = [name: string, value: bigint][];

class CrateWriter {
  readonly #bytes = new UsdcBytes(HEADER_BYTES);
  readonly #tables = new UsdcTables();
  readonly #values = new UsdcValueWriter(this.#bytes, this.#tables);
  /** Places of fields by name and value. */
  readonly #fields = new Map<string, number>();
  readonly #fieldList: { token: number; value: bigint }[] = [];
  /** Places of sets by their fields; equal ones are stored once. */
  readonly #sets = new Map<string, number>();
  readonly #setList: number[] = [];
  readonly #specs: { path: number; set: number; type: number }[] = [];

  write(layer: UsdDraftLayer): Uint8Array<ArrayBuffer> {
    this.#addRoot(layer);
    const stack = layer.prims.map((prim) => ({ prim, path: `/${prim.name}` })).reverse();
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { prim, path } = next;
      this.#addPrim(prim, path);
      for (const child of [...prim.children].reverse()) stack.push({ prim: child, path: `${path}/${child.name}` });
    }
    const sections: { name: string; start: number; size: number }[] = [];
    const addSection = (name: string, fill: () => void): void => {
      const start = this.#bytes.align();
      fill();
      sections.push({ name, start, size: this.#bytes.length - start });
    };
    // paths add tokens: they come first in memory, and later in the file
    const paths = this.#tables.makePathTree();
    addSection('TOKENS', () => this.#addTokens());
    addSection('STRINGS', () => {
      this.#bytes.addUint64(this.#tables.strings.length);
      for (const token of this.#tables.strings) this.#bytes.addUint32(token);
    });
    addSection('FIELDS', () => this.#addFields());
    addSection('FIELDSETS', () => {
      this.#bytes.addUint64(this.#setList.length);
      this.#bytes.addBlock(encodeUsdcIntegers(this.#setList));
    });
    addSection('PATHS', () => {
      this.#bytes.addUint64(paths.indices.length, paths.indices.length);
      for (const list of [paths.indices, paths.elements, paths.jumps]) this.#bytes.addBlock(encodeUsdcIntegers(list));
    });
    addSection('SPECS', () => {
      this.#bytes.addUint64(this.#specs.length);
      for (const key of ['path', 'set', 'type'] as const)
        this.#bytes.addBlock(encodeUsdcIntegers(this.#specs.map((spec) => spec[key])));
    });
    const contents = this.#bytes.align();
    this.#bytes.addUint64(sections.length);
    for (const { name, start, size } of sections) {
      const label = new Uint8Array(NAME_BYTES);
      label.set(new TextEncoder().encode(name));
      this.#bytes.add(label);
      this.#bytes.addUint64(start, size);
    }
    return this.#bytes.join(makeHeader(contents));
  }

  #addTokens(): void {
    const { tokens } = this.#tables;
    const text = new TextEncoder().encode(tokens.map((token) => `${token}\0`).join(''));
    this.#bytes.addUint64(tokens.length, text.length);
    this.#bytes.addBlock(compressUsdc(text));
  }

  #addFields(): void {
    const values = new UsdcBytes(0);
    values.addReferences(this.#fieldList.map(({ value }) => value));
    this.#bytes.addUint64(this.#fieldList.length);
    this.#bytes.addBlock(encodeUsdcIntegers(this.#fieldList.map(({ token }) => token)));
    this.#bytes.addBlock(compressUsdc(values.join(new Uint8Array(0))));
  }

  #addSpec(path: string, type: number, fields: Fields): void {
    const own = fields.map(([name, value]) => {
      const key = `${name} ${value}`;
      const known = this.#fields.get(key);
      if (known !== undefined) return known;
      const place = this.#fieldList.push({ token: this.#tables.token(name), value }) - 1;
      this.#fields.set(key, place);
      return place;
    });
    const key = own.join(' ');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = this.#setList.length;
      for (const field of own) this.#setList.push(field);
      this.#setList.push(-1);
      this.#sets.set(key, set);
    }
    this.#specs.push({ path: this.#tables.path(path), set, type });
  }

  #addRoot({ defaultPrim, metersPerUnit, upAxis, time, prims }: UsdDraftLayer): void {
    const values = this.#values;
    const number = (value: number): bigint => values.value(value, 'double');
    this.#addSpec('/', FILE, [
      ['defaultPrim', values.token(defaultPrim)],
      ['metersPerUnit', number(metersPerUnit)],
      ['upAxis', values.token(upAxis)],
      ...(time
        ? ([
            ['startTimeCode', number(0)],
            ['endTimeCode', number(time.end)],
            ['timeCodesPerSecond', number(time.rate)],
            ['framesPerSecond', number(time.rate)],
          ] as Fields)
        : []),
      ['primChildren', values.tokens(prims.map(({ name }) => name))],
    ]);
  }

  #addPrim({ type, apis = [], displayName, data, properties, children }: UsdDraftPrim, path: string): void {
    const values = this.#values;
    const fields: Fields = [['specifier', values.specifier(DEF)]];
    if (type !== '') fields.push(['typeName', values.token(type)]);
    if (apis.length > 0) fields.push(['apiSchemas', values.prependedTokens(apis)]);
    if (displayName !== undefined) fields.push(['displayName', values.value(displayName, 'string')]);
    const entries = data ? usdEntriesOf(data) : [];
    if (entries.length > 0) fields.push(['customData', values.dictionary(entries)]);
    if (properties.length > 0) fields.push(['properties', values.tokens(properties.map(({ name }) => name))]);
    if (children.length > 0) fields.push(['primChildren', values.tokens(children.map(({ name }) => name))]);
    this.#addSpec(path, PRIM, fields);
    for (const property of properties) this.#addProperty(property, `${path}.${property.name}`);
  }

  #addProperty(property: UsdDraftProperty, path: string): void {
    const { type, value, samples, connection, targets, isUniform, interpolation, elementSize } = property;
    const values = this.#values;
    if (targets) {
      this.#addSpec(path, RELATIONSHIP, [
        ['variability', values.variability(UNIFORM)],
        ['targetPaths', values.paths(targets)],
      ]);
      return;
    }
    const fields: Fields = [['typeName', values.token(type)]];
    if (isUniform) fields.push(['variability', values.variability(UNIFORM)]);
    if (interpolation !== undefined) fields.push(['interpolation', values.token(interpolation)]);
    if (elementSize !== undefined) fields.push(['elementSize', values.value(elementSize, 'int')]);
    if (value !== undefined) fields.push(['default', values.value(value, type)]);
    if (samples) fields.push(['timeSamples', values.samples(samples, type)]);
    if (connection !== undefined) fields.push(['connectionPaths', values.paths([connection])]);
    this.#addSpec(path, ATTRIBUTE, fields);
  }
}

function makeHeader(contents: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header.set(new TextEncoder().encode('PXR-USDC'));
  header.set(VERSION, 8);
  new DataView(header.buffer).setBigUint64(16, BigInt(contents), true);
  return header;
}
