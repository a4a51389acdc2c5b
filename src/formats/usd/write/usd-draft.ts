// SPDX-License-Identifier: MIT
// A USD file that is being written: prims with their properties, whether the file becomes text or binary.
import type { Extras } from '../../../core/model/surface-look.ts';

/** A value. Tuples, and arrays of numbers, are flat; quaternions are x y z w, matrices column-major. */
export type UsdDraftValue =
  | boolean
  | number
  | string
  | readonly string[]
  | Float32Array
  | Float64Array
  | Int32Array
  | readonly number[];

/** Values by time code. */
export interface UsdDraftSamples {
  /** sampleCount, rising */
  codes: ArrayLike<number>;
  at(index: number): UsdDraftValue;
}

/** An attribute, or a relationship if it has targets. */
export interface UsdDraftProperty {
  name: string;
  /** point3f[], token, matrix4d; '' for a relationship. */
  type: string;
  value?: UsdDraftValue;
  samples?: UsdDraftSamples;
  /** Path of the attribute that gives the value. */
  connection?: string;
  /** Paths that a relationship names. */
  targets?: readonly string[];
  isUniform?: boolean;
  interpolation?: string;
  elementSize?: number;
}

/** A prim that is defined. */
export interface UsdDraftPrim {
  /** Mesh, Xform, Material; '' for none. */
  type: string;
  name: string;
  apis?: readonly string[];
  displayName?: string;
  /** customData. */
  data?: Extras;
  properties: UsdDraftProperty[];
  children: UsdDraftPrim[];
}

/** A file. */
export interface UsdDraftLayer {
  defaultPrim: string;
  upAxis: 'Y' | 'Z';
  metersPerUnit: number;
  /** Time codes per second, and the last one, if anything moves. */
  time?: { rate: number; end: number };
  prims: UsdDraftPrim[];
}

/** Makes a prim without children. */
export function makeUsdDraft(type: string, name: string, properties: UsdDraftProperty[] = []): UsdDraftPrim {
  return { type, name, properties, children: [] };
}

/** An attribute that does not vary in time. */
export function uniformOf(name: string, type: string, value: UsdDraftValue): UsdDraftProperty {
  return { name, type, value, isUniform: true };
}

/** A relationship. */
export function relationOf(name: string, ...targets: string[]): UsdDraftProperty {
  return { name, type: '', targets };
}
