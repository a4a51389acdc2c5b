// SPDX-License-Identifier: MIT
import { type FormatInput, fill, textFile } from './growing-input.ts';

const HEAD = ['; FBX 7.4.0 project file', 'FBXHeaderExtension:  {', '  FBXVersion: 7400', '}'];

/** One triangle: a geometry, a model, and their connections. */
const GEOMETRY = (id: number, more: readonly string[] = []): string[] => [
  `Geometry: ${id}, "Geometry::g", "Mesh" {`,
  '  Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }',
  '  PolygonVertexIndex: *3 { a: 0,1,-3 }',
  ...more,
  '}',
];
const MODEL = (id: number, kind = 'Mesh'): string => `Model: ${id}, "Model::m${id}", "${kind}" {\n}`;
const CONNECT = (child: number, parent: number): string => `C: "OO",${child},${parent}`;

function makeFbx(objects: readonly string[], connections: readonly string[]) {
  const own = [...GEOMETRY(1), MODEL(2), ...objects];
  const links = [CONNECT(1, 2), CONNECT(2, 0), ...connections];
  return [textFile('x.fbx', ...HEAD, 'Objects:  {', own, '}', 'Connections:  {', links, '}')];
}

export const FBX_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'empty models', grows: 'bytes' },
    make: (size) => {
      const models = fill(size / 2, (n) => MODEL(n + 10, 'Null'));
      return makeFbx(
        models,
        models.map((_, n) => CONNECT(n + 10, 0)),
      );
    },
  },
  {
    ...{ name: 'a chain of models', grows: 'bytes' },
    make: (size) => {
      const models = fill(size / 2, (n) => MODEL(n + 10, 'Null'));
      return makeFbx(
        models,
        models.map((_, n) => CONNECT(n + 10, n + 9)),
      );
    },
  },
  {
    ...{ name: 'models that share a geometry', grows: 'bytes' },
    make: (size) => {
      const vertices = fill(size / 2, () => '0,0,0').join(',');
      const count = vertices.split(',').length;
      const shared = [
        'Geometry: 3, "Geometry::s", "Mesh" {',
        `  Vertices: *${count} { a: ${vertices} }`,
        '  PolygonVertexIndex: *3 { a: 0,1,-3 }',
        '}',
      ];
      const models = fill(size / 2, (n) => MODEL(n + 10));
      return makeFbx(
        [...shared, ...models],
        models.flatMap((_, n) => [CONNECT(3, n + 10), CONNECT(n + 10, 0)]),
      );
    },
  },
  {
    ...{ name: 'records inside one another', grows: 'bytes' },
    make: (size) => {
      const depth = Math.floor(size / 8);
      return [textFile('x.fbx', ...HEAD, 'A: {'.repeat(depth), '}'.repeat(depth))];
    },
  },
  {
    ...{ name: 'announced values', grows: 'claim' },
    make: (size) => makeFbx([`Geometry: 5, "Geometry::h", "Mesh" {\n  Vertices: *${size} { a: 0,0,0 }\n}`], []),
  },
];
