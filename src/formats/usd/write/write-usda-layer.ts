// SPDX-License-Identifier: MIT
import { usdTupleSize } from '../syntax/usd-layer.ts';
import { type UsdEntry, usdEntriesOf } from '../usd-extras.ts';
import type { UsdDraftLayer, UsdDraftPrim, UsdDraftProperty, UsdDraftValue } from './usd-draft.ts';

const TEXT_TYPES = new Set(['token', 'string', 'asset']);

/** Writes a file as text USD. */
export function writeUsdaLayer(layer: UsdDraftLayer): Uint8Array<ArrayBuffer> {
  const { time } = layer;
  const lines = new UsdaLines();
  lines.add('#usda 1.0');
  lines.add('(');
  lines.add(`    defaultPrim = ${quote(layer.defaultPrim)}`);
  lines.add(`    metersPerUnit = ${layer.metersPerUnit}`);
  lines.add(`    upAxis = "${layer.upAxis}"`);
  if (time) {
    lines.add('    startTimeCode = 0');
    lines.add(`    endTimeCode = ${time.end}`);
    lines.add(`    timeCodesPerSecond = ${time.rate}`);
    lines.add(`    framesPerSecond = ${time.rate}`);
  }
  lines.add(')');
  for (const prim of layer.prims) {
    lines.add('');
    writePrim(prim, lines);
  }
  return lines.encode();
}

/** Lines with their indentation, encoded piece by piece: a file may be longer than the longest string. */
class UsdaLines {
  readonly #encoder = new TextEncoder();
  readonly #pieces: Uint8Array[] = [];
  #text = '';
  #length = 0;
  depth = 0;

  add(line: string): void {
    this.#text += `${line === '' ? '' : '    '.repeat(this.depth)}${line}\n`;
    if (this.#text.length > 1 << 20) this.#flush();
  }

  encode(): Uint8Array<ArrayBuffer> {
    this.#flush();
    const out = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      out.set(piece, at);
      at += piece.length;
    }
    return out;
  }

  #flush(): void {
    const piece = this.#encoder.encode(this.#text);
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#text = '';
  }
}

/** Prims are nested as deeply as nodes are: a stack instead of recursion. */
function writePrim(prim: UsdDraftPrim, lines: UsdaLines): void {
  const stack: { prim: UsdDraftPrim; next: number }[] = [];
  const open = (one: UsdDraftPrim): void => {
    writeHead(one, lines);
    lines.add('{');
    lines.depth++;
    for (const property of one.properties) writeProperty(property, lines);
    stack.push({ prim: one, next: 0 });
  };
  open(prim);
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const child = top.prim.children[top.next++];
    if (child) {
      lines.add('');
      open(child);
      continue;
    }
    stack.pop();
    lines.depth--;
    lines.add('}');
  }
}

function writeHead({ type, name, apis = [], displayName, data }: UsdDraftPrim, lines: UsdaLines): void {
  const head = `def ${type === '' ? '' : `${type} `}${quote(name)}`;
  const entries = data ? usdEntriesOf(data) : [];
  if (apis.length === 0 && displayName === undefined && entries.length === 0) {
    lines.add(head);
    return;
  }
  lines.add(`${head} (`);
  lines.depth++;
  if (apis.length > 0) lines.add(`prepend apiSchemas = [${apis.map(quote).join(', ')}]`);
  if (displayName !== undefined) lines.add(`displayName = ${quote(displayName)}`);
  if (entries.length > 0) writeDictionary('customData', entries, lines);
  lines.depth--;
  lines.add(')');
}

function writeDictionary(head: string, entries: readonly UsdEntry[], lines: UsdaLines): void {
  lines.add(`${head} = {`);
  lines.depth++;
  for (const { key, type, value } of entries) {
    if (type === 'dictionary') writeDictionary(`dictionary ${quote(key)}`, value, lines);
    else lines.add(`${type} ${quote(key)} = ${formatValue(value, type)}`);
  }
  lines.depth--;
  lines.add('}');
}

function writeProperty(property: UsdDraftProperty, lines: UsdaLines): void {
  const { name, type, value, samples, connection, targets, interpolation, elementSize } = property;
  if (targets) {
    const paths = targets.map((path) => `<${path}>`);
    lines.add(`rel ${name} = ${paths.length === 1 ? paths[0] : `[${paths.join(', ')}]`}`);
    return;
  }
  const head = `${property.isUniform ? 'uniform ' : ''}${type} ${name}`;
  const metadata = [
    ...(elementSize === undefined ? [] : [`elementSize = ${elementSize}`]),
    ...(interpolation === undefined ? [] : [`interpolation = "${interpolation}"`]),
  ];
  const hasValue = value !== undefined || (!samples && connection === undefined);
  if (hasValue || metadata.length > 0) {
    const own = value === undefined ? head : `${head} = ${formatValue(value, type)}`;
    lines.add(metadata.length > 0 ? `${own} (` : own);
    for (const entry of metadata) lines.add(`    ${entry}`);
    if (metadata.length > 0) lines.add(')');
  }
  if (connection !== undefined) lines.add(`${head}.connect = <${connection}>`);
  if (!samples) return;
  lines.add(`${head}.timeSamples = {`);
  for (let k = 0; k < samples.codes.length; k++)
    lines.add(`    ${samples.codes[k]}: ${formatValue(samples.at(k), type)},`);
  lines.add('}');
}

function formatValue(value: UsdDraftValue, type: string): string {
  const isArray = type.endsWith('[]');
  const base = isArray ? type.slice(0, -2) : type;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return formatNumber(value, base);
  if (typeof value === 'string') return base === 'asset' ? formatAsset(value) : quote(value);
  if (TEXT_TYPES.has(base)) {
    const texts = value as readonly string[];
    return `[${texts.map((text) => (base === 'asset' ? formatAsset(text) : quote(text))).join(', ')}]`;
  }
  return formatNumbers(value as ArrayLike<number>, base, isArray);
}

/** Numbers, tuples of them, or rows of a matrix. Quaternions have the real part first. */
function formatNumbers(values: ArrayLike<number>, base: string, isArray: boolean): string {
  const size = usdTupleSize(base);
  const isQuaternion = base.startsWith('quat');
  const items: string[] = [];
  for (let o = 0; o < values.length; o += size) {
    const own: string[] = [];
    for (let c = 0; c < size; c++) own.push(formatNumber(values[o + (isQuaternion ? (c + 3) % 4 : c)], base));
    if (size === 1) items.push(own[0]);
    else if (base !== 'matrix4d') items.push(`(${own.join(', ')})`);
    else items.push(`(${[0, 4, 8, 12].map((r) => `(${own.slice(r, r + 4).join(', ')})`).join(', ')})`);
  }
  return isArray ? `[${items.join(', ')}]` : items[0];
}

function formatNumber(x: number, base: string): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
  return /d$|^double|^timecode/.test(base) ? String(x) : formatFloat(x);
}

/** The shortest text that gives the same 32-bit number. */
function formatFloat(x: number): string {
  const single = Math.fround(x);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return String(short);
  }
  return String(Number(single.toPrecision(9)));
}

function formatAsset(path: string): string {
  return path.includes('@') ? `@@@${path}@@@` : `@${path}@`;
}

/** A string with escapes. */
function quote(text: string): string {
  const escaped = text.replace(/[\\"\p{Cc}]/gu, (character) => {
    if (character === '\\' || character === '"') return `\\${character}`;
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return named ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}
