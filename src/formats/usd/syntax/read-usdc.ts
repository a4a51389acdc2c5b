// SPDX-License-Identifier: MIT
import {
  makeUsdPrim,
  type UsdDictionary,
  type UsdLayer,
  type UsdPrim,
  type UsdProperty,
  type UsdValue,
} from './usd-layer.ts';
import { readUsdcFile, type UsdcSpec } from './usdc-file.ts';
import { UsdcValues } from './usdc-values.ts';

const [ATTRIBUTE, PRIM, FILE, RELATIONSHIP, VARIANT] = [1, 6, 7, 8, 10];
const SPECIFIERS = ['def', 'over', 'class'] as const;

/** Reads a binary USD file. Samples are decoded when asked for. */
export function readUsdc(bytes: Uint8Array): UsdLayer {
  const file = readUsdcFile(bytes);
  const values = new UsdcValues(file);
  const root = makeUsdPrim('');
  const prims = new Map<string, UsdPrim>([['/', root]]);
  const metadata: Record<string, UsdValue> = Object.create(null);
  // parents come before their children, whatever the order of the file
  const specs = [...file.specs].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const spec of specs) {
    if (spec.type === FILE) Object.assign(metadata, readMetadata(spec, values));
    if (spec.type === PRIM || spec.type === VARIANT) addPrim(spec, values, prims);
  }
  for (const spec of specs) {
    if (spec.type !== ATTRIBUTE && spec.type !== RELATIONSHIP) continue;
    const dot = spec.path.lastIndexOf('.');
    const prim = prims.get(spec.path.slice(0, dot));
    prim?.properties.set(spec.path.slice(dot + 1), readProperty(spec, values));
  }
  orderChildren(specs, values, prims);
  const subLayers = Array.isArray(metadata.subLayers) ? (metadata.subLayers as string[]) : [];
  return { metadata, subLayers, root };
}

function readMetadata({ fields }: UsdcSpec, values: UsdcValues): Record<string, UsdValue> {
  const out: Record<string, UsdValue> = Object.create(null);
  for (const [name, rep] of fields) {
    const value = values.value(rep);
    if (value !== undefined) out[name] = value;
  }
  return out;
}

/** The parent of a path, and the variant set of '/A{set=variant}'. */
function splitPath(path: string): { parent: string; name: string; set?: string } {
  const variant = /^(.*)\{([^={}]*)=([^={}]*)\}$/s.exec(path);
  if (variant) return { parent: variant[1], set: variant[2], name: variant[3] };
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('}'));
  return { parent: path[cut] === '}' ? path.slice(0, cut + 1) : path.slice(0, cut) || '/', name: path.slice(cut + 1) };
}

function addPrim({ path, fields }: UsdcSpec, values: UsdcValues, prims: Map<string, UsdPrim>): void {
  const { parent, name, set } = splitPath(path);
  const above = prims.get(parent);
  if (!above || name === '') return;
  const read = (field: string): UsdValue | undefined => {
    const rep = fields.get(field);
    return rep === undefined ? undefined : values.value(rep);
  };
  const list = (field: string): string[] => {
    const rep = fields.get(field);
    return rep === undefined ? [] : values.list(rep);
  };
  const references = (field: string) => {
    const rep = fields.get(field);
    return rep === undefined ? [] : values.references(rep);
  };
  const specifier = read('specifier');
  const active = read('active');
  const displayName = read('displayName');
  const customData = read('customData');
  const selections = fields.get('variantSelection');
  const prim: UsdPrim = {
    ...makeUsdPrim(
      name,
      typeof specifier === 'number' ? SPECIFIERS[specifier] : 'over',
      String(read('typeName') ?? ''),
    ),
    isActive: typeof active === 'boolean' ? active : undefined,
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(isDictionary(customData) ? { customData } : {}),
    references: references('references'),
    payloads: references('payload'),
    inherits: list('inheritPaths'),
    specializes: list('specializes'),
    selections: selections === undefined ? new Map() : values.selections(selections),
  };
  prims.set(path, prim);
  if (set === undefined) above.children.set(name, prim);
  else {
    const sets = above.variantSets as Map<string, Map<string, UsdPrim>>;
    const variants = sets.get(set) ?? new Map<string, UsdPrim>();
    sets.set(set, variants.set(name, prim));
  }
}

function isDictionary(value: UsdValue | undefined): value is UsdDictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function readProperty({ fields, type }: UsdcSpec, values: UsdcValues): UsdProperty {
  const read = (field: string): UsdValue | undefined => {
    const rep = fields.get(field);
    return rep === undefined ? undefined : values.value(rep);
  };
  const number = (field: string): number | undefined => {
    const value = read(field);
    return typeof value === 'number' ? value : undefined;
  };
  const targets = fields.get(type === RELATIONSHIP ? 'targetPaths' : 'connectionPaths');
  const samples = fields.get('timeSamples');
  const interpolation = read('interpolation');
  return {
    typeName: type === RELATIONSHIP ? '' : String(read('typeName') ?? ''),
    value: read('default'),
    samples: samples === undefined ? undefined : values.samples(samples),
    targets: targets === undefined ? [] : values.list(targets),
    interpolation: typeof interpolation === 'string' ? interpolation : undefined,
    elementSize: number('elementSize'),
    weight: number('weight'),
  };
}

/** Children and properties in the order of the file, which the paths do not keep. */
function orderChildren(specs: UsdcSpec[], values: UsdcValues, prims: Map<string, UsdPrim>): void {
  for (const { path, fields, type } of specs) {
    const prim = prims.get(type === FILE ? '/' : path);
    if (!prim || (type !== FILE && type !== PRIM && type !== VARIANT)) continue;
    const [children, properties] = ['primChildren', 'properties'].map((field) => fields.get(field));
    if (children !== undefined) orderInPlace(prim.children, values.list(children));
    if (properties !== undefined) orderInPlace(prim.properties, values.list(properties));
  }
}

function orderInPlace<T>(entries: Map<string, T>, names: readonly string[]): void {
  for (const name of names) {
    const entry = entries.get(name);
    if (entry === undefined) continue;
    entries.delete(name);
    entries.set(name, entry);
  }
}
