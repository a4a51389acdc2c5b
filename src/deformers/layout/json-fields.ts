// SPDX-License-Identifier: MIT
// Checks of single JSON fields of a glTF. Each error names the place ("accessors[3].count").
import { FormatError, type FormatErrorCode } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';

export type JsonObject = Record<string, unknown>;

/** Throws the error of a glTF that cannot be read. */
export function fail(code: FormatErrorCode, message: string, byteOffset?: number): never {
  throw new FormatError('gltf', code, message, byteOffset);
}

/** Name of a part of the file in messages: its quoted name, or its index if it has none. */
export function label(name: unknown, index: number): string {
  return typeof name === 'string' && name !== '' ? quoteName(name) : String(index);
}

/** A short description of a value for messages. Lists and objects are not quoted: they may be large or deeply nested. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

export function objectField(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail('syntax', `${where} must be an object, got ${show(value)}`);
  return value as JsonObject;
}

/** An array of objects; empty if it is missing. */
export function listField(parent: JsonObject, name: string): JsonObject[] {
  const value = parent[name];
  if (value === undefined) return [];
  if (!Array.isArray(value)) fail('syntax', `${name} must be an array, got ${show(value)}`);
  for (let n = 0; n < value.length; n++) objectField(value[n], `${name}[${n}]`);
  return value as JsonObject[];
}

export function stringField(value: unknown, where: string): string {
  if (typeof value !== 'string') fail('syntax', `${where} must be a text, got ${show(value)}`);
  return value;
}

export function optionalString(value: unknown, where: string): void {
  if (value !== undefined) stringField(value, where);
}

export function optionalBoolean(value: unknown, where: string): void {
  if (value !== undefined && typeof value !== 'boolean')
    fail('syntax', `${where} must be true or false, got ${show(value)}`);
}

export function optionalObject(value: unknown, where: string): void {
  if (value !== undefined) objectField(value, where);
}

export function integerField(value: unknown, where: string, least = 0): number {
  if (!Number.isSafeInteger(value)) fail('syntax', `${where} must be a whole number, got ${show(value)}`);
  if ((value as number) < least) fail('value', `${where} must be at least ${least}, got ${show(value)}`);
  return value as number;
}

export function optionalInteger(value: unknown, where: string, fallback = 0, least = 0): number {
  return value === undefined ? fallback : integerField(value, where, least);
}

export function optionalNumber(value: unknown, where: string): void {
  // JSON has no infinity, but 1e999 parses as infinity.
  if (value !== undefined && !Number.isFinite(value))
    fail('value', `${where} must be a finite number, got ${show(value)}`);
}

/** An array of finite numbers, of the given length if there is one. */
export function numbersField(value: unknown, where: string, length?: number): number[] {
  if (!Array.isArray(value)) fail('syntax', `${where} must be an array of numbers, got ${show(value)}`);
  if (length !== undefined && value.length !== length)
    fail('mismatch', `${where} must hold ${length} numbers, got ${value.length}`);
  for (const x of value) if (!Number.isFinite(x)) fail('value', `${where} must hold finite numbers, got ${show(x)}`);
  return value as number[];
}

export function optionalNumbers(value: unknown, where: string, length?: number): void {
  if (value !== undefined) numbersField(value, where, length);
}

/** An index into a list of the file. */
export function indexField(value: unknown, count: number, where: string, what: string): number {
  const index = integerField(value, where);
  if (index >= count) fail('index', `${where} names ${what} ${index}, but the file has ${count}`);
  return index;
}

export function optionalIndex(value: unknown, count: number, where: string, what: string): void {
  if (value !== undefined) indexField(value, count, where, what);
}

/** An array of distinct indices into a list of the file; empty if it is missing. */
export function indexList(value: unknown, count: number, where: string, what: string): number[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) fail('syntax', `${where} must be an array, got ${show(value)}`);
  const seen = new Set<number>();
  for (let n = 0; n < value.length; n++) {
    const index = indexField(value[n], count, `${where}[${n}]`, what);
    if (seen.has(index)) fail('index', `${where} names ${what} ${index} twice`);
    seen.add(index);
  }
  return value as number[];
}

/** One of a closed list of values. */
export function choiceField(value: unknown, choices: readonly unknown[], where: string): void {
  if (!choices.includes(value)) fail('value', `${where} must be one of ${choices.join(', ')}, got ${show(value)}`);
}
