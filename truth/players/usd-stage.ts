// SPDX-License-Identifier: MIT
// A stage of USD as three.js' parsers read it: prims, attributes at a time, and relationships.
import { unzipSync } from 'fflate';
import { PropertyBinding } from 'three';
import { USDAParser } from 'three/addons/loaders/usd/USDAParser.js';
import { USDCParser } from 'three/addons/loaders/usd/USDCParser.js';
import type { Inventory, Role } from './played-scene.ts';

interface Spec {
  fields: {
    typeName?: string;
    displayName?: string;
    /** Text files have it here, and not as an attribute. */
    xformOpOrder?: string[];
    customData?: Record<string, unknown>;
    default?: unknown;
    timeSamples?: { times: number[]; values: unknown[] };
    targetPaths?: string[];
    elementSize?: number;
    timeCodesPerSecond?: number;
    framesPerSecond?: number;
    metersPerUnit?: number;
  };
}

export type Numbers = readonly number[];

export class UsdStage {
  readonly #specs: Record<string, Spec>;
  /** Paths of all prims. */
  readonly prims: readonly string[];
  readonly rate: number;
  readonly metresPerUnit: number;

  readonly #customNames: readonly string[];
  readonly #tokens: readonly string[];

  constructor(bytes: Uint8Array) {
    const layer = unpack(bytes);
    this.#specs = parse(layer).specsByPath as Record<string, Spec>;
    this.#customNames = isCrate(layer) ? [] : listCustomNames(new TextDecoder().decode(layer));
    this.#tokens = isCrate(layer) ? listTokens(layer) : [];
    this.prims = Object.keys(this.#specs).filter((path) => path !== '/' && !path.includes('.'));
    const { timeCodesPerSecond, framesPerSecond, metersPerUnit } = this.#specs['/'].fields;
    this.rate = timeCodesPerSecond ?? framesPerSecond ?? 24;
    this.metresPerUnit = metersPerUnit ?? 0.01;
  }

  /** Name of a prim, as it was before it became an identifier; of nodes as three.js' loaders give it. */
  nameOf(prim: string): string {
    const name = this.#specs[prim]?.fields.displayName ?? prim.split('/').at(-1) ?? '';
    return this.typeOf(prim) === 'Material' ? name : PropertyBinding.sanitizeNodeName(name);
  }

  /** What three.js leaves out: names of materials and those that are no identifiers, blend shapes, custom properties; in a binary result, any word is looked for among its tokens. */
  inventory(role: Role): Partial<Inventory> {
    const counts = this.prims.map((prim) => this.texts(prim, 'skel:blendShapes').length);
    const custom = this.prims.flatMap((prim) => {
      const { ossify, ...own } = this.#specs[prim].fields.customData ?? {};
      return [own, ...Object.values((ossify as { joints?: Record<string, object> } | undefined)?.joints ?? {})];
    });
    const meshes = this.prims.filter((prim) => this.typeOf(prim) === 'Mesh');
    const most = (isMeant: (name: string, type: string) => boolean) =>
      Math.max(0, ...meshes.map((prim) => this.primvars(prim).filter(([name, type]) => isMeant(name, type)).length));
    return {
      uvSets: most((_, type) => type === 'texCoord2f[]' || type === 'texCoord2d[]'),
      colourSets: most((name, type) => type.startsWith('color') || /^COLOR_\d+$/.test(name)),
      tangents: most((name) => name === 'tangents'),
      names: [...new Set([...this.namesOf(/^(Mesh|Material)$/), ...this.nodeNames()])],
      nodeNames: this.nodeNames(),
      morphTargets: Math.max(0, ...counts),
      morphNames: this.namesOf(/^BlendShape$/),
      extras: [
        ...new Set([
          ...custom.flatMap((one) => Object.keys(one)),
          ...this.#customNames,
          ...(role === 'result' ? this.#tokens : []),
        ]),
      ],
    };
  }

  /** Names and types of the primvars of a prim. */
  primvars(prim: string): [name: string, type: string][] {
    const start = `${prim}.primvars:`;
    return Object.entries(this.#specs)
      .filter(([path]) => path.startsWith(start))
      .map(([path, { fields }]) => [path.slice(start.length), fields.typeName ?? '']);
  }

  /** Names of prims of some types. */
  namesOf(type: RegExp): string[] {
    return [
      ...new Set(this.prims.filter((prim) => type.test(this.typeOf(prim) ?? '')).map((prim) => this.nameOf(prim))),
    ];
  }

  /** Names of joints, by the last names of their paths. */
  jointNames(): ReadonlyMap<string, string> {
    const out = new Map<string, string>();
    for (const prim of this.prims.filter((one) => this.typeOf(one) === 'Skeleton')) {
      const names = this.texts(prim, 'jointNames');
      this.texts(prim, 'joints').forEach((path, j) => {
        const leaf = path.split('/').at(-1) ?? '';
        out.set(leaf, PropertyBinding.sanitizeNodeName(names[j] ?? leaf));
      });
    }
    return out;
  }

  /** Names of everything that has a transform. */
  nodeNames(): string[] {
    return [...new Set([...this.namesOf(/^(Xform|SkelRoot|Mesh|Camera|.*Light)$/), ...this.jointNames().values()])];
  }

  typeOf(prim: string): string | undefined {
    return this.#specs[prim]?.fields.typeName;
  }

  has(prim: string, name: string): boolean {
    return this.#specs[`${prim}.${name}`] !== undefined;
  }

  isAnimated(prim: string, name: string): boolean {
    return (this.#specs[`${prim}.${name}`]?.fields.timeSamples?.times.length ?? 0) > 0;
  }

  elementSize(prim: string, name: string): number | undefined {
    return this.#specs[`${prim}.${name}`]?.fields.elementSize;
  }

  /** Number of joints that skins are bound to; undefined if that is not said. A skeleton may have more, and a mesh with one joint is a rigid part, which is no skin. */
  boundJointCount(): number | undefined {
    const skinned = this.prims.filter((prim) => this.has(prim, 'primvars:skel:jointIndices'));
    const joints = skinned.map((prim) => {
      if (this.has(prim, 'skel:joints')) return this.texts(prim, 'skel:joints');
      const [skeleton] = this.targets(prim, 'skel:skeleton');
      return skeleton === undefined ? undefined : this.texts(skeleton, 'joints');
    });
    if (joints.includes(undefined)) return undefined;
    return new Set(joints.filter((own = []) => own.length > 1).flat()).size;
  }

  /** Texts of an attribute, such as names of joints. */
  texts(prim: string, name: string): string[] {
    const value = this.#specs[`${prim}.${name}`]?.fields.default;
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Operations that make the transform of a prim, in order. */
  operations(prim: string): string[] {
    return this.#specs[prim]?.fields.xformOpOrder ?? this.texts(prim, 'xformOpOrder');
  }

  /** Targets of a relationship of a prim, or of the nearest prim above that has it. */
  targets(prim: string, name: string): string[] {
    for (let path = prim; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
      const spec = this.#specs[`${path}.${name}`];
      if (!spec) continue;
      const found = spec.fields.targetPaths ?? [spec.fields.default].flat().map(String);
      return found.flatMap((text) => text.replace(/[[\]<>\s]/g, '').split(',')).filter(Boolean);
    }
    return [];
  }

  /** Numbers of an attribute at a time code, linear between samples; rotations are slerped. */
  numbers(prim: string, name: string, time: number): Numbers | undefined {
    const spec = this.#specs[`${prim}.${name}`];
    const samples = spec?.fields.timeSamples;
    if (!samples || samples.times.length === 0) return flatten(spec?.fields.default);
    const { times, values } = samples;
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    const a = flatten(values[k]) ?? [];
    if (k + 1 >= times.length || time <= times[k]) return a;
    const b = flatten(values[k + 1]) ?? [];
    if (a.length !== b.length) return a;
    const ratio = (time - times[k]) / (times[k + 1] - times[k]);
    return spec.fields.typeName?.startsWith('quat') ? slerpAll(a, b, ratio) : a.map((x, c) => x + ratio * (b[c] - x));
  }

  /** Time codes of all samples of a prim. */
  times(prim: string): number[] {
    return Object.entries(this.#specs)
      .filter(([path]) => path.startsWith(`${prim}.`))
      .flatMap(([, spec]) => spec.fields.timeSamples?.times ?? []);
  }
}

/** The layer of a package. */
function unpack(bytes: Uint8Array): Uint8Array {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isZip ? Object.values(unzipSync(bytes))[0] : bytes;
}

const isCrate = (layer: Uint8Array): boolean => new TextDecoder().decode(layer.subarray(0, 8)) === 'PXR-USDC';

function parse(layer: Uint8Array): { specsByPath: object } {
  return isCrate(layer)
    ? new USDCParser().parseData(layer.slice().buffer)
    : new USDAParser().parseData(new TextDecoder().decode(layer));
}

/** Words of a binary layer, which keys of dictionaries are among. */
function listTokens(layer: Uint8Array): readonly string[] {
  const parser = new USDCParser();
  parser.parseData(layer.slice().buffer);
  return (parser as { tokens?: readonly string[] }).tokens ?? [];
}

/** Names of values in the custom data of a text: three.js reads none below dictionaries. */
function listCustomNames(text: string): string[] {
  const names: string[] = [];
  for (const { index } of text.matchAll(/customData = \{/g)) {
    let depth = 0;
    for (const line of text.slice(index).split('\n')) {
      depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
      const [, type, name] = /^\s*([\w[\]]+) "?([^"=]+?)"? = /.exec(line) ?? [];
      if (name && type !== 'dictionary') names.push(name);
      if (depth <= 0) break;
    }
  }
  return names;
}

function flatten(value: unknown): Numbers | undefined {
  if (typeof value === 'number') return [value];
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
  return Array.isArray(value) ? (value.flat(Number.POSITIVE_INFINITY) as number[]) : undefined;
}

function slerpAll(a: Numbers, b: Numbers, ratio: number): number[] {
  const out: number[] = [];
  for (let q = 0; q < a.length; q += 4) {
    const [from, to] = [a.slice(q, q + 4), b.slice(q, q + 4)];
    let dot = from.reduce((sum, x, c) => sum + x * to[c], 0);
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(Math.abs(dot), 1);
    const angle = Math.acos(dot);
    const sine = Math.sin(angle);
    const near = sine < 1e-6;
    const [p, r] = near ? [1 - ratio, ratio] : [Math.sin((1 - ratio) * angle) / sine, Math.sin(ratio * angle) / sine];
    const mixed = from.map((x, c) => p * x + sign * r * to[c]);
    const length = Math.hypot(...mixed);
    out.push(...mixed.map((x) => x / length));
  }
  return out;
}
