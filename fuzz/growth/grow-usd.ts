// SPDX-License-Identifier: MIT
import { type FormatInput, fill, textFile } from './growing-input.ts';

const HEAD = ['#usda 1.0', '(', '  defaultPrim = "Top"', '  timeCodesPerSecond = 24', ')'];

/** A mesh prim of one triangle. */
const mesh = (name: string, points = '[(0,0,0),(1,0,0),(0,1,0)]', more: readonly string[] = []): string[] => [
  `def Mesh "${name}" {`,
  '  int[] faceVertexCounts = [3]',
  '  int[] faceVertexIndices = [0, 1, 2]',
  `  point3f[] points = ${points}`,
  ...more,
  '}',
];

const reference = (name: string, target: string): string => `  def "${name}" (references = ${target}) {}`;

/** A prim per level, each of which refers to the one below several times: width to the power of levels prims in a file of a line each. */
function nest(levels: number, width: number, target: (level: number) => string): string[] {
  const lines = mesh('L0');
  for (let level = 1; level <= levels; level++) {
    lines.push(`def Xform "L${level}" {`);
    for (let n = 0; n < width; n++) lines.push(reference(`c${n}`, target(level - 1)));
    lines.push('}');
  }
  return [...lines, 'def Xform "Top" {', reference('all', target(levels)), '}'];
}

export const USD_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'references to references in one file', grows: 'claim' },
    make: (size) => [textFile('x.usda', ...HEAD, ...nest(Math.ceil(Math.log2(size)), 2, (level) => `</L${level}>`))],
  },
  {
    ...{ name: 'references to references in files', grows: 'claim' },
    make: (size) => {
      const levels = Math.ceil(Math.log10(size));
      const below = Array.from({ length: levels }, (_, level) => [
        ...HEAD,
        'def Xform "Top" {',
        ...Array.from({ length: 10 }, (_, n) =>
          reference(`c${n}`, level === 0 ? '@./mesh.usda@</Top>' : `@./f${level - 1}.usda@`),
        ),
        '}',
      ]);
      const leaf = textFile('mesh.usda', ...HEAD, ...mesh('Top'));
      return [...below.map((lines, level) => textFile(`f${level}.usda`, ...lines)).reverse(), leaf];
    },
  },
  {
    ...{ name: 'inherited prims', grows: 'claim' },
    make: (size) => {
      const lines = mesh('L0');
      const levels = Math.ceil(Math.log2(size));
      for (let level = 1; level <= levels; level++) {
        lines.push(`def Xform "L${level}" {`);
        for (const n of [0, 1]) lines.push(`  def "c${n}" (inherits = </L${level - 1}>) {}`);
        lines.push('}');
      }
      return [textFile('x.usda', ...HEAD, ...lines)];
    },
  },
  {
    ...{ name: 'references to one mesh', grows: 'bytes' },
    make: (size) => {
      const points = fill(size / 2, (n) => `(${n % 7},0,0)`).join(',');
      const prims = fill(size / 2, (n) => reference(`i${n}`, '</M>'));
      return [textFile('x.usda', ...HEAD, ...mesh('M', `[${points}]`), 'def Xform "Top" {', prims, '}')];
    },
  },
  {
    ...{ name: 'materials and meshes below one prim', grows: 'bytes' },
    make: (size) => {
      const materials = fill(size / 2, (n) => `  def Material "s${n}" {}`);
      const meshes = fill(size / 2, (n) => mesh(`m${n}`).join('\n'));
      return [textFile('x.usda', ...HEAD, 'def Xform "Top" {', materials, meshes, '}')];
    },
  },
  {
    ...{ name: 'two samples far apart', grows: 'claim' },
    make: (size) => {
      const points = '[(0,0,0),(1,0,0),(0,1,0)]';
      const samples = `  point3f[] points.timeSamples = { 0: ${points}, ${size}: ${points} }`;
      return [textFile('x.usda', ...HEAD, ...mesh('Top', points, [samples]))];
    },
  },
  {
    ...{ name: 'points between two samples far apart', grows: 'bytes' },
    make: (size) => {
      const points = `[${fill(size / 2, (n) => `(${n % 7},0,0)`).join(',')}]`;
      const samples = `  point3f[] points.timeSamples = { 0: ${points}, 100000: ${points} }`;
      return [textFile('x.usda', ...HEAD, ...mesh('Top', points, [samples]))];
    },
  },
  {
    ...{ name: 'a transform sampled far apart', grows: 'claim' },
    make: (size) => [
      textFile(
        'x.usda',
        ...[...HEAD, 'def Xform "Top" {'],
        ...['uniform token[] xformOpOrder = ["xformOp:translate"]'],
        `double3 xformOp:translate.timeSamples = { 0: (0,0,0), ${size}: (1,0,0) }`,
        ...[...mesh('M'), '}'],
      ),
    ],
  },
  {
    ...{ name: 'empty prims', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.usda',
        ...HEAD,
        ...mesh('Top'),
        fill(size, (n) => `def "p${n}" {}`),
      ),
    ],
  },
  {
    ...{ name: 'meshes of one triangle', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.usda',
        ...HEAD,
        fill(size, (n) => mesh(`m${n}`).join('\n')),
      ),
    ],
  },
  {
    ...{ name: 'attributes', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.usda',
        ...HEAD,
        mesh(
          'Top',
          undefined,
          fill(size, (n) => `  int a${n} = 1`),
        ),
      ),
    ],
  },
];
