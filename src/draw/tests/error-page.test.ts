// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { base64 } from '../base64.ts';
import { type ErrorPageInput, makeErrorPage } from '../error-page.ts';
import { escapeHtml } from '../escape-html.ts';
import { makeImage } from '../image/image.ts';
import { makePlot } from '../image/plot.ts';
import { writePng } from '../image/write-png.ts';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="a('b')">&`;

function makeInput(name: string, frameCount = 20): ErrorPageInput {
  const series = (scale: number) => Float64Array.from({ length: frameCount }, (_, k) => scale * (2 + Math.sin(k)));
  return {
    title: `Error of ${name}`,
    referenceName: name,
    resultName: `${name}.glb`,
    metrics: [
      { label: 'E_RMS', value: 1.2345678, unit: '', note: `rms ${name}` },
      { label: 'max', value: 0.001, unit: name, note: 'largest distance' },
    ],
    perFrame: { rms: series(1), median: series(0.8), q1: series(0.5), q3: series(1.2), max: series(3) },
    times: Float64Array.from({ length: frameCount }, (_, k) => k / 24),
    pictures: [{ caption: `frame 3 of ${name}`, png: writePng(makeImage(4, 4)) }],
    unit: name,
  };
}

describe('makeErrorPage', () => {
  it('shows metrics, the plot with its legend, and the pictures', () => {
    const page = makeErrorPage(makeInput('horse'));
    for (const text of ['Error of horse', 'horse.glb', '1.235', 'largest distance', 'median', 'RMS', 'quartiles']) {
      expect(page).toContain(text);
    }
    expect(page).toContain(`data:image/png;base64,${base64(writePng(makeImage(4, 4)))}`);
    expect(page).toContain('prefers-color-scheme:dark');
  });

  it('needs nothing from elsewhere', () => {
    const page = makeErrorPage(makeInput('horse')).replaceAll('http://www.w3.org/2000/svg', '');
    expect(page).not.toMatch(/https?:|\/\/[a-z]|@import|url\(|<link|src="(?!data:)/i);
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1] ?? '';
    // default-src does not cover the last two
    for (const part of ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]) expect(policy).toContain(part);
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<title>'));
  });

  it('escapes names wherever they appear', () => {
    const page = makeErrorPage(makeInput(HOSTILE));
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img src=x');
    expect(page.match(/<script/g)?.length).toBe(1);
    expect(page.match(/<\/script/g)?.length).toBe(1);
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)');
  });

  it('is made of balanced elements', () => {
    const page = makeErrorPage(makeInput('horse'));
    for (const name of [
      'html',
      'head',
      'body',
      'main',
      'table',
      'tr',
      'td',
      'th',
      'figure',
      'svg',
      'details',
      'script',
    ]) {
      const opened = page.match(new RegExp(`<${name}[ >]`, 'g'))?.length;
      expect(page.match(new RegExp(`</${name}>`, 'g'))?.length, name).toBe(opened);
    }
  });

  it('takes no frames, one frame, and errors that are not numbers', () => {
    for (const frameCount of [0, 1, 2]) {
      const page = makeErrorPage({ ...makeInput('x', frameCount), pictures: [] });
      expect(page).not.toMatch(/NaN|Infinity/);
    }
    const broken = makeInput('x', 3);
    const rms = [1, Number.NaN, 2];
    expect(makeErrorPage({ ...broken, perFrame: { ...broken.perFrame, rms } })).toContain('</html>');
  });

  it('has a script that parses', () => {
    const page = makeErrorPage(makeInput(HOSTILE));
    const script = page.slice(page.indexOf('<script>') + 8, page.indexOf('</script>'));
    expect(() => new Function(script)).not.toThrow();
  });
});

describe('makePlot', () => {
  it('begins below zero where it is told to', () => {
    const line = [{ label: 'a', values: [-2, 0, 2, -9], color: '#000' }];
    const { svg, frame } = makePlot({ x: [0, 1, 2, 3], xLabel: 'x', yLabel: 'y', series: line, yMin: -2 });
    expect(svg).toContain('>-2<');
    // the lowest on the axis, and what is lower still as well
    expect(svg).toMatch(new RegExp(`d="M${frame.left} ${frame.bottom}L.*L${frame.right} ${frame.bottom}" fill="none"`));
    expect(makePlot({ x: [0], xLabel: 'x', yLabel: 'y', series: [] }).svg).not.toContain('>-');
  });

  it('puts the first and last values at the ends of the plot area', () => {
    const { svg, frame } = makePlot({
      x: [0, 1, 2],
      xLabel: 'time',
      yLabel: 'error',
      series: [{ label: 'a', values: [0, 1, 2], color: '#ff0000' }],
    });
    expect(svg).toContain(`d="M${frame.left} ${frame.bottom}L`);
    const end = /L([\d.]+) ([\d.]+)" fill="none" stroke="#ff0000"/.exec(svg);
    expect(Number(end?.[1])).toBeCloseTo(frame.right, 1);
    expect(Number(end?.[2])).toBeGreaterThan(frame.top);
    expect(Number(end?.[2])).toBeLessThan(frame.top + 0.06 * (frame.bottom - frame.top));
  });

  it('breaks lines and bands where a value is missing', () => {
    const { svg } = makePlot({
      x: [0, 1, 2, 3, 4],
      xLabel: '',
      yLabel: '',
      bands: [{ label: 'b', low: [0, 0, Number.NaN, 0, 0], high: [1, 1, 1, 1, 1], color: 'green' }],
      series: [{ label: 'a', values: [1, 1, Number.NaN, 1, 1], color: 'red' }],
    });
    const line = /d="([^"]*)" fill="none" stroke="red"/.exec(svg)?.[1] ?? '';
    expect(line.match(/M/g)?.length).toBe(2);
    const band = /d="([^"]*)" fill="green"/.exec(svg)?.[1] ?? '';
    expect(band.match(/Z/g)?.length).toBe(2);
    expect(svg).not.toContain('NaN');
  });

  it('rejects series of different lengths', () => {
    const series = [{ label: 'a', values: [1], color: 'red' }];
    expect(() => makePlot({ x: [0, 1], xLabel: '', yLabel: '', series })).toThrow(
      '2 places on the x axis, but 1 values',
    );
  });
});

describe('base64', () => {
  it('agrees with Node for every remainder and across pieces', () => {
    for (const length of [0, 1, 2, 3, 4, 5, 255, 3 * 4096 - 1, 3 * 4096, 3 * 4096 + 1]) {
      const bytes = Uint8Array.from({ length }, (_, n) => (n * 37 + 11) & 255);
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    }
  });
});

describe('escapeHtml', () => {
  it('leaves nothing that starts a tag, an entity or ends an attribute', () => {
    expect(escapeHtml(`<a b="c" d='e'>&\u0000`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp; ');
  });
});
