// SPDX-License-Identifier: MIT
// ASCII FBX: `Name: value, value { children }`, comments after semicolons. FBX 7 puts arrays in braces, `*24 { a: 1,2,… }`; FBX 6 lists
// their numbers as values.

import { parseDecimal } from '../../meshes/index.ts';
import { decodeFbxText, type FbxNode, type FbxTree, type FbxValue, failFbx, MAX_FBX_DEPTH } from './fbx-node.ts';

const [TAB, LINE, RETURN, SPACE] = [9, 10, 13, 32];
const [QUOTE, STAR, COMMA, COLON, SEMICOLON, OPEN, CLOSE] = [34, 42, 44, 58, 59, 123, 125];

const FIRST_VERSION = 6000;

/** Digits that a number holds exactly; longer integers are identifiers. */
const EXACT_DIGITS = 15;

/** Reads the nodes of an ASCII FBX. */
export function parseFbxAscii(bytes: Uint8Array): FbxTree {
  const parser = new AsciiParser(bytes);
  const nodes: FbxNode[] = [];
  parser.readNodes(nodes, 0);
  const version = findVersion(nodes);
  if (version < FIRST_VERSION) failFbx('version', `the file is FBX version ${version}; versions 6000 to 7700 are read`);
  return { version, nodes };
}

function findVersion(nodes: readonly FbxNode[]): number {
  const header = nodes.find(({ name }) => name === 'FBXHeaderExtension');
  const version = header?.children.find(({ name }) => name === 'FBXVersion')?.values[0];
  return typeof version === 'number' ? version : 6100;
}

class AsciiParser {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    // byte order mark
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** Reads nodes up to a closing brace or the end of the file. */
  readNodes(out: FbxNode[], depth: number): void {
    if (depth > MAX_FBX_DEPTH) failFbx('limit', `nodes are nested deeper than ${MAX_FBX_DEPTH} levels`, this.#at);
    for (;;) {
      const next = this.#skip();
      if (next === undefined) {
        if (depth > 0) failFbx('truncated', 'the file ends inside braces', this.#at);
        return;
      }
      if (next === CLOSE) {
        if (depth === 0) failFbx('syntax', 'a closing brace has no opening one', this.#at);
        this.#at++;
        return;
      }
      const node: FbxNode = { name: this.#readName(), values: [], children: [] };
      this.#readValues(node.values);
      if (this.#skip() === OPEN) {
        this.#at++;
        this.readNodes(node.children, depth + 1);
      }
      out.push(node);
    }
  }

  #readName(): string {
    const start = this.#at;
    const word = this.#readWord();
    if (this.#skip() !== COLON) failFbx('syntax', 'a node has no colon after its name', start);
    this.#at++;
    return word;
  }

  #readValues(out: FbxValue[]): void {
    const bytes = this.#bytes;
    for (;;) {
      const first = this.#skip();
      if (first === undefined || first === OPEN || first === CLOSE) return;
      if (first === QUOTE) out.push(this.#readText());
      else if (first === STAR) out.push(this.#readArray());
      else if (first === COMMA) out.push('');
      else {
        const start = this.#at;
        const isNumber = first <= 57;
        if (!isNumber) {
          const word = this.#readWord();
          // a word with a colon is the next node
          if (this.#skip() === COLON) {
            this.#at = start;
            return;
          }
          out.push(word);
        } else {
          this.#skipWord();
          out.push(parseNumber(bytes, start, this.#at));
        }
      }
      if (this.#skip() !== COMMA) return;
      this.#at++;
    }
  }

  #readArray(): FbxValue {
    const start = this.#at++;
    const countStart = this.#at;
    this.#skipWord();
    const length = parseDecimal(this.#bytes, countStart, this.#at);
    if (!(Number.isInteger(length) && length >= 0)) failFbx('syntax', 'an array has no length', start);
    // a number and its comma take two bytes
    if (length > this.#bytes.length) failFbx('length', `an array of ${length} numbers is longer than the file`, start);
    if (this.#skip() !== OPEN) failFbx('syntax', 'an array has no braces', start);
    this.#at++;
    const numbers = new Float64Array(length);
    let count = 0;
    if (this.#skip() !== CLOSE) {
      this.#readName();
      for (let next = this.#skip(); next !== undefined && next !== CLOSE; next = this.#skip()) {
        if (next === COMMA) {
          this.#at++;
          continue;
        }
        const from = this.#at;
        this.#skipWord();
        if (this.#at === from) failFbx('syntax', 'an array has something that is no number', from);
        if (count < length) numbers[count] = parseDecimal(this.#bytes, from, this.#at);
        count++;
      }
    }
    if (this.#skip() !== CLOSE) failFbx('truncated', 'the file ends inside an array', this.#at);
    this.#at++;
    if (count !== length) failFbx('length', `an array of ${length} numbers has ${count}`, start);
    return { length, read: () => numbers };
  }

  #readText(): string {
    const end = this.#bytes.indexOf(QUOTE, ++this.#at);
    if (end < 0) failFbx('truncated', 'a text has no closing quotation mark', this.#at);
    const text = decodeFbxText(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text.includes('&') ? text.replaceAll('&quot;', '"').replaceAll('&lf;', '\n').replaceAll('&cr;', '\r') : text;
  }

  #readWord(): string {
    const start = this.#at;
    this.#skipWord();
    if (this.#at === start) failFbx('syntax', 'something stands where a name or a value is expected', start);
    return decodeFbxText(this.#bytes.subarray(start, this.#at));
  }

  /** Moves to the end of a name or number. */
  #skipWord(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte <= SPACE || byte === COMMA || byte === COLON || byte === OPEN || byte === CLOSE) return;
      if (byte === SEMICOLON || byte === QUOTE) return;
    }
  }

  /** Moves past white space and comments, and returns the byte there; undefined at the end. */
  #skip(): number | undefined {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === SPACE || byte === TAB || byte === LINE || byte === RETURN) continue;
      if (byte !== SEMICOLON) return byte;
      const end = bytes.indexOf(LINE, this.#at);
      this.#at = end < 0 ? bytes.length : end;
      if (end < 0) break;
    }
    return undefined;
  }
}

/** A number of a node, exact where it is a long integer; NaN for infinity and NaN, which exporters write in several forms. */
function parseNumber(bytes: Uint8Array, start: number, end: number): number | bigint {
  if (end - start > EXACT_DIGITS) {
    const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 40)));
    if (/^-?\d{1,20}$/.test(text)) {
      const exact = BigInt(text);
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    }
  }
  return parseDecimal(bytes, start, end);
}
