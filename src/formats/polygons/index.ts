// SPDX-License-Identifier: MIT
export { layOutPolygons } from './lay-out-polygons.ts';
export { makePolygonMesh, type PolygonMesh } from './make-polygon-mesh.ts';
export type { Polygons } from './polygons.ts';
export { weldPolygons } from './weld-polygons.ts';
