// SPDX-License-Identifier: MIT
// Text USD: https://openusd.org/release/spec_usda.html. What scenes need of it: prims, attributes with values and samples, relationships, references, payloads,
// inherits, variants and layer metadata; other metadata is read and left out.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import {
  makeUsdPrim,
  type UsdLayer,
  type UsdPrim,
  type UsdProperty,
  type UsdReference,
  type UsdSamples,
  type UsdValue,
} from './usd-layer.ts';
import { UsdaScanner } from './usda-scanner.ts';
import { readUsdaDictionary, readUsdaGeneric, readUsdaValue } from './usda-values.ts';

const MAX_DEPTH = 512;
const LIST_OPS = new Set(['prepend', 'append', 'add', 'delete', 'reorder']);
const SPECIFIERS = new Set(['def', 'over', 'class']);
/** What a property may store instead of a value. */
const SUFFIXES = ['timeSamples', 'connect', 'spline', 'default'];
const QUALIFIERS = new Set(['custom', 'uniform', 'varying', 'config']);

/** Reads a text USD file. */
export function readUsda(bytes: Uint8Array): UsdLayer {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  if (!/^(\xef\xbb\xbf)?#usda /.test(head)) throw new FormatError('usd', 'magic', 'not a text USD file');
  return new UsdaParser(new UsdaScanner(bytes.subarray(head.indexOf('#') + 1))).readLayer();
}

/** The fields of a prim while it is read. */
type Draft = { -readonly [Key in keyof UsdPrim]: UsdPrim[Key] };

class UsdaParser {
  readonly #scanner: UsdaScanner;

  constructor(scanner: UsdaScanner) {
    this.#scanner = scanner;
  }

  readLayer(): UsdLayer {
    const scanner = this.#scanner;
    scanner.word();
    scanner.number();
    const metadata: Record<string, UsdValue> = Object.create(null);
    let subLayers: string[] = [];
    if (scanner.take('('))
      this.#readMetadata((key) => {
        if (key === 'subLayers') subLayers = this.#readSubLayers();
        else metadata[key] = readUsdaGeneric(scanner);
      });
    const root = makeUsdPrim('');
    while (scanner.peek() !== '') {
      const word = scanner.word();
      if (word === 'reorder') this.#skipOrder();
      else if (SPECIFIERS.has(word)) this.#readPrim(word as UsdPrim['specifier'], root, 0);
      else scanner.fail(`expected def, over or class, got ${quoteName(word || scanner.peek())}`);
    }
    return { metadata, subLayers, root };
  }

  #readSubLayers(): string[] {
    const scanner = this.#scanner;
    const list: string[] = [];
    scanner.expect('[');
    while (!scanner.take(']')) {
      list.push(scanner.asset());
      if (scanner.peek() === '(') readUsdaOffset(scanner);
      scanner.take(',');
    }
    return list;
  }

  /** Reads ( ... ) after its bracket. Strings alone are comments. */
  #readMetadata(read: (key: string, op: string) => void): void {
    const scanner = this.#scanner;
    while (!scanner.take(')')) {
      if (scanner.isString()) {
        scanner.string();
        continue;
      }
      let key = scanner.word();
      let op = '';
      if (LIST_OPS.has(key)) {
        op = key;
        key = scanner.word();
      }
      if (key === '') scanner.fail(`unexpected "${scanner.peek()}"`);
      scanner.expect('=');
      read(key, op);
    }
  }

  #readPrim(specifier: UsdPrim['specifier'], parent: UsdPrim, depth: number): void {
    const scanner = this.#scanner;
    if (depth > MAX_DEPTH) scanner.fail('prims are nested too deeply');
    const typeName = scanner.isString() ? '' : scanner.word();
    const name = scanner.string();
    // a name that comes twice adds to the first
    const prim: Draft = parent.children.get(name) ?? makeUsdPrim(name, specifier, typeName);
    parent.children.set(name, prim);
    if (scanner.take('(')) this.#readPrimMetadata(prim);
    scanner.expect('{');
    this.#readBody(prim, depth + 1);
  }

  #readPrimMetadata(prim: Draft): void {
    const scanner = this.#scanner;
    this.#readMetadata((key, op) => {
      const isRemoved = op === 'delete' || op === 'reorder';
      if (key === 'references' || key === 'payload') {
        const list = this.#readReferences();
        const field = key === 'references' ? 'references' : 'payloads';
        if (!isRemoved) prim[field] = [...prim[field], ...list];
      } else if (key === 'inherits' || key === 'specializes') {
        const list = this.#readPaths();
        if (!isRemoved) prim[key] = [...prim[key], ...list];
      } else if (key === 'variants') {
        const chosen = Object.entries(readUsdaDictionary(scanner)).filter(([, value]) => typeof value === 'string');
        prim.selections = new Map(chosen as [string, string][]);
      } else if (key === 'customData') prim.customData = readUsdaDictionary(scanner);
      else {
        const value = readUsdaGeneric(scanner);
        if (key === 'active') prim.isActive = value !== false;
        if (key === 'displayName' && typeof value === 'string') prim.displayName = value;
      }
    });
  }

  #readReferences(): UsdReference[] {
    const scanner = this.#scanner;
    const readOne = (): UsdReference[] => {
      if (scanner.peek() === 'N') {
        scanner.word();
        return [];
      }
      const asset = scanner.peek() === '@' ? scanner.asset() : '';
      const prim = scanner.peek() === '<' ? scanner.path() : '';
      if (asset === '' && prim === '') scanner.fail('expected a reference');
      return [{ asset, prim, ...(scanner.peek() === '(' ? readUsdaOffset(scanner) : { offset: 0, scale: 1 }) }];
    };
    if (!scanner.take('[')) return readOne();
    const list: UsdReference[] = [];
    while (!scanner.take(']')) {
      list.push(...readOne());
      scanner.take(',');
    }
    return list;
  }

  /** A path, a list of paths or None. */
  #readPaths(): string[] {
    const scanner = this.#scanner;
    if (scanner.peek() === 'N') {
      scanner.word();
      return [];
    }
    if (!scanner.take('[')) return [scanner.path()];
    const list: string[] = [];
    while (!scanner.take(']')) {
      list.push(scanner.path());
      scanner.take(',');
    }
    return list;
  }

  #readBody(prim: Draft, depth: number): void {
    const scanner = this.#scanner;
    while (!scanner.take('}')) {
      const word = scanner.word();
      if (word === '') scanner.fail(scanner.peek() === '' ? 'a prim does not end' : `unexpected "${scanner.peek()}"`);
      if (SPECIFIERS.has(word)) this.#readPrim(word as UsdPrim['specifier'], prim, depth);
      else if (word === 'variantSet') this.#readVariantSet(prim, depth);
      else if (word === 'reorder') this.#skipOrder();
      else this.#readProperty(prim, word);
    }
  }

  #skipOrder(): void {
    this.#scanner.word();
    this.#scanner.expect('=');
    readUsdaGeneric(this.#scanner);
  }

  #readVariantSet(prim: Draft, depth: number): void {
    const scanner = this.#scanner;
    if (depth > MAX_DEPTH) scanner.fail('variants are nested too deeply');
    const set = scanner.string();
    const variants = new Map<string, UsdPrim>();
    scanner.expect('=');
    scanner.expect('{');
    while (!scanner.take('}')) {
      const variant: Draft = makeUsdPrim(scanner.string());
      if (scanner.take('(')) this.#readPrimMetadata(variant);
      scanner.expect('{');
      this.#readBody(variant, depth + 1);
      variants.set(variant.name, variant);
    }
    prim.variantSets = new Map([...prim.variantSets, [set, variants]]);
  }

  #readProperty(prim: Draft, first: string): void {
    const scanner = this.#scanner;
    let type = first;
    let op = '';
    while (QUALIFIERS.has(type) || LIST_OPS.has(type)) {
      if (LIST_OPS.has(type)) op = type;
      type = scanner.word();
    }
    const isRelationship = type === 'rel';
    const word = scanner.word();
    if (word === '') scanner.fail(`expected the name of a property after ${quoteName(type)}`);
    const suffix = SUFFIXES.find((one) => word.endsWith(`.${one}`)) ?? '';
    const name = suffix ? word.slice(0, -suffix.length - 1) : word;
    const property: UsdProperty = prim.properties.get(name) ?? { typeName: isRelationship ? '' : type, targets: [] };
    prim.properties.set(name, property);
    if (scanner.take('=')) {
      if (isRelationship || suffix === 'connect') {
        const targets = this.#readPaths();
        if (op !== 'delete' && op !== 'reorder') property.targets = [...property.targets, ...targets];
      } else if (suffix === 'timeSamples') property.samples = this.#readSamples(type);
      else if (suffix === 'spline')
        scanner.fail(`${quoteName(name)} is a spline, which is not supported; bake it to time samples`);
      else property.value = readUsdaValue(scanner, type);
    }
    if (!scanner.take('(')) return;
    this.#readMetadata((key) => {
      const value = readUsdaGeneric(scanner);
      if (key === 'interpolation' && typeof value === 'string') property.interpolation = value;
      if (key === 'elementSize' && typeof value === 'number') property.elementSize = value;
      if (key === 'weight' && typeof value === 'number') property.weight = value;
    });
  }

  #readSamples(type: string): UsdSamples {
    const scanner = this.#scanner;
    const samples: { time: number; value: UsdValue }[] = [];
    scanner.expect('{');
    while (!scanner.take('}')) {
      const time = scanner.number();
      scanner.expect(':');
      samples.push({ time, value: readUsdaValue(scanner, type) });
      scanner.take(',');
    }
    if (samples.some(({ time }) => !Number.isFinite(time))) scanner.fail('the time of a sample is not finite');
    // of two samples at one time, the last counts
    const ordered = [...new Map(samples.map((sample) => [sample.time, sample])).values()].sort(
      (a, b) => a.time - b.time,
    );
    return { times: Float64Array.from(ordered, ({ time }) => time), at: (index) => ordered[index].value };
  }
}

/** Reads (offset = 10; scale = 2). */
function readUsdaOffset(scanner: UsdaScanner): { offset: number; scale: number } {
  const out = { offset: 0, scale: 1 };
  scanner.expect('(');
  while (!scanner.take(')')) {
    const key = scanner.word();
    if (key === '') scanner.fail(`unexpected "${scanner.peek()}"`);
    scanner.expect('=');
    const value = readUsdaGeneric(scanner);
    if ((key === 'offset' || key === 'scale') && typeof value === 'number') out[key] = value;
  }
  return out;
}
