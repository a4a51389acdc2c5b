// SPDX-License-Identifier: MIT
// Options of Direct Delta Mush, for mush and compress.

import { UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import {
  choice,
  count,
  numberThat,
  type OptionsOf,
  type OptionType,
  option,
  ratio,
} from '../../core/options/option.ts';
import { BIND_RULES, type DdmOptions, isByReach, type VertexMap } from '../../methods/mush/index.ts';
import { STORE_OPTIONS } from '../engine/index.ts';
import { MUSH_DEFAULTS } from './mush.ts';

/** A vertex attribute times a factor. */
export interface AttributeMap {
  attribute: string;
  channel: number;
  factor: number;
}

const D = MUSH_DEFAULTS;
const ATTRIBUTE = /^(?:([\d.eE+-]+)\*)?([A-Za-z_][A-Za-z0-9_]*)(?:\.([xyzwrgba]))?$/;
const EXPLICIT_LAMBDA = 1;
/** Maximum strength of smoothing per step: beyond 1e10 the weights of a mesh of 450 vertices no longer sum to one. */
const MAX_LAMBDA = 1e6;
/** Maximum smoothing length: at ten heights, all places of a mesh blend alike. From 1e5 on, rounding shows in the weights. */
const MAX_REACH = 10;

export const smoothingSteps = count(1, 10_000);

/** A number in a range, or a vertex attribute. */
function vertexMap(isGood: (value: number) => boolean, range: string): OptionType<number | AttributeMap> {
  return {
    placeholder: '<value>',
    isText: true,
    parse(text) {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      if (Number.isNaN(value)) return parseAttribute(text);
      if (!(isGood(value) && Number.isFinite(value)))
        throw new UsageError('', `Give a number ${range}, or the name of a vertex attribute.`);
      return value;
    },
  };
}

function parseAttribute(text: string): AttributeMap {
  const match = ATTRIBUTE.exec(text.trim());
  const factor = match?.[1] === undefined ? 1 : Number(match[1]);
  if (!match || !Number.isFinite(factor))
    throw new UsageError('', 'Give a number or a vertex attribute, such as _SMOOTH, 20*_SMOOTH or COLOR_0.r.');
  const channel = match[3] === undefined ? 0 : Math.max('xyzw'.indexOf(match[3]), 'rgba'.indexOf(match[3]));
  return { attribute: match[2], channel, factor };
}

const map: OptionType<'distance' | 'none' | AttributeMap> = {
  placeholder: '<name>',
  isText: true,
  parse: (text) => (text === 'distance' || text === 'none' ? text : parseAttribute(text)),
};

/** Options of Direct Delta Mush except its smoothing steps. */
export const DDM_OPTIONS = {
  reach: option(
    numberThat((x) => x > 0 && x <= MAX_REACH, `a number above 0, up to ${MAX_REACH}`, '<ratio>'),
    `smoothing length, relative to the height: how far a bend spreads, on any mesh (default: ${D.reach}; not with --lambda or --kappa)`,
    {
      // forms have zero for options that are not given
      defaultFor: ({ lambda, kappa, method }) => (lambda || kappa || method === 'explicit' ? undefined : D.reach),
      form: {
        label: 'Reach',
        note: 'Smoothing length relative to the height: how far a bend spreads.',
        range: [0.01, 0.5, 0.01],
        isLog: true,
      },
    },
  ),
  lambda: option(
    vertexMap((value) => value > 0 && value <= MAX_LAMBDA, `above 0, up to ${MAX_LAMBDA}`),
    `smoothing of rotations per step, over edges, instead of --reach (with --kappa: ${D.lambda}, explicit ${EXPLICIT_LAMBDA}): a number, or a vertex attribute: _SMOOTH, 20*_SMOOTH, COLOR_0.r`,
    {
      defaultFor: ({ method }) => (method === 'explicit' ? EXPLICIT_LAMBDA : undefined),
      form: {
        label: 'λ',
        note: 'Smoothing of rotations per step. Larger values spread a bend farther.',
        range: [0, 100, 0.5],
        isFine: true,
      },
    },
  ),
  kappa: option(
    vertexMap((value) => value >= 0, 'of 0 or more'),
    `smoothing of translations per step, up to lambda (with --lambda: ${D.kappa})`,
    {
      defaultFor: ({ lambda, method }) => (lambda || method === 'explicit' ? D.kappa : undefined),
      form: {
        label: 'κ',
        note: 'Smoothing of translations per step, up to λ. Smaller values give sharper bends.',
        range: [0, 20, 0.1],
        isFine: true,
      },
    },
  ),
  alpha: option(
    vertexMap((value) => value >= 0 && value < 1, 'from 0 to below 1'),
    'blend of translations between lambda (0) and kappa (1)',
    {
      default: D.alpha,
      form: { label: 'α', note: 'Blend of translations between λ (0) and κ (1).', range: [0, 0.99, 0.01] },
    },
  ),
  map: option(map, 'scale smoothing by the distance to the bone, not at all (none), or by a vertex attribute', {
    default: D.map,
  }),
  bind: option(
    choice(BIND_RULES, '<kind>'),
    'initial binding: the strongest bone at each place of the surface (cells, the default), of each vertex (rigid, the default with --lambda), or the own weights (smooth)',
    {
      defaultFor: ({ lambda, kappa, method }) =>
        isByReach({ lambda, kappa, method } as DdmOptions) ? ('cells' as const) : ('rigid' as const),
    },
  ),
  method: option(choice(['implicit', 'explicit']), 'smoothing method', { default: D.method }),
  threshold: option(ratio('<weight>'), 'drop entries below this weight', {
    default: D.threshold,
    form: {
      label: 'Threshold',
      note: 'Entries below this weight are dropped.',
      range: [0, 0.01, 0.0001],
      isFine: true,
    },
  }),
  drop: option(
    choice(['fold', 'renormalize'], '<kind>'),
    'fold dropped entries into the nearest kept bone, or renormalize',
    {
      default: D.drop,
    },
  ),
  bridge: option(ratio(), 'connect parts closer than this, relative to the box diagonal', { default: D.bridge }),
};

export const DDM_STORE_OPTIONS = {
  ...STORE_OPTIONS,
  quantize: {
    ...STORE_OPTIONS.quantize,
    help: 'store multi-weights, joints, weights, normals and UVs in half the bytes',
  },
};

type DdmValues = OptionsOf<typeof DDM_OPTIONS>;

/** Throws a UsageError for strengths that contradict one another. Vertex attributes are not checked. */
export function checkDdmOptions({ reach, lambda, kappa, method }: DdmValues, steps: string): void {
  if (reach !== undefined && !isByReach({ lambda, kappa, method } as DdmOptions))
    throw new UsageError('--reach', 'cannot be combined with --lambda, --kappa or --method explicit');
  const strength = lambda ?? (method === 'explicit' ? EXPLICIT_LAMBDA : D.lambda);
  if (method === 'explicit' && typeof strength === 'number' && strength > 1)
    throw new UsageError('--lambda', `must be at most 1 with explicit smoothing; use more ${steps}`);
  if (typeof kappa === 'number' && typeof strength === 'number' && kappa > strength)
    throw new UsageError('--kappa', `must not exceed --lambda, got ${kappa} and ${strength}`);
}

/** The options of the recipe for a mesh. */
export function ddmOptionsOf(options: DdmValues, mesh: Mesh): DdmOptions {
  const { reach, lambda, kappa, alpha, map: by, bind, method, threshold, drop, bridge } = options;
  const givenMap = (name: 'lambda' | 'kappa' | 'alpha', value: number | AttributeMap | undefined) =>
    value === undefined ? {} : { [name]: vertexMapOf(`--${name}`, value, mesh) };
  return {
    ...{ bind, method, threshold, drop, bridge },
    ...(reach === undefined ? {} : { reach }),
    ...{ ...givenMap('lambda', lambda), ...givenMap('kappa', kappa), ...givenMap('alpha', alpha) },
    map: (typeof by === 'string' ? by : vertexMapOf('--map', by, mesh)) as DdmOptions['map'],
  };
}

/** The values of an option for the vertices of a mesh. */
function vertexMapOf(flag: string, value: number | AttributeMap, mesh: Mesh): VertexMap {
  if (typeof value === 'number') return value;
  const found = mesh.attributes.find(({ name }) => name === value.attribute);
  if (!found) {
    const known = mesh.attributes.map(({ name }) => name).join(', ');
    throw new UsageError(
      flag,
      `the file has no vertex attribute "${value.attribute}"; ${known ? `it has ${known}` : 'it has none'}`,
    );
  }
  if (value.channel >= found.size)
    throw new UsageError(flag, `"${found.name}" has only ${found.size} numbers per vertex`);
  return Float32Array.from({ length: found.values.length / found.size }, (_, i) => {
    const x = value.factor * found.values[i * found.size + value.channel];
    if (!(Math.abs(x) <= MAX_LAMBDA))
      throw new UsageError(flag, `"${found.name}" gives ${x} at vertex ${i}; the maximum is ${MAX_LAMBDA}`);
    return x;
  });
}
