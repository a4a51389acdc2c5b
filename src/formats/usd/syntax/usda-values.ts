// SPDX-License-Identifier: MIT
import { quoteName } from '../../../core/model/plain-text.ts';

import { type UsdDictionary, type UsdValue, usdTupleSize } from './usd-layer.ts';
import type { UsdaScanner } from './usda-scanner.ts';

const MAX_DEPTH = 64;
const TEXT_TYPES = new Set(['string', 'token', 'asset', 'pathExpression']);
const INTEGER = /^(bool|uchar|u?int|int[234])$/;
const DOUBLE = /d$|^(double|u?int64|timecode)/;
const NUMERIC =
  /^(bool|uchar|u?int(64)?|int[234]|half[234]?|float[234]?|double[234]?|timecode|quat[hfd]|matrix[234]d|frame4d|(point3|normal3|vector3|color[34]|texCoord[23])[hfd])$/;

/** Reads the value of an attribute by its type. */
export function readUsdaValue(scanner: UsdaScanner, typeName: string): UsdValue {
  const isArray = typeName.endsWith('[]');
  const base = isArray ? typeName.slice(0, -2) : typeName;
  if (scanner.peek() === 'N') {
    const word = scanner.word();
    if (word !== 'None') scanner.fail(`expected a value, got ${quoteName(word)}`);
    return null;
  }
  if (NUMERIC.test(base)) {
    const size = usdTupleSize(base);
    if (!isArray && size === 1) return base === 'bool' ? scanner.number() !== 0 : scanner.number();
    const numbers = readNumbers(scanner, base);
    if (base.startsWith('quat')) rotateQuaternionsInPlace(numbers);
    if (!isArray && numbers.length !== size) scanner.fail(`${base} has ${size} numbers, got ${numbers.length}`);
    return numbers;
  }
  if (!TEXT_TYPES.has(base)) return readUsdaGeneric(scanner);
  if (!isArray) return readText(scanner);
  const list: string[] = [];
  scanner.expect('[');
  while (!scanner.take(']')) {
    list.push(readText(scanner));
    scanner.take(',');
  }
  return list;
}

function readText(scanner: UsdaScanner): string {
  const next = scanner.peek();
  return next === '@' ? scanner.asset() : next === '<' ? scanner.path() : scanner.string();
}

/** All numbers of an array or tuple, in order. */
function readNumbers(scanner: UsdaScanner, base: string): Float32Array | Float64Array | Int32Array {
  const close: string[] = [];
  let data = new Float64Array(64);
  let count = 0;
  do {
    const next = scanner.peek();
    if (next === '[' || next === '(') {
      if (close.length > 3) scanner.fail('brackets are nested too deeply');
      close.push(next === '[' ? ']' : ')');
      scanner.take(next);
    } else if (next === close.at(-1)) {
      close.pop();
      scanner.take(next);
    } else if (close.length === 0) scanner.fail('expected "(" or "["');
    else {
      if (count === data.length) {
        const larger = new Float64Array(2 * count);
        larger.set(data);
        data = larger;
      }
      data[count++] = scanner.number();
    }
    if (close.length > 0) scanner.take(',');
  } while (close.length > 0);
  const numbers = data.subarray(0, count);
  if (INTEGER.test(base)) return Int32Array.from(numbers);
  return DOUBLE.test(base) ? numbers.slice() : Float32Array.from(numbers);
}

/** Text has the real part first; here it is last. */
function rotateQuaternionsInPlace(numbers: Float32Array | Float64Array | Int32Array): void {
  for (let o = 0; o + 3 < numbers.length; o += 4) {
    const w = numbers[o];
    numbers.copyWithin(o, o + 1, o + 4);
    numbers[o + 3] = w;
  }
}

/** Reads a value whose type is not known: metadata. Lists of anything but numbers become lists of text. */
export function readUsdaGeneric(scanner: UsdaScanner, depth = 0): UsdValue {
  if (depth > MAX_DEPTH) scanner.fail('values are nested too deeply');
  const next = scanner.peek();
  if (next === '@') return scanner.asset();
  if (next === '<') return scanner.path();
  if (next === '{') return readUsdaDictionary(scanner, depth + 1);
  if (scanner.isString()) return scanner.string();
  if (scanner.isNumber()) return scanner.number();
  if (next === '[' || next === '(') {
    const close = next === '[' ? ']' : ')';
    scanner.take(next);
    const items: UsdValue[] = [];
    while (!scanner.take(close)) {
      items.push(readUsdaGeneric(scanner, depth + 1));
      scanner.take(',');
    }
    if (items.every((item) => typeof item === 'number')) return Float64Array.from(items as number[]);
    return items.filter((item) => typeof item === 'string') as string[];
  }
  const word = scanner.word();
  if (word === '') scanner.fail(`expected a value, got "${next}"`);
  if (word === 'None') return null;
  return word === 'true' || word === 'false' ? word === 'true' : word;
}

/** Reads { type name = value }. */
export function readUsdaDictionary(scanner: UsdaScanner, depth = 0): UsdDictionary {
  if (depth > MAX_DEPTH) scanner.fail('dictionaries are nested too deeply');
  const out: Record<string, UsdValue> = Object.create(null);
  scanner.expect('{');
  while (!scanner.take('}')) {
    const type = scanner.word();
    const key = scanner.isString() ? scanner.string() : scanner.word();
    if (key === '') scanner.fail('expected a key');
    scanner.expect('=');
    out[key] = type === 'dictionary' ? readUsdaDictionary(scanner, depth + 1) : readUsdaValue(scanner, type);
    scanner.take(',');
  }
  return out;
}
