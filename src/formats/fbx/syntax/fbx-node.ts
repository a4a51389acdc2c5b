// SPDX-License-Identifier: MIT
// The tree of named nodes that an FBX file is made of, binary or ASCII: each has values and children.
import { FormatError, type FormatErrorCode } from '../../../core/model/errors.ts';

export type FbxNumbers = Float64Array | Float32Array | Int32Array | Uint8Array;

/** An array of numbers. Arrays of binary files are decoded on each call. */
export interface FbxArray {
  length: number;
  read(): FbxNumbers;
}

/** Bigints are integers that a number cannot hold: identifiers of objects. */
export type FbxValue = number | bigint | string | FbxArray | Uint8Array;

export interface FbxNode {
  name: string;
  values: FbxValue[];
  children: FbxNode[];
}

export interface FbxTree {
  /** 7400 is FBX 7.4. */
  version: number;
  nodes: FbxNode[];
}

/** Maximum depth of nodes. Files of exporters have about ten levels. */
export const MAX_FBX_DEPTH = 64;

/** Throws the error of an FBX that cannot be read. */
export function failFbx(code: FormatErrorCode, fault: string, byteOffset?: number): never {
  throw new FormatError('fbx', code, fault, byteOffset);
}

/** The first child of a name. */
export function findFbxChild(node: FbxNode | undefined, name: string): FbxNode | undefined {
  return node?.children.find((child) => child.name === name);
}

/** All children of a name. */
export function listFbxChildren(node: FbxNode | undefined, name: string): FbxNode[] {
  return node ? node.children.filter((child) => child.name === name) : [];
}

/** The numbers of a child: its array, or its values one by one, as FBX 6 stores them. Empty if there is no such child. */
export function numbersOfFbx(node: FbxNode | undefined, name: string): FbxNumbers {
  const child = findFbxChild(node, name);
  if (!child) return new Float64Array(0);
  const [first] = child.values;
  if (isFbxArray(first)) return first.read();
  const out = new Float64Array(child.values.length);
  for (let n = 0; n < out.length; n++) out[n] = numberOfFbx(child.values[n]) ?? Number.NaN;
  return out;
}

/** The first value of a child as a text; '' if there is none. */
export function textOfFbx(node: FbxNode | undefined, name: string): string {
  const value = findFbxChild(node, name)?.values[0];
  return typeof value === 'string' ? value : '';
}

/** A value as a number; undefined if it is none. */
export function numberOfFbx(value: FbxValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : undefined;
}

function isFbxArray(value: FbxValue | undefined): value is FbxArray {
  return typeof value === 'object' && 'read' in value;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** A text of a file. Bytes that are no UTF-8 are read one by one, so that different names stay different. */
export function decodeFbxText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  }
}
