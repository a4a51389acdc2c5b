// SPDX-License-Identifier: MIT
// The words of text USD: identifiers, numbers, strings, @asset paths@, <paths> and punctuation.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { parseDecimal } from '../../meshes/index.ts';

const [TAB, LF, CR, SPACE, QUOTE, HASH, APOSTROPHE, AT, BACKSLASH] = [9, 10, 13, 32, 34, 35, 39, 64, 92];
const [SLASH, STAR, GREATER, SEMICOLON] = [47, 42, 62, 59];

/** Scans the text of a USD file. */
export class UsdaScanner {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder();
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next character that is not blank or in a comment, without taking it; '' at the end. */
  peek(): string {
    this.#skip();
    return this.#at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.#at]) : '';
  }

  /** Takes a character if it is the next one. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  /** Takes a character, which must be the next one. */
  expect(character: string): void {
    if (!this.take(character)) this.fail(`expected "${character}"`);
  }

  /** An identifier with its namespaces and suffixes: xformOp:translate.timeSamples, float3[]. '' if there is none. */
  word(): string {
    this.#skip();
    const start = this.#at;
    const bytes = this.#bytes;
    while (this.#at < bytes.length && isWordByte(bytes[this.#at])) this.#at++;
    // the brackets of an array type
    if (bytes[this.#at] === 91 && bytes[this.#at + 1] === 93 && this.#at > start) this.#at += 2;
    return this.#decoder.decode(bytes.subarray(start, this.#at));
  }

  /** Whether a number comes next: a digit, a sign or a point. */
  isNumber(): boolean {
    return /[-+.\d]/.test(this.peek());
  }

  /** A number, also inf and nan. */
  number(): number {
    this.#skip();
    const start = this.#at;
    const bytes = this.#bytes;
    while (this.#at < bytes.length && isNumberByte(bytes[this.#at])) this.#at++;
    const value = parseDecimal(bytes, start, this.#at);
    if (!Number.isNaN(value)) return value;
    const text = this.#decoder.decode(bytes.subarray(start, this.#at));
    if (/^[+-]?inf$/.test(text)) return text[0] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    if (text === 'nan') return value;
    if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
    return this.fail(`expected a number, got ${quoteName(text)}`);
  }

  /** Whether a string comes next. */
  isString(): boolean {
    const next = this.peek();
    return next === '"' || next === "'";
  }

  string(): string {
    this.#skip();
    const bytes = this.#bytes;
    const quote = bytes[this.#at];
    if (quote !== QUOTE && quote !== APOSTROPHE) this.fail('expected a string');
    const isLong = bytes[this.#at + 1] === quote && bytes[this.#at + 2] === quote;
    this.#at += isLong ? 3 : 1;
    const start = this.#at;
    let hasEscapes = false;
    for (; this.#at < bytes.length; this.#at++) {
      if (bytes[this.#at] === BACKSLASH) {
        hasEscapes = true;
        this.#at++;
      } else if (
        bytes[this.#at] === quote &&
        (!isLong || (bytes[this.#at + 1] === quote && bytes[this.#at + 2] === quote))
      )
        break;
    }
    if (this.#at >= bytes.length) this.fail('a string does not end');
    const text = this.#decoder.decode(bytes.subarray(start, this.#at));
    this.#at += isLong ? 3 : 1;
    return hasEscapes ? text.replace(/\\(x[\da-fA-F]{2}|[\s\S])/g, decodeEscape) : text;
  }

  /** An @asset path@ or @@@asset path@@@. */
  asset(): string {
    this.expect('@');
    const isLong = this.#bytes[this.#at] === AT && this.#bytes[this.#at + 1] === AT;
    if (isLong) this.#at += 2;
    return this.#until(
      (at) => this.#bytes[at] === AT && (!isLong || (this.#bytes[at + 1] === AT && this.#bytes[at + 2] === AT)),
      isLong ? 3 : 1,
    );
  }

  /** A <path>. */
  path(): string {
    if (this.peek() !== '<') this.fail('expected a path');
    this.#at++;
    return this.#until((at) => this.#bytes[at] === GREATER, 1);
  }

  /** A fault of the text, with its line. */
  fail(fault: string): never {
    let line = 1;
    const end = Math.min(this.#at, this.#bytes.length);
    for (let n = 0; n < end; n++) if (this.#bytes[n] === LF) line++;
    throw new FormatError('usd', 'syntax', `line ${line}: ${fault}`, this.#at);
  }

  #until(isEnd: (at: number) => boolean, length: number): string {
    const start = this.#at;
    while (this.#at < this.#bytes.length && !isEnd(this.#at)) this.#at++;
    if (this.#at >= this.#bytes.length) this.fail('a path does not end');
    const text = this.#decoder.decode(this.#bytes.subarray(start, this.#at));
    this.#at += length;
    return text;
  }

  #skip(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === SPACE || byte === LF || byte === CR || byte === TAB || byte === SEMICOLON) continue;
      if (byte === HASH || (byte === SLASH && bytes[this.#at + 1] === SLASH)) {
        while (this.#at < bytes.length && bytes[this.#at] !== LF) this.#at++;
      } else if (byte === SLASH && bytes[this.#at + 1] === STAR) {
        this.#at += 2;
        while (this.#at < bytes.length && !(bytes[this.#at] === STAR && bytes[this.#at + 1] === SLASH)) this.#at++;
        this.#at++;
      } else return;
    }
  }
}

/** Letters, digits, '_', ':', '.', and bytes of UTF-8. '.' joins a name with .timeSamples or .connect. */
function isWordByte(byte: number): boolean {
  return (
    (byte >= 97 && byte <= 122) ||
    (byte >= 65 && byte <= 90) ||
    (byte >= 48 && byte <= 58) ||
    byte === 95 ||
    byte === 46 ||
    byte >= 128
  );
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 48 && byte <= 57) ||
    byte === 45 ||
    byte === 43 ||
    byte === 46 ||
    (byte >= 97 && byte <= 122) ||
    byte === 69
  );
}

function decodeEscape(_: string, code: string): string {
  if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return { n: '\n', t: '\t', r: '\r' }[code] ?? code;
}
