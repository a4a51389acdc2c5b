// SPDX-License-Identifier: MIT
// Access to JSON that no schema has checked. Copies are made; what has another shape than expected is kept as it is.

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; empty if it is none. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The field of an object as an object; empty if it is none. */
export function fieldOf(parent: unknown, key: string): Json {
  const value = isObject(parent) ? parent[key] : undefined;
  return isObject(value) ? value : {};
}

type Place = (index: number) => number | undefined;

/** The new place of an index; undefined if it is none, or if its part is gone. */
export function placeOf(value: unknown, place: Place): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? place(value as number) : undefined;
}

/** A copy with a field moved, or without the field if its part is gone. */
export function moveField(object: Json, key: string, place: Place): Json {
  if (!(key in object)) return object;
  const { [key]: value, ...rest } = object;
  const moved = placeOf(value, place);
  return moved === undefined ? rest : { ...rest, [key]: moved };
}

/** The objects of a list with a field moved; those whose part is gone are left out. Others get the index -1. */
export function moveList(value: unknown, key: string, place: Place): { list: Json[]; placeOfOld: number[] } {
  const list: Json[] = [];
  const placeOfOld = objectsOf(value).map((object) => {
    const moved = placeOf(object[key], place);
    return moved === undefined ? -1 : list.push({ ...object, [key]: moved }) - 1;
  });
  return { list, placeOfOld };
}

/** A list of indices, moved; those whose part is gone are left out. */
export function moveIndices(value: unknown, place: Place): number[] {
  return Array.isArray(value) ? value.flatMap((index) => placeOf(index, place) ?? []) : [];
}

/** A copy of an object with a list replaced, or without it if it is empty: VRM 1 has no empty lists. */
export function putList(object: Json, key: string, list: readonly unknown[]): Json {
  const { [key]: _, ...rest } = object;
  return list.length > 0 ? { ...rest, [key]: list } : rest;
}

/** The places in a list whose items were moved or left out. */
export function placesIn(placeOfOld: readonly number[]): Place {
  return (index) => (placeOfOld[index] >= 0 ? placeOfOld[index] : undefined);
}
