// SPDX-License-Identifier: MIT
import { base64 } from './base64.ts';
import { escapeHtml } from './escape-html.ts';
import { makePlot, type PlotFrame } from './image/plot.ts';
import { formatNumber } from './scene/heat-colors.ts';

/** One number of an error page. */
export interface PageMetric {
  /** Name of the figure. */
  label: string;
  /** The figure. */
  value: number;
  /** '' for none. */
  unit: string;
  /** Definition of the number. */
  note: string;
}

/** What an error page shows. */
export interface ErrorPageInput {
  /** Title of the page. */
  title: string;
  /** Name of the reference. */
  referenceName: string;
  /** Name of the measured result. */
  resultName: string;
  /** Figures at the top of the page. */
  metrics: readonly PageMetric[];
  /** frameCount each, in the unit below. */
  perFrame: {
    rms: ArrayLike<number>;
    median: ArrayLike<number>;
    q1: ArrayLike<number>;
    q3: ArrayLike<number>;
    max: ArrayLike<number>;
  };
  /** frameCount, seconds, increasing */
  times: ArrayLike<number>;
  /** The worst frames, worst first. */
  pictures: readonly { caption: string; png: Uint8Array }[];
  /** Of lengths: 'm', 'file units'. */
  unit: string;
}

const COLORS = { median: '#2f7fd6', quartiles: '#2f7fd6', rms: '#e0801f', max: '#d43a3a' };
const HOVER_FIGURES = 4;

/**
 * Makes a self-contained HTML page: metrics with their definitions, the error of each frame (median, quartiles, RMS, maximum) and
 * pictures of the worst frames. All strings are escaped, because names come from untrusted files. Without scripts only the numbers under the
 * pointer are missing; the table of frames contains them.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { compare, readAsset } from 'ossify';
 * import { makeErrorPage } from 'ossify/draw';
 *
 * const { clips, worst } = await compare(asset, await readAsset([{ name: 'out.glb', bytes }]));
 * const { error, times } = clips[worst];
 * const page = makeErrorPage({
 *   title: 'Cloth',
 *   referenceName: asset.name,
 *   resultName: 'out.glb',
 *   metrics: [{ label: 'RMSE', value: error.rmse, unit: 'm', note: 'root mean square distance of all vertices' }],
 *   perFrame: error.perFrame,
 *   times,
 *   pictures: [],
 *   unit: 'm',
 * });
 * await writeFile('error.html', page);
 * ```
 */
export function makeErrorPage(input: ErrorPageInput): string {
  const { perFrame, times, unit } = input;
  const plot = makePlot({
    x: times,
    width: 1100,
    height: 360,
    xLabel: 'time (s)',
    yLabel: unit === '' ? 'error' : `error (${unit})`,
    bands: [{ label: 'middle half (quartiles)', low: perFrame.q1, high: perFrame.q3, color: COLORS.quartiles }],
    series: [
      { label: 'largest', values: perFrame.max, color: COLORS.max, width: 1.2 },
      { label: 'RMS', values: perFrame.rms, color: COLORS.rms, width: 1.8 },
      { label: 'median', values: perFrame.median, color: COLORS.median, width: 1.8 },
    ],
  });
  const title = escapeHtml(input.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl class="files">
<dt>reference</dt><dd>${escapeHtml(input.referenceName)}</dd>
<dt>result</dt><dd>${escapeHtml(input.resultName)}</dd>
<dt>frames</dt><dd>${times.length}</dd>
</dl>
<h2>Metrics</h2>
${metricTable(input.metrics)}
<h2>Error per frame</h2>
<figure class="plot" id="plot">${plot.svg}<output id="values">Point at the plot to read a frame.</output></figure>
${frameTable(input)}
${pictureList(input)}
</main>
<script>${hoverScript(input, plot.frame)}</script>
</body>
</html>
`;
}

function metricTable(metrics: readonly PageMetric[]): string {
  const rows = metrics.map(
    ({ label, value, unit, note }) =>
      `<tr><th scope="row">${escapeHtml(label)}</th><td class="number">${formatMetric(value)}</td><td>${escapeHtml(Number.isFinite(value) ? unit : '')}</td><td class="note">${escapeHtml(note)}</td></tr>`,
  );
  return `<table>
<thead><tr><th scope="col">metric</th><th scope="col" class="number">value</th><th scope="col">unit</th><th scope="col" class="note">what it is</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

/** Text of a figure; a ratio to zero (the motion of a static clip) has no value. */
function formatMetric(value: number): string {
  return Number.isFinite(value) ? escapeHtml(formatNumber(value, 4)) : 'not defined';
}

function frameTable({ perFrame, times, unit }: ErrorPageInput): string {
  const columns = [perFrame.rms, perFrame.median, perFrame.q1, perFrame.q3, perFrame.max];
  const rows = Array.from({ length: times.length }, (_, k) => {
    const cells = [times[k], ...columns.map((values) => values[k])];
    const numbers = cells.map((value) => `<td class="number">${formatNumber(value, HOVER_FIGURES)}</td>`);
    return `<tr><th scope="row" class="number">${k}</th>${numbers.join('')}</tr>`;
  });
  const of = unit === '' ? '' : ` (${escapeHtml(unit)})`;
  const heads = ['frame', 'time (s)', `RMS${of}`, 'median', 'lower quartile', 'upper quartile', 'largest'];
  return `<details>
<summary>All frames as numbers</summary>
<div class="scroll"><table>
<thead><tr>${heads.map((head) => `<th scope="col" class="number">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</details>`;
}

function pictureList({ pictures, perFrame }: ErrorPageInput): string {
  if (pictures.length === 0) return '';
  const figures = pictures.map(
    ({ caption, png }) =>
      `<figure><img src="data:image/png;base64,${base64(png)}" alt="${escapeHtml(caption)}"><figcaption>${escapeHtml(caption)}</figcaption></figure>`,
  );
  const isOff = Array.from(perFrame.max).some((value) => !(value === 0));
  return `<h2>${isOff ? 'Worst frames' : 'No error in any frame'}</h2>
${figures.join('\n')}`;
}

/** A line and the numbers of the frame under the pointer. Its data are numbers alone: no text from files reaches the script. */
function hoverScript({ perFrame, times, unit }: ErrorPageInput, frame: PlotFrame): string {
  const list = (values: ArrayLike<number>) =>
    Array.from(values, (value) => (Number.isFinite(value) ? Number(value.toPrecision(HOVER_FIGURES)) : null));
  const data = {
    frame,
    times: list(times),
    max: list(perFrame.max),
    rms: list(perFrame.rms),
    q3: list(perFrame.q3),
    median: list(perFrame.median),
    q1: list(perFrame.q1),
  };
  // The unit is text: it is passed as an escaped string that cannot close the script.
  const word = JSON.stringify(unit).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'use strict';
(() => {
const d = ${JSON.stringify(data)}, unit = ${word};
const svg = document.querySelector('#plot svg'), out = document.querySelector('#values');
const line = document.createElementNS(svg.namespaceURI, 'path');
line.setAttribute('class', 'axis');
line.setAttribute('stroke-dasharray', '3 3');
svg.append(line);
const place = (t) => d.frame.left + (t - d.frame.xMin) / (d.frame.xMax - d.frame.xMin) * (d.frame.right - d.frame.left);
svg.addEventListener('pointermove', (event) => {
  const box = svg.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
  let k = 0;
  for (let n = 1; n < d.times.length; n++) if (Math.abs(place(d.times[n]) - x) < Math.abs(place(d.times[k]) - x)) k = n;
  if (d.times.length === 0) return;
  line.setAttribute('d', 'M' + place(d.times[k]) + ' ' + d.frame.top + 'V' + d.frame.bottom);
  out.textContent = 'frame ' + k + ', ' + d.times[k] + ' s: largest ' + d.max[k] + ', RMS ' + d.rms[k] + ', median ' + d.median[k]
    + ', quartiles ' + d.q1[k] + ' to ' + d.q3[k] + ' ' + unit;
});
svg.addEventListener('pointerleave', () => line.removeAttribute('d'));
})();`;
}

const STYLE = `
:root{color-scheme:light dark;--page:#fbfbfa;--ink:#22262b;--muted:#6b7078;--rule:#dfe1e4;--plot-ink:#4a5058;--plot-grid:#e2e4e7}
@media(prefers-color-scheme:dark){:root{--page:#16181c;--ink:#e6e8eb;--muted:#9aa1ab;--rule:#33383f;--plot-ink:#b3b9c2;--plot-grid:#2d3138}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 12px;overflow-wrap:anywhere}
h2{font-size:18px;margin:36px 0 12px}
.files{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0;color:var(--muted)}
.files dt{font-weight:600}
.files dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 18px 5px 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:baseline}
thead th{color:var(--muted);font-weight:500;font-size:13px}
.number{text-align:right}
.note{color:var(--muted);padding-left:6px}
figure{margin:0 0 24px}
figure.plot svg{display:block;max-width:100%;height:auto}
output{display:block;min-height:1.5em;color:var(--muted);font-variant-numeric:tabular-nums}
figcaption{color:var(--muted);margin-top:6px;overflow-wrap:anywhere}
img{display:block;max-width:100%;height:auto;border:1px solid var(--rule);border-radius:6px}
summary{cursor:pointer;color:var(--muted)}
.scroll{overflow:auto;max-height:420px;margin-top:8px}
`;
