// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import { type ColorMapName, sampleColorMapInto } from '../image/color-maps.ts';

/** Options of heatColors. */
export interface HeatOptions {
  /** Value of the low end, in the unit of the values. Default 0. */
  min?: number;
  /** Value of the high end. Default: the largest finite value, or min + 1 if that is not above min. */
  max?: number;
  /** Default 'ember'. */
  map?: ColorMapName;
  /** Unit written after the numbers of the scale, '' for none. */
  unit?: string;
  /** What the numbers are, written above the scale. */
  label?: string;
}

/** Meaning of the colours: everything needed to draw the scale. */
export interface HeatScale {
  /** Value of the first colour. */
  min: number;
  /** Value of the last colour. */
  max: number;
  /** The colour map. */
  map: ColorMapName;
  /** Unit of the values; '' for none. */
  unit: string;
  /** Text beside the scale. */
  label: string;
  /** Round values within [min, max], rising. */
  ticks: number[];
}

/** Values with their colours and the scale, for Scene.heat. */
export interface HeatColors {
  /** vertexCount */
  values: ArrayLike<number>;
  /** vertexCount x 3, 0 to 1 */
  colors: Float32Array;
  /** The scale of the colours. */
  scale: HeatScale;
}

/**
 * Colours one value per vertex. Values beyond the ends take the colour of the end; values that are not numbers are grey.
 * @example
 * ```ts
 * import { compare, readAsset } from 'ossify';
 * import { heatColors, renderView } from 'ossify/draw';
 *
 * const { clips, worst } = await compare(asset, await readAsset([{ name: 'out.glb', bytes }]));
 * const heat = heatColors(clips[worst].error.perVertex.max, { unit: 'm' });
 * const image = renderView({ positions: asset.mesh.positions, triangles: asset.mesh.triangles, heat });
 * ```
 */
export function heatColors(values: ArrayLike<number>, options: HeatOptions = {}): HeatColors {
  const min = options.min ?? 0;
  if (!Number.isFinite(min)) throw new UsageError('heatColors', `min must be a number, got ${min}`);
  let max = options.max ?? Number.NEGATIVE_INFINITY;
  if (options.max === undefined) {
    for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i]) && values[i] > max) max = values[i];
    if (!(max > min)) max = min + 1;
  } else if (!(max > min && Number.isFinite(max))) {
    throw new UsageError('heatColors', `max must be above min (${min}), got ${max}`);
  }
  const map = options.map ?? 'ember';
  const colors = new Float32Array(values.length * 3);
  const span = max - min;
  for (let i = 0; i < values.length; i++) sampleColorMapInto(map, (values[i] - min) / span, colors, i * 3);
  const scale: HeatScale = {
    min,
    max,
    map,
    unit: options.unit ?? '',
    label: options.label ?? '',
    ticks: listTicks(min, max, 4),
  };
  return { values, colors, scale };
}

/** Round numbers (1, 2 or 5 times a power of ten) within [min, max]; about count + 1 of them, at least two. */
export function listTicks(min: number, max: number, count: number): number[] {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return [min];
  const exponent = Math.floor(Math.log10(span / count));
  let step = span;
  // From the finest to the coarsest step of a decade and a half; the first with few enough ticks.
  for (const [factor, shift] of [
    [1, 0],
    [2, 0],
    [5, 0],
    [1, 1],
    [2, 1],
  ]) {
    step = Number(`${factor}e${exponent + shift}`);
    if (span / step <= count + 0.5) break;
  }
  const ticks: number[] = [];
  const first = Math.ceil(min / step - 1e-9);
  for (let n = first; n * step <= max + step * 1e-9 && ticks.length <= 4 * count; n++) {
    // Via text, so that 3 x 0.1 is 0.3.
    ticks.push(Number((n * step).toPrecision(12)));
  }
  return ticks;
}

/** Formats a number with about three significant digits; powers of ten only if they are shorter. */
export function formatNumber(value: number, figures = 3): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(figures - 1).split('e');
    return `${trimZeros(mantissa)}e${Number(exponent)}`;
  }
  const text = value.toPrecision(figures);
  return text.includes('e') ? String(Math.round(value)) : trimZeros(text);
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
