// SPDX-License-Identifier: MIT
// Composition of USD: the prims of a stage from the opinions of several files. Opinions are collected in the order of strength (LIVERPS): local ones with their
// sublayers, inherits, variants, references, payloads, specializes. Paths of referenced prims become paths of the stage. Relocates, clips and
// splines are not supported.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { makeUsdPrim, type UsdLayer, type UsdPrim, type UsdProperty, type UsdReference } from '../syntax/usd-layer.ts';
import { USD_COSTS, type UsdBudget } from './usd-budget.ts';

/** Limit for damaged or hostile files. */
const MAX_DEPTH = 256;
/** What takes memory here, in messages. */
const COMPOSED = 'the prims of the stage with all their references';

/** Opens a file of the stage by its path; undefined if it is missing. */
export type OpenUsdLayer = (path: string) => Promise<UsdLayer | undefined>;

/** An opinion about a prim, and where it comes from. */
interface Opinion {
  prim: UsdPrim;
  /** The layer with its sublayers merged, and its path. */
  stack: LayerStack;
  /** Path of the prim there. */
  path: string;
  /** Prefixes of paths there, and what they are on the stage; the longest that fits counts. */
  names: readonly { from: string; to: string }[];
  /** Time codes there become code x scale + offset. */
  offset: number;
  scale: number;
}

interface LayerStack {
  path: string;
  layer: UsdLayer;
}

/** Composes the stage of a file. Missing files, and those outside of its folder, are left out and reported by `log`. */
export async function composeUsd(
  path: string,
  open: OpenUsdLayer,
  budget: UsdBudget,
  log?: (message: string) => void,
): Promise<{ layer: UsdLayer; root: UsdPrim; leftOut: string[] }> {
  const composer = new UsdComposer(path, open, budget, log);
  const stack = await composer.openStack(path, []);
  if (!stack) throw new FormatError('usd', 'resource', `${quoteName(path)} is missing`);
  const opinion: Opinion = { prim: stack.layer.root, stack, path: '', names: [], offset: 0, scale: 1 };
  const root = await composer.compose([opinion], '', 0);
  return { layer: stack.layer, root, leftOut: composer.leftOut };
}

class UsdComposer {
  /** The root layer. */
  readonly #first: string;
  readonly #open: OpenUsdLayer;
  readonly #budget: UsdBudget;
  readonly #log?: (message: string) => void;
  readonly #stacks = new Map<string, LayerStack | undefined>();
  readonly #missing = new Set<string>();

  constructor(first: string, open: OpenUsdLayer, budget: UsdBudget, log?: (message: string) => void) {
    this.#first = first;
    this.#open = open;
    this.#budget = budget;
    this.#log = log;
  }

  /** Files that are missing, outside of the folder, or of another format. */
  get leftOut(): string[] {
    return [...this.#missing];
  }

  /** A layer merged with its sublayers. */
  async openStack(path: string, above: readonly string[]): Promise<LayerStack | undefined> {
    if (above.includes(path)) throw new FormatError('usd', 'hierarchy', `${quoteName(path)} is a sublayer of itself`);
    if (this.#stacks.has(path)) return this.#stacks.get(path);
    const layer = await this.#open(path);
    if (layer) markAssets(layer.root, path);
    let stack = layer && { path, layer };
    for (const asset of layer?.subLayers ?? []) {
      const sub = await this.#openBeside(path, asset, [...above, path]);
      if (sub && stack)
        stack = { path, layer: { ...stack.layer, root: this.#merge(stack.layer.root, sub.layer.root, 0) } };
    }
    this.#stacks.set(path, stack);
    return stack;
  }

  /** Paths are relative to the file that names them; a path without ./ may also be relative to the stage. */
  async #openBeside(from: string, asset: string, above: readonly string[]): Promise<LayerStack | undefined> {
    const beside = resolveUsdPath(from, asset);
    if (beside === undefined) {
      this.#noteOnce(asset, `${quoteName(asset)} is outside of the folder of the stage`);
      return undefined;
    }
    const whole = /^\.\.?\//.test(asset) ? beside : resolveUsdPath(this.#first, asset);
    const found =
      (await this.openStack(beside, above)) ??
      (whole === undefined || whole === beside ? undefined : await this.openStack(whole, above));
    if (!found) this.#noteOnce(beside, `${quoteName(asset)} is missing`);
    return found;
  }

  #noteOnce(key: string, fault: string): void {
    if (this.#missing.has(key)) return;
    this.#missing.add(key);
    this.#log?.(`${fault}; what it holds is left out`);
  }

  /** The prim on the stage, from its opinions, strongest first. */
  async compose(direct: readonly Opinion[], path: string, depth: number): Promise<UsdPrim> {
    if (depth > MAX_DEPTH) throw new FormatError('usd', 'hierarchy', 'prims are nested too deeply');
    this.#budget.take(USD_COSTS.prim, COMPOSED);
    const opinions = await this.#expand(direct, path);
    const out = makeUsdPrim(path.slice(path.lastIndexOf('/') + 1));
    const children = new Map<string, Opinion[]>();
    const merged = new Set<UsdPrim>();
    for (const opinion of opinions) {
      const { prim } = opinion;
      this.#budget.take(USD_COSTS.opinion * (prim.properties.size + prim.children.size), COMPOSED);
      if (out.typeName === '') out.typeName = prim.typeName;
      if (out.specifier === 'over') out.specifier = prim.specifier;
      out.isActive ??= prim.isActive;
      out.displayName ??= prim.displayName;
      // a prim that is reached again is weaker than itself, and its properties change nothing
      if (!merged.has(prim)) {
        merged.add(prim);
        if (prim.customData) out.customData = { ...prim.customData, ...out.customData };
        for (const [name, property] of prim.properties)
          out.properties.set(name, mergeProperties(out.properties.get(name), placeProperty(property, opinion)));
      }
      for (const [name, child] of prim.children) {
        const list = children.get(name) ?? [];
        children.set(name, list);
        list.push({ ...opinion, prim: child, path: `${opinion.path}/${name}` });
      }
    }
    if (out.isActive === false) return out;
    for (const [name, list] of children) out.children.set(name, await this.compose(list, `${path}/${name}`, depth + 1));
    return out;
  }

  /** All opinions, with those that arcs bring in. */
  async #expand(direct: readonly Opinion[], stagePath: string): Promise<Opinion[]> {
    const selections = new Map<string, string>();
    const out: Opinion[] = [];
    const visit = async (opinion: Opinion, above: readonly string[]): Promise<void> => {
      const { prim, stack } = opinion;
      const key = `${stack.path}|${opinion.path}|${prim.name}`;
      if (above.includes(key))
        throw new FormatError('usd', 'hierarchy', `${quoteName(stagePath || '/')} refers to itself`);
      if (above.length > MAX_DEPTH) throw new FormatError('usd', 'hierarchy', 'references are nested too deeply');
      const next = [...above, key];
      out.push(opinion);
      this.#budget.take(USD_COSTS.opinion * (1 + opinion.names.length) + 8 * above.length, COMPOSED);
      for (const [set, variant] of prim.selections) if (!selections.has(set)) selections.set(set, variant);
      for (const target of prim.inherits) await visitLocal(opinion, target, next);
      for (const [set, variants] of prim.variantSets) {
        const body = variants.get(selections.get(set) ?? '');
        if (body) await visit({ ...opinion, prim: body }, next);
      }
      for (const reference of [...prim.references, ...prim.payloads]) {
        const found = await this.#follow(opinion, reference, stagePath);
        if (found) await visit(found, next);
      }
      for (const target of prim.specializes) await visitLocal(opinion, target, next);
    };
    const visitLocal = async (opinion: Opinion, target: string, above: readonly string[]): Promise<void> => {
      const prim = findPrim(opinion.stack.layer.root, target);
      if (!prim) return;
      const names = [...opinion.names, { from: target, to: stagePath }];
      await visit({ ...opinion, prim, path: target, names }, above);
    };
    for (const opinion of direct) await visit(opinion, []);
    return out;
  }

  /** Merges the opinions of a stronger and a weaker layer. */
  #merge(strong: UsdPrim, weak: UsdPrim, depth: number): UsdPrim {
    if (depth > MAX_DEPTH) throw new FormatError('usd', 'hierarchy', 'prims are nested too deeply');
    const properties = new Map(strong.properties);
    for (const [name, property] of weak.properties)
      properties.set(name, mergeProperties(properties.get(name), property));
    const children = new Map(strong.children);
    for (const [name, child] of weak.children) {
      const own = children.get(name);
      children.set(name, own ? this.#merge(own, child, depth + 1) : child);
    }
    const merged = {
      name: strong.name,
      specifier: strong.specifier === 'over' ? weak.specifier : strong.specifier,
      typeName: strong.typeName || weak.typeName,
      isActive: strong.isActive ?? weak.isActive,
      displayName: strong.displayName ?? weak.displayName,
      customData: (strong.customData ?? weak.customData) ? { ...weak.customData, ...strong.customData } : undefined,
      references: [...strong.references, ...weak.references],
      payloads: [...strong.payloads, ...weak.payloads],
      inherits: [...strong.inherits, ...weak.inherits],
      specializes: [...strong.specializes, ...weak.specializes],
      selections: new Map([...weak.selections, ...strong.selections]),
      variantSets: new Map([...weak.variantSets, ...strong.variantSets]),
      properties,
      children,
    };
    const { references, payloads, inherits, specializes } = merged;
    const arcs = references.length + payloads.length + inherits.length + specializes.length;
    this.#budget.take(USD_COSTS.prim + USD_COSTS.opinion * (properties.size + children.size + arcs), COMPOSED);
    return merged;
  }

  async #follow(
    from: Opinion,
    { asset, prim: target, offset, scale }: UsdReference,
    to: string,
  ): Promise<Opinion | undefined> {
    const stack = asset === '' ? from.stack : await this.#openBeside(from.stack.path, asset, []);
    if (!stack) return undefined;
    const { defaultPrim } = stack.layer.metadata;
    const path = target || (typeof defaultPrim === 'string' ? `/${defaultPrim.replace(/^\//, '')}` : '');
    const prim = path === '' ? undefined : findPrim(stack.layer.root, path);
    if (!prim) {
      this.#log?.(
        `the reference to ${quoteName(`${asset}${path ? `<${path}>` : ''}`)} leads to no prim; it is left out`,
      );
      return undefined;
    }
    const names = asset === '' ? [...from.names, { from: path, to }] : [{ from: path, to }];
    return { prim, stack, path, names, offset: from.offset + from.scale * offset, scale: from.scale * scale };
  }
}

/** A path beside a file; undefined if it leads out of the folder or package of the stage. */
export function resolveUsdPath(from: string, asset: string): string | undefined {
  if (/^([a-z][a-z\d+.-]*:|[/\\])/i.test(asset)) return undefined;
  const parts = from.split('/').slice(0, -1);
  for (const part of asset.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

function findPrim(root: UsdPrim, path: string): UsdPrim | undefined {
  let prim: UsdPrim | undefined = root;
  for (const name of path.split('/').slice(1)) prim = prim?.children.get(name);
  return prim;
}

/** Notes in all asset paths of a layer where they come from. */
function markAssets(root: UsdPrim, path: string): void {
  const stack = [root];
  for (let prim = stack.pop(); prim; prim = stack.pop()) {
    for (const property of prim.properties.values()) if (property.typeName === 'asset') property.from = path;
    // one by one: very many cannot be arguments of a function
    for (const child of prim.children.values()) stack.push(child);
    for (const variants of prim.variantSets.values()) for (const body of variants.values()) stack.push(body);
  }
}

/** The stronger opinion on the value counts whole: a default hides samples of weaker layers. */
function mergeProperties(strong: UsdProperty | undefined, weak: UsdProperty): UsdProperty {
  if (!strong) return weak;
  const own = strong.value !== undefined || strong.samples !== undefined ? strong : weak;
  return {
    typeName: strong.typeName || weak.typeName,
    value: own.value,
    samples: own.samples,
    targets: strong.targets.length > 0 ? strong.targets : weak.targets,
    interpolation: strong.interpolation ?? weak.interpolation,
    elementSize: strong.elementSize ?? weak.elementSize,
    weight: strong.weight ?? weak.weight,
    from: own.from,
  };
}

/** A property with its paths and times as the stage has them. */
function placeProperty(property: UsdProperty, { names, offset, scale, path }: Opinion): UsdProperty {
  const { samples } = property;
  const isMoved = offset !== 0 || scale !== 1;
  return {
    ...property,
    targets: property.targets.map((target) => placePath(target.startsWith('/') ? target : `${path}/${target}`, names)),
    samples:
      samples && isMoved ? { times: samples.times.map((time) => time * scale + offset), at: samples.at } : samples,
  };
}

function placePath(path: string, names: Opinion['names']): string {
  let best: { from: string; to: string } | undefined;
  for (const one of names) {
    const fits = path === one.from || path.startsWith(`${one.from}/`) || path.startsWith(`${one.from}.`);
    if (fits && (!best || one.from.length >= best.from.length)) best = one;
  }
  return best ? best.to + path.slice(best.from.length) : path;
}
