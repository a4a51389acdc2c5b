// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import { escapeHtml } from '../escape-html.ts';
import { formatNumber, listTicks } from '../scene/heat-colors.ts';

/** A line of a plot. */
export interface PlotSeries {
  /** Name in the legend. */
  label: string;
  /** One value per x; values that are not finite break the line. */
  values: ArrayLike<number>;
  /** CSS colour. */
  color: string;
  /** Line width in pixels. Default 1.6. */
  width?: number;
  /** Dashes as in SVG's stroke-dasharray. */
  dashes?: string;
}

/** An area between two series. */
export interface PlotBand {
  /** Name in the legend. */
  label: string;
  /** Lower bound, one per x. */
  low: ArrayLike<number>;
  /** Upper bound, one per x. */
  high: ArrayLike<number>;
  /** CSS colour. */
  color: string;
}

/** What a plot shows. */
export interface PlotInput {
  /** One per value, increasing. */
  x: ArrayLike<number>;
  /** Label of the x axis. */
  xLabel: string;
  /** Label of the y axis. */
  yLabel: string;
  /** Drawn in this order, bands first. */
  bands?: readonly PlotBand[];
  /** The curves. */
  series: readonly PlotSeries[];
  /** Start of the y axis; lower values are clamped. Default 0. */
  yMin?: number;
  /** Width in pixels. Default 860. */
  width?: number;
  /** Height in pixels. Default 340. */
  height?: number;
}

/** Position and range of the plot area, for scripts that follow the pointer. */
export interface PlotFrame {
  /** Left edge of the plot area, pixels. */
  left: number;
  /** Right edge of the plot area, pixels. */
  right: number;
  /** Top edge of the plot area, pixels. */
  top: number;
  /** Bottom edge of the plot area, pixels. */
  bottom: number;
  /** Value of x at the left edge. */
  xMin: number;
  /** Value of x at the right edge. */
  xMax: number;
  /** Value of y at the top edge. */
  yMax: number;
}

/** A plot as SVG, with the place of its axes. */
export interface Plot {
  /** The plot as an SVG element. */
  svg: string;
  /** Pixel and value ranges of the plot area. */
  frame: PlotFrame;
}

const MARGIN = { left: 72, right: 16, top: 36, bottom: 48 };
const LEGEND_CHARACTER = 7.2;

/** Rules of the plot. The class keeps them from the rest of a page. */
const STYLE =
  '.ossify-plot{--i:var(--plot-ink,#3c4149);--g:var(--plot-grid,#d9dbdf)}' +
  '@media(prefers-color-scheme:dark){.ossify-plot{--i:var(--plot-ink,#b9bfc8);--g:var(--plot-grid,#3a3f47)}}' +
  '.ossify-plot text{font:12px system-ui,sans-serif;fill:var(--i)}' +
  '.ossify-plot .grid{stroke:var(--g);fill:none}.ossify-plot .axis{stroke:var(--i);fill:none}';

/** From a value to pixels. */
type Scale = (value: number) => number;

/**
 * A line plot from zero, or from a given value, upwards as SVG, with axes, grid and legend. Colours of text and grid follow --plot-ink and --plot-grid of the page
 * around it, and otherwise the reader's light or dark preference.
 * @example
 * ```ts
 * import { makePlot } from 'ossify/draw';
 *
 * const bones = [10, 20, 40];
 * const errors = { label: 'ssdr', values: [3.1, 1.4, 0.6], color: 'steelblue' };
 * const { svg } = makePlot({ x: bones, xLabel: 'bones', yLabel: 'E_RMS', series: [errors] });
 * ```
 */
export function makePlot(input: PlotInput): Plot {
  const { x, series, bands = [], yMin = 0, width = 860, height = 340 } = input;
  const count = x.length;
  const yMax = 1.04 * measureHighest(input);
  const xMin = count > 0 ? x[0] : 0;
  const xMax = count > 1 && x[count - 1] > xMin ? x[count - 1] : xMin + 1;
  const frame: PlotFrame = {
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    bottom: height - MARGIN.bottom,
    xMin,
    xMax,
    yMax,
  };
  const px = (value: number) => frame.left + ((value - xMin) / (xMax - xMin)) * (frame.right - frame.left);
  const py = (value: number) =>
    frame.bottom - ((Math.max(yMin, value) - yMin) / (yMax - yMin)) * (frame.bottom - frame.top);

  const parts = [
    ...drawTicks(frame, yMin, width, px, py),
    ...drawLabels(frame, input.xLabel, input.yLabel, height),
    ...bands.map(
      (band) => `<path d="${bandPath(x, band, px, py)}" fill="${escapeHtml(band.color)}" fill-opacity="0.25"/>`,
    ),
    ...series.map((line) => {
      const dashes = line.dashes ? ` stroke-dasharray="${escapeHtml(line.dashes)}"` : '';
      const style = `fill="none" stroke="${escapeHtml(line.color)}" stroke-width="${line.width ?? 1.6}"`;
      return `<path d="${linePath(x, line.values, px, py)}" ${style} stroke-linejoin="round"${dashes}/>`;
    }),
    legend(series, bands, frame),
  ];
  const svg =
    `<svg class="ossify-plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ` +
    `aria-label="${escapeHtml(`${input.yLabel} over ${input.xLabel}`)}"><style>${STYLE}</style>${parts.join('\n')}</svg>`;
  return { svg, frame };
}

/** Throws unless every series has a value per place, and returns the highest finite value; 1 if there is none. */
function measureHighest({ x, series, bands = [] }: PlotInput): number {
  const count = x.length;
  for (const values of [...series.map((s) => s.values), ...bands.flatMap((b) => [b.low, b.high])]) {
    if (values.length !== count)
      throw new InputError('makePlot', `${count} places on the x axis, but ${values.length} values`);
  }
  let highest = 0;
  for (const values of [...series.map((s) => s.values), ...bands.map((b) => b.high)]) {
    for (let k = 0; k < count; k++) if (Number.isFinite(values[k]) && values[k] > highest) highest = values[k];
  }
  return highest === 0 ? 1 : highest;
}

/** Grid lines and numbers of both axes. */
function drawTicks(frame: PlotFrame, yMin: number, width: number, px: Scale, py: Scale): string[] {
  const { left, right, bottom, xMin, xMax, yMax } = frame;
  const rows = listTicks(yMin, yMax, 5).flatMap((tick) => {
    const y = round(py(tick));
    return [
      `<path class="grid" d="M${left} ${y}H${right}"/>`,
      `<text x="${left - 8}" y="${y + 4}" text-anchor="end">${formatNumber(tick)}</text>`,
    ];
  });
  const columns = listTicks(xMin, xMax, Math.max(2, Math.floor(width / 110))).flatMap((tick) => {
    const at = round(px(tick));
    return [
      `<path class="axis" d="M${at} ${bottom}v5"/>`,
      `<text x="${at}" y="${bottom + 19}" text-anchor="middle">${formatNumber(tick)}</text>`,
    ];
  });
  return [...rows, ...columns, `<path class="axis" d="M${left} ${bottom}H${right}"/>`];
}

/** Names of both axes. */
function drawLabels({ left, right, top, bottom }: PlotFrame, xLabel: string, yLabel: string, height: number): string[] {
  const middle = round((left + right) / 2);
  const half = round((top + bottom) / 2);
  return [
    `<text x="${middle}" y="${height - 8}" text-anchor="middle">${escapeHtml(xLabel)}</text>`,
    `<text transform="translate(16 ${half}) rotate(-90)" text-anchor="middle">${escapeHtml(yLabel)}</text>`,
  ];
}

function linePath(
  x: ArrayLike<number>,
  values: ArrayLike<number>,
  px: (v: number) => number,
  py: (v: number) => number,
): string {
  let path = '';
  let isDown = false;
  for (let k = 0; k < x.length; k++) {
    if (!Number.isFinite(values[k])) {
      isDown = false;
      continue;
    }
    path += `${isDown ? 'L' : 'M'}${round(px(x[k]))} ${round(py(values[k]))}`;
    // A lone value would not show: give it a length.
    if (!isDown && !(k + 1 < x.length && Number.isFinite(values[k + 1]))) path += 'h3';
    isDown = true;
  }
  return path;
}

/** There along the top and back along the bottom, one piece per run of finite values. */
function bandPath(x: ArrayLike<number>, band: PlotBand, px: (v: number) => number, py: (v: number) => number): string {
  let path = '';
  for (let k = 0; k < x.length; k++) {
    if (!isFiniteAt(band, k)) continue;
    const start = k;
    while (k + 1 < x.length && isFiniteAt(band, k + 1)) k++;
    for (let n = start; n <= k; n++) path += `${n === start ? 'M' : 'L'}${round(px(x[n]))} ${round(py(band.high[n]))}`;
    for (let n = k; n >= start; n--) path += `L${round(px(x[n]))} ${round(py(band.low[n]))}`;
    path += 'Z';
  }
  return path;
}

function isFiniteAt(band: PlotBand, k: number): boolean {
  return Number.isFinite(band.low[k]) && Number.isFinite(band.high[k]);
}

function legend(series: readonly PlotSeries[], bands: readonly PlotBand[], frame: PlotFrame): string {
  const parts: string[] = [];
  let x = frame.left;
  const label = (text: string) => {
    parts.push(`<text x="${x + 26}" y="${frame.top - 14}">${escapeHtml(text)}</text>`);
    x = round(x + 46 + text.length * LEGEND_CHARACTER);
  };
  for (const line of series) {
    const dashes = line.dashes ? ` stroke-dasharray="${escapeHtml(line.dashes)}"` : '';
    parts.push(
      `<path d="M${x} ${frame.top - 18}h20" fill="none" stroke="${escapeHtml(line.color)}" stroke-width="${(line.width ?? 1.6) + 0.6}"${dashes}/>`,
    );
    label(line.label);
  }
  for (const band of bands) {
    parts.push(
      `<rect x="${x}" y="${frame.top - 24}" width="20" height="12" fill="${escapeHtml(band.color)}" fill-opacity="0.25"/>`,
    );
    label(band.label);
  }
  return parts.join('');
}

/** Two decimals are a hundredth of a pixel: enough, and short. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
