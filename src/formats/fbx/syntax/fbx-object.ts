// SPDX-License-Identifier: MIT
import { type FbxNode, type FbxValue, failFbx, numberOfFbx } from './fbx-node.ts';

/** Identifier of the scene itself. */
export const FBX_ROOT = '0';

/** An object of the file: a model, a geometry, a deformer, a curve. */
export interface FbxObject {
  id: string;
  /** Name of its node: Model, Geometry, Deformer … */
  kind: string;
  name: string;
  /** Its class within the kind: Mesh, LimbNode, Skin, Cluster … */
  type: string;
  node: FbxNode;
  /** Own properties; those of the template stand behind them. */
  properties: Map<string, FbxValue[]>;
  template?: Map<string, FbxValue[]>;
}

/** Objects while they are collected. */
export interface FbxCollection {
  objects: Map<string, FbxObject>;
  connect(child: string, parent: string, property?: string): void;
}

/** Makes the object of a node; undefined if it has no identifier. */
export function makeFbxObject(node: FbxNode, template?: Map<string, FbxValue[]>): FbxObject | undefined {
  const [first, second, third] = node.values;
  // FBX 6 identifies objects by name
  const isNamed = typeof first === 'string';
  const label = isNamed ? first : second;
  const type = isNamed ? second : third;
  if (first === undefined || typeof label !== 'string') return undefined;
  const id = idOf(first);
  if (id === FBX_ROOT) failFbx('hierarchy', 'an object has the identifier of the scene');
  return {
    id,
    kind: node.name,
    name: nameOf(label),
    type: typeof type === 'string' ? type : '',
    node,
    properties: readProperties(node),
    template,
  };
}

/** The values of a property of an object, or of its template. */
export function propertyOf({ properties, template }: FbxObject, name: string): FbxValue[] | undefined {
  return properties.get(name) ?? template?.get(name);
}

/** A number of an object; the fallback if it has none, or one that is not finite. */
export function numberProperty(object: FbxObject, name: string, fallback: number): number {
  const value = numberOfFbx(propertyOf(object, name)?.[0]);
  return value !== undefined && Number.isFinite(value) ? value : fallback;
}

/** Three numbers of an object. */
export function vectorProperty(object: FbxObject, name: string, fallback: number): Float64Array {
  const values = propertyOf(object, name);
  return Float64Array.from({ length: 3 }, (_, c) => {
    const value = numberOfFbx(values?.[c]);
    // what is not finite is not stated
    return value !== undefined && Number.isFinite(value) ? value : fallback;
  });
}

/** Identifiers as texts: numbers since FBX 7, names before, written in either order. */
export function idOf(value: FbxValue | undefined): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return '';
  const split = value.indexOf('\0\x01');
  return split < 0 ? value : `${value.slice(split + 2)}::${value.slice(0, split)}`;
}

/** The name without its class: binary files put it before two control characters, ASCII files after two colons. */
function nameOf(label: string): string {
  const split = label.indexOf('\0\x01');
  if (split >= 0) return label.slice(0, split);
  return label.replace(/^\w*::/, '');
}

export function readProperties(node: FbxNode | undefined): Map<string, FbxValue[]> {
  const properties = new Map<string, FbxValue[]>();
  for (const list of node?.children ?? []) {
    // name, type, label, flags, values; FBX 6 has no label
    const skipped = list.name === 'Properties70' ? 4 : list.name === 'Properties60' ? 3 : 0;
    if (skipped === 0) continue;
    for (const { values } of list.children) {
      const [name] = values;
      if (typeof name === 'string') properties.set(name, values.slice(skipped));
    }
  }
  return properties;
}
