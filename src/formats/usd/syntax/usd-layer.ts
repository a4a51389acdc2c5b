// SPDX-License-Identifier: MIT
// One USD file, before composition: the same types for text (.usda) and binary (.usdc).

/**
 * A value of a USD file. Vectors, quaternions (x y z w) and matrices, and arrays of numbers, are flat typed arrays: a matrix in the order of the file,
 * which is column-major for column vectors. null: the value is blocked.
 */
export type UsdValue =
  | null
  | boolean
  | number
  | string
  | readonly string[]
  | Float32Array
  | Float64Array
  | Int32Array
  | UsdDictionary;

/** Named values. */
export interface UsdDictionary {
  readonly [key: string]: UsdValue;
}

/** Values by time code. They are decoded when asked for: a cache may be larger than what is needed of it. */
export interface UsdSamples {
  /** sampleCount, time codes, rising */
  times: Float64Array;
  at(index: number): UsdValue;
}

/** An attribute or a relationship. */
export interface UsdProperty {
  /** As in the file: point3f[], token, matrix4d; '' for a relationship. */
  typeName: string;
  value?: UsdValue;
  samples?: UsdSamples;
  /** Paths of a relationship's targets, or of an attribute's connections. */
  targets: readonly string[];
  /** constant, uniform, varying, vertex or faceVarying. */
  interpolation?: string;
  /** Numbers per element of a primvar. */
  elementSize?: number;
  /** Weight of an in-between blend shape. */
  weight?: number;
  /** The layer that has the value of an asset path: such paths are relative to it. */
  from?: string;
}

/** A reference or payload. */
export interface UsdReference {
  /** Path of the file; '' for this one. */
  asset: string;
  /** Path of the prim; '' for the default one. */
  prim: string;
  /** Time codes of the target become code x scale + offset. */
  offset: number;
  scale: number;
}

/** A prim, or the body of a variant. */
export interface UsdPrim {
  name: string;
  specifier: 'def' | 'over' | 'class';
  /** '' if the prim has none. */
  typeName: string;
  isActive?: boolean;
  /** The name as it was before it became an identifier. */
  displayName?: string;
  customData?: UsdDictionary;
  references: readonly UsdReference[];
  payloads: readonly UsdReference[];
  inherits: readonly string[];
  specializes: readonly string[];
  /** Selected variant by set. */
  selections: ReadonlyMap<string, string>;
  /** Bodies by set and variant. */
  variantSets: ReadonlyMap<string, ReadonlyMap<string, UsdPrim>>;
  properties: Map<string, UsdProperty>;
  children: Map<string, UsdPrim>;
}

/** A file. */
export interface UsdLayer {
  /** defaultPrim, upAxis, metersPerUnit, timeCodesPerSecond, … */
  metadata: UsdDictionary;
  subLayers: readonly string[];
  root: UsdPrim;
}

/** Makes a prim without opinions. */
export function makeUsdPrim(name: string, specifier: UsdPrim['specifier'] = 'over', typeName = ''): UsdPrim {
  return {
    name,
    specifier,
    typeName,
    references: [],
    payloads: [],
    inherits: [],
    specializes: [],
    selections: new Map(),
    variantSets: new Map(),
    properties: new Map(),
    children: new Map(),
  };
}

/** Numbers per element of a value type: 3 for point3f[], 16 for matrix4d, 1 for float. */
export function usdTupleSize(typeName: string): number {
  const base = typeName.replace(/\[\]$/, '');
  if (base.startsWith('quat')) return 4;
  const matrix = /^matrix([234])d$/.exec(base);
  if (matrix) return Number(matrix[1]) ** 2;
  if (base === 'frame4d') return 16;
  const tuple = /^(?:point|normal|vector|color|texCoord|float|double|half|int)([234])[fdhi]?$/.exec(base);
  return tuple ? Number(tuple[1]) : 1;
}
