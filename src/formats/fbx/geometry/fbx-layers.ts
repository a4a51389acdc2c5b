// SPDX-License-Identifier: MIT
// Layers of a geometry: normals, UVs, colours and materials, each mapped to corners, points, polygons or the whole, directly or by index.
import {
  type FbxNode,
  type FbxNumbers,
  findFbxChild,
  listFbxChildren,
  numberOfFbx,
  numbersOfFbx,
  textOfFbx,
} from '../syntax/fbx-node.ts';

/** Corners of the polygons that a geometry draws. */
export interface FbxCorners {
  /** cornerCount: point */
  points: Int32Array;
  /** cornerCount: place in the list of corners of the file, where unused polygons count too */
  places: Uint32Array;
  /** cornerCount: polygon of the file */
  polygons: Uint32Array;
}

export interface FbxLayer {
  name: string;
  /** count x size */
  data: FbxNumbers;
  size: number;
  /** cornerCount: row of the data, -1 if none */
  rows: Int32Array;
}

/** Names of the parts of a layer element: the data and the indices. */
const ELEMENTS = {
  LayerElementNormal: { data: 'Normals', index: 'NormalsIndex', size: 3 },
  LayerElementTangent: { data: 'Tangents', index: 'TangentsIndex', size: 3 },
  LayerElementBinormal: { data: 'Binormals', index: 'BinormalsIndex', size: 3 },
  LayerElementUV: { data: 'UV', index: 'UVIndex', size: 2 },
  LayerElementColor: { data: 'Colors', index: 'ColorIndex', size: 4 },
} as const;

/** Reads the layers of one kind, in the order of their numbers. Those that are mapped to edges are left out with a note. */
export function readFbxLayers(
  geometry: FbxNode,
  kind: keyof typeof ELEMENTS,
  corners: FbxCorners,
  log?: (message: string) => void,
): FbxLayer[] {
  const { data: dataName, index: indexName, size } = ELEMENTS[kind];
  const elements = listFbxChildren(geometry, kind);
  const numberOf = (node: FbxNode): number => numberOfFbx(node.values[0]) ?? 0;
  return [...elements]
    .sort((a, b) => numberOf(a) - numberOf(b))
    .flatMap((element) => {
      const data = numbersOfFbx(element, dataName);
      const count = Math.floor(data.length / size);
      const indices =
        textOfFbx(element, 'ReferenceInformationType') === 'Direct' ? undefined : findFbxChild(element, indexName);
      const rows = mapRows(element, corners, indices && numbersOfFbx(element, indexName), count);
      if (!rows) {
        log?.(`a layer of ${dataName} is mapped in a way that is not read, and was left out`);
        return [];
      }
      return count === 0 ? [] : [{ name: textOfFbx(element, 'Name'), data, size, rows }];
    });
}

/** The material of each corner's polygon, as an index into the materials of the model. */
export function readFbxMaterials(geometry: FbxNode, corners: FbxCorners): Int32Array {
  const [element] = listFbxChildren(geometry, 'LayerElementMaterial');
  const none = new Int32Array(corners.points.length);
  if (!element) return none;
  // materials are indices themselves
  return mapRows(element, corners, numbersOfFbx(element, 'Materials'), Number.POSITIVE_INFINITY) ?? none;
}

/** By corner, the row of a layer's data; undefined for a mapping that is not read. */
function mapRows(
  element: FbxNode,
  { points, places, polygons }: FbxCorners,
  indices: FbxNumbers | undefined,
  count: number,
): Int32Array | undefined {
  const mapping = textOfFbx(element, 'MappingInformationType');
  const byMapping = new Map<string, ArrayLike<number> | undefined>([
    ['ByPolygonVertex', places],
    ['ByPolygon', polygons],
    ['ByVertex', points],
    ['ByVertice', points],
    ['AllSame', undefined],
  ]);
  if (!byMapping.has(mapping)) return undefined;
  const items = byMapping.get(mapping);
  const rows = new Int32Array(points.length);
  for (let c = 0; c < rows.length; c++) {
    const item = items ? items[c] : 0;
    const row = indices ? (item < indices.length ? indices[item] : -1) : item;
    rows[c] = row >= 0 && row < count ? row : -1;
  }
  return rows;
}
