// SPDX-License-Identifier: MIT
// Primvars of a mesh that have a place in glTF.
import type { UsdPrim } from '../../syntax/usd-layer.ts';
import { usdTupleSize } from '../../syntax/usd-layer.ts';
import type { UsdCornerLayer } from './join-corner-ids.ts';
import type { CornerValues } from './usd-mesh.ts';

/** A primvar, or several that make one attribute. */
export interface UsdPrimvar {
  /** Name without primvars:. */
  name: string;
  /** Name in glTF. */
  attribute: string;
  /** Numbers per vertex. */
  size: number;
  /** The parts of a value, one after the other. */
  layers: UsdCornerLayer[];
  /** The second number is measured from the other end. */
  isFlipped: boolean;
}

/** Names of the UVs that exporters write, most common first. */
const UV_NAMES = ['st', 'UVMap', 'uv', 'st0', 'map1', 'Texture_uv'];
const PREFIX = 'primvars:';
const COLOR_TYPE = /^color([34])[fhd](\[\])?$/;
/** glTF has no limit; players read fewer. */
const MAX_SETS = 8;

/**
 * Lists UVs (the common names first), colours, tangents, and attributes with names of glTF's own.
 * @param expand values per corner of a property with so many numbers per value
 */
export function listUsdPrimvars(
  prim: UsdPrim,
  expand: (key: string, size: number) => CornerValues | undefined,
): UsdPrimvar[] {
  const names = [...prim.properties.keys()]
    .filter((key) => key.startsWith(PREFIX) && !key.endsWith(':indices'))
    .map((key) => key.slice(PREFIX.length));
  const typeOf = (name: string): string => prim.properties.get(PREFIX + name)?.typeName ?? '';
  const read = (name: string, size: number): UsdCornerLayer[] => {
    const values = expand(PREFIX + name, size);
    return values ? [{ ...values, size }] : [];
  };
  const out: UsdPrimvar[] = [];
  const add = (name: string, attribute: string, layers: UsdCornerLayer[], isFlipped = false): void => {
    const size = layers.reduce((sum, layer) => sum + layer.size, 0);
    if (size > 0) out.push({ name, attribute, size, layers, isFlipped });
  };
  const uvs = names.filter((name) => isUv(name, typeOf(name))).sort((a, b) => rankOf(a) - rankOf(b));
  for (const name of uvs.slice(0, MAX_SETS)) add(name, `TEXCOORD_${out.length}`, read(name, 2), true);
  const isConstant = (name: string): boolean => {
    const { interpolation } = prim.properties.get(PREFIX + name) ?? {};
    return interpolation === undefined || interpolation === 'constant';
  };
  const colors = ['displayColor', ...names.filter((name) => name !== 'displayColor' && COLOR_TYPE.test(typeOf(name)))];
  let set = 0;
  for (const name of colors.filter((one) => names.includes(one) && !isConstant(one)).slice(0, MAX_SETS)) {
    const size = Number(COLOR_TYPE.exec(typeOf(name))?.[1] ?? 3);
    const layers = read(name, size);
    const alpha = name === 'displayColor' && layers.length > 0 ? read('displayOpacity', 1) : [];
    const before = out.length;
    add(name, `COLOR_${set}`, [...layers, ...alpha]);
    if (out.length > before) set++;
  }
  if (usdTupleSize(typeOf('tangents')) === 4) add('tangents', 'TANGENT', read('tangents', 4));
  for (const name of names) {
    const type = typeOf(name);
    if (name.startsWith('_') && /^(float|double|half)[234]?\[\]$/.test(type))
      add(name, name, read(name, usdTupleSize(type)));
    else if (/^COLOR_\d+$/.test(name) && /^float[34]\[\]$/.test(type))
      add(name, `COLOR_${set++}`, read(name, usdTupleSize(type)));
  }
  return out;
}

function isUv(name: string, type: string): boolean {
  return /^texCoord2[fhd]\[\]$/.test(type) || (/^(float|double|half)2\[\]$/.test(type) && UV_NAMES.includes(name));
}

/** Place of a name among the common ones; after all of them for others, which keep their order. */
function rankOf(name: string): number {
  const place = UV_NAMES.indexOf(name);
  return place < 0 ? UV_NAMES.length : place;
}
