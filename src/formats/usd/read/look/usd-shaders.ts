// SPDX-License-Identifier: MIT
// Networks of shaders: inputs are values or connections, through node graphs.
import type { UsdPrim, UsdProperty } from '../../syntax/usd-layer.ts';
import { isNumbers, usdValueAt } from '../../syntax/usd-values-at.ts';

/** Limit for connections that lead in a circle. */
const MAX_DEPTH = 32;

/** Where an input leads: to an output of a shader, or to a value. */
export interface UsdSource {
  /** The value, where nothing is connected. */
  property?: UsdProperty;
  shader?: UsdPrim;
  /** Name of the output: rgb. */
  output?: string;
}

export type FindUsdPrim = (path: string) => UsdPrim | undefined;

/** Follows an input through node graphs. */
export function followUsdInput(prim: UsdPrim, attribute: string, find: FindUsdPrim): UsdSource {
  let property = prim.properties.get(attribute);
  for (let depth = 0; property && depth < MAX_DEPTH; depth++) {
    const [target] = property.targets;
    if (target === undefined) return { property };
    const dot = target.lastIndexOf('.');
    const next = find(target.slice(0, dot));
    const name = target.slice(dot + 1);
    if (!next || dot < 0) return property.value === undefined ? {} : { property };
    if (next.typeName === 'Shader' && name.startsWith('outputs:'))
      return { shader: next, output: name.slice('outputs:'.length) };
    property = next.properties.get(name);
  }
  return {};
}

/** What a shader is: UsdPreviewSurface. */
export function shaderIdOf(shader: UsdPrim): string {
  const value = usdValueAt(shader.properties.get('info:id'));
  return typeof value === 'string' ? value : '';
}

/** Numbers of an input, where it has a value. */
export function inputNumbers(prim: UsdPrim, name: string, find: FindUsdPrim): number[] | undefined {
  const value = usdValueAt(followUsdInput(prim, `inputs:${name}`, find).property);
  if (typeof value === 'number') return Number.isFinite(value) ? [value] : undefined;
  return isNumbers(value) ? Array.from(value, (x) => (Number.isFinite(x) ? x : 0)) : undefined;
}

/** Text of an input, where it has a value. */
export function inputText(prim: UsdPrim, name: string, find: FindUsdPrim): string | undefined {
  const value = usdValueAt(followUsdInput(prim, `inputs:${name}`, find).property);
  return typeof value === 'string' ? value : undefined;
}
