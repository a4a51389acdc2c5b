// SPDX-License-Identifier: MIT
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DdmOptions, VertexMap } from '../ddm/ddm-options.ts';
import type { DdmVariant } from '../model/direct-delta-mush.ts';
import type { Mesh } from '../model/mesh.ts';
import { MUSH_DEFAULTS } from '../recipe/mush.ts';
import { addReadOptions, type ReadOptions } from './clip-options.ts';
import { UsageError } from './exit-status.ts';
import { belowOne, wholeNumber } from './option-values.ts';

/** A factor on a vertex attribute. */
export interface AttributeMap {
  attribute: string;
  channel: number;
  factor: number;
}

/** How Direct Delta Mush is made, and what is written of it. */
export interface DdmCommandOptions extends ReadOptions {
  lambda?: number | AttributeMap;
  kappa?: number | AttributeMap;
  alpha: number | AttributeMap;
  map: 'distance' | 'none' | AttributeMap;
  bind: 'rigid' | 'smooth';
  method: 'implicit' | 'explicit';
  threshold: number;
  drop: 'fold' | 'renormalize';
  bridge: number;
  quantize?: boolean;
  meshopt?: boolean;
}

export interface MushCommandOptions extends DdmCommandOptions {
  variant: DdmVariant;
  iterations: number;
}

export const MOST_ITERATIONS = 10_000;
const ATTRIBUTE = /^(?:([\d.eE+-]+)\*)?([A-Za-z_][A-Za-z0-9_]*)(?:\.([xyzwrgba]))?$/;

/** Adds the options of mush; defaults are the recipe's own. */
export function addMushOptions(command: Command): void {
  const d = MUSH_DEFAULTS;
  command
    .optionsGroup('Model options:')
    .addOption(
      new Option('--variant <n>', '0 the full one, 1 close to Delta Mush, 2 to 5 cheaper and plainer (docs/ddm.md)')
        .default(d.variant)
        .argParser(wholeNumber(0, 5)),
    )
    .addOption(
      new Option('--iterations <n>', 'smoothing steps')
        .default(d.iterations)
        .argParser(wholeNumber(1, MOST_ITERATIONS)),
    );
  addDdmOptions(command);
}

/** Adds those of them that say how Direct Delta Mush is made, but for its steps, and how it is written and read. */
export function addDdmOptions(command: Command): void {
  const d = MUSH_DEFAULTS;
  const where = 'a number, or a vertex attribute: _SMOOTH, 20*_SMOOTH, COLOR_0.r';
  command
    .addOption(
      new Option('--lambda <value>', `smoothing of rotations (default: ${d.lambda}, explicit 1); ${where}`).argParser(
        mapOf((value) => value > 0, 'above 0'),
      ),
    )
    .addOption(
      new Option('--kappa <value>', `smoothing of translations, up to lambda (default: ${d.kappa})`).argParser(
        mapOf((value) => value >= 0, 'of 0 or more'),
      ),
    )
    .addOption(
      new Option('--alpha <value>', 'how far translations follow kappa instead of lambda')
        .default(d.alpha)
        .argParser(mapOf((value) => value >= 0 && value < 1, 'from 0 up to, but not, 1')),
    )
    .addOption(
      new Option('--map <name>', 'smooth less near the bone (distance), alike (none), or by a vertex attribute')
        .default(d.map)
        .argParser((text) => (text === 'distance' || text === 'none' ? text : readAttribute(text))),
    )
    .addOption(
      new Option('--bind <kind>', 'start from the strongest bone of each vertex, or from the weights as they are')
        .choices(['rigid', 'smooth'])
        .default(d.bind),
    )
    .addOption(new Option('--method <name>', 'smoothing').choices(['implicit', 'explicit']).default(d.method))
    .addOption(
      new Option('--threshold <weight>', 'drop entries of less weight').default(d.threshold).argParser(belowOne),
    )
    .addOption(
      new Option('--drop <kind>', 'dropped entries go to the nearest bone kept, or nowhere')
        .choices(['fold', 'renormalize'])
        .default(d.drop),
    )
    .addOption(
      new Option('--bridge <ratio>', 'tie parts that come this close, in parts of the box diagonal')
        .default(d.bridge)
        .argParser(belowOne),
    )
    .optionsGroup('Output options:')
    .option('--quantize', 'store multi-weights, joints, weights, normals and UVs in half the bytes')
    .option('--meshopt', 'compress with EXT_meshopt_compression; players need its decoder');
  addReadOptions(command);
}

/**
 * Refuses strengths that cannot be meant, as far as they are numbers.
 * @param steps the option for smoothing steps
 */
export function checkDdmOptions({ lambda, kappa, method }: DdmCommandOptions, steps: string): void {
  const strength = lambda ?? (method === 'explicit' ? 1 : MUSH_DEFAULTS.lambda);
  if (method === 'explicit' && typeof strength === 'number' && strength > 1)
    throw new UsageError(`--lambda: explicit smoothing takes at most 1; use more ${steps}`);
  if (typeof kappa === 'number' && typeof strength === 'number' && kappa > strength)
    throw new UsageError(`--kappa must not be above --lambda, got ${kappa} against ${strength}`);
}

function mapOf(isGood: (value: number) => boolean, range: string): (text: string) => number | AttributeMap {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) return readAttribute(text);
    if (!(isGood(value) && Number.isFinite(value)))
      throw new InvalidArgumentError(`Give a number ${range}, or the name of a vertex attribute.`);
    return value;
  };
}

function readAttribute(text: string): AttributeMap {
  const match = ATTRIBUTE.exec(text.trim());
  const factor = match?.[1] === undefined ? 1 : Number(match[1]);
  if (!match || !Number.isFinite(factor))
    throw new InvalidArgumentError('Give a number or a vertex attribute, such as _SMOOTH, 20*_SMOOTH or COLOR_0.r.');
  const channel = match[3] === undefined ? 0 : Math.max('xyzw'.indexOf(match[3]), 'rgba'.indexOf(match[3]));
  return { attribute: match[2], channel, factor };
}

/** The options of the recipe that these stand for, of a mesh. */
export function ddmOptionsOf(options: DdmCommandOptions, mesh: Mesh): DdmOptions {
  const { lambda, kappa, alpha, map, bind, method, threshold, drop, bridge } = options;
  const mapOf = (name: 'lambda' | 'kappa' | 'alpha', value: typeof lambda) =>
    value === undefined ? {} : { [name]: vertexMapOf(`--${name}`, value, mesh) };
  return {
    ...{ bind, method, threshold, drop, bridge },
    ...{ ...mapOf('lambda', lambda), ...mapOf('kappa', kappa), ...mapOf('alpha', alpha) },
    map: (typeof map === 'string' ? map : vertexMapOf('--map', map, mesh)) as DdmOptions['map'],
  };
}

/** What an option says for the vertices of a mesh. An attribute that the mesh does not have is a usage error. */
export function vertexMapOf(option: string, value: number | AttributeMap, mesh: Mesh): VertexMap {
  if (typeof value === 'number') return value;
  const found = mesh.attributes.find(({ name }) => name === value.attribute);
  if (!found) {
    const known = mesh.attributes.map(({ name }) => name).join(', ');
    throw new UsageError(
      `${option}: the file has no vertex attribute "${value.attribute}"; ${known ? `it has ${known}` : 'it has none'}`,
    );
  }
  if (value.channel >= found.size)
    throw new UsageError(`${option}: "${found.name}" has ${found.size} numbers per vertex; name one of those`);
  return Float32Array.from(
    { length: found.values.length / found.size },
    (_, i) => value.factor * found.values[i * found.size + value.channel],
  );
}
