// SPDX-License-Identifier: MIT
import type { Mesh, MeshAttribute } from '../../../core/model/mesh/mesh.ts';
import type { SceneShape } from '../../gltf/index.ts';
import { screenFromLight } from '../fbx-colors.ts';
import { fbxArray, fbxNode, type PackedNode } from '../syntax/fbx-pack.ts';
import { type FbxBuilder, fbxProperties } from './fbx-builder.ts';
import { listUserProperties } from './fbx-user-properties.ts';

/** Name of a set of UVs, as editors show it; textures refer to it. */
export function nameOfUvSet(uv: number): string {
  return `UVMap${uv || ''}`;
}

/**
 * Adds the geometry of a shape. Points are the vertices in their order, so that normals, UVs and colours are per point.
 * @param materials the materials of the model that draws it, by their index in the scene; -1 for a part without one
 * @param scale factor on positions
 */
export function addFbxGeometry(
  builder: FbxBuilder,
  shape: SceneShape,
  name: string,
  materials: readonly number[],
  scale: number,
): number {
  const { mesh, extras } = shape;
  const layers: string[][] = [[]];
  const put = (index: number, layer: PackedNode): PackedNode => {
    while (layers.length <= index) layers.push([]);
    layers[index].push(layer.name);
    return layer;
  };
  const children = [
    ...(extras ? [fbxProperties(listUserProperties(extras))] : []),
    fbxNode('GeometryVersion', [124]),
    fbxNode('Vertices', [fbxArray(Float64Array.from(mesh.positions, (x) => x * scale))]),
    // the last corner of a polygon is stored as its complement
    fbxNode('PolygonVertexIndex', [fbxArray(Int32Array.from(mesh.triangles, (i, c) => (c % 3 === 2 ? -1 - i : i)))]),
    ...listVertexLayers(mesh, put),
  ];
  if (materials.some((m) => m >= 0)) children.push(put(0, makeMaterialLayer(shape, materials)));
  layers.forEach((types, index) => {
    children.push(listLayers(index, types));
  });
  return builder.add('Geometry', name, 'Geometry', 'Mesh', children);
}

function listVertexLayers(mesh: Mesh, put: (index: number, layer: PackedNode) => PackedNode): PackedNode[] {
  const out: PackedNode[] = [];
  const { normals, attributes } = mesh;
  if (normals) out.push(put(0, makeLayer('LayerElementNormal', 0, '', [doubles('Normals', normals)])));
  let [uvCount, colorCount] = [0, 0];
  for (const attribute of attributes) {
    const { name, size, values } = attribute;
    if (/^TEXCOORD_\d+$/.test(name) && size === 2) {
      // v is measured from the bottom of the picture
      const uvs = Float64Array.from(values, (x, c) => (c % 2 === 1 ? 1 - x : x));
      const label = nameOfUvSet(uvCount);
      out.push(put(uvCount, makeLayer('LayerElementUV', uvCount, label, [fbxNode('UV', [fbxArray(uvs)])])));
      uvCount++;
    } else if (/^COLOR_\d+$/.test(name)) out.push(put(colorCount, makeColorLayer(attribute, colorCount++)));
    else if (name === 'TANGENT' && size === 4 && normals) {
      const { tangents, binormals } = splitTangents(values, normals);
      out.push(put(0, makeLayer('LayerElementTangent', 0, nameOfUvSet(0), [doubles('Tangents', tangents)])));
      out.push(put(0, makeLayer('LayerElementBinormal', 0, nameOfUvSet(0), [doubles('Binormals', binormals)])));
    }
  }
  return out;
}

/** Attributes that a geometry does not hold. */
export function listLostAttributes({ attributes, normals }: Mesh): string[] {
  return attributes
    .map(({ name }) => name)
    .filter((name) => !/^(TEXCOORD|COLOR)_\d+$/.test(name) && !(name === 'TANGENT' && normals));
}

function splitTangents(
  values: Float32Array,
  normals: Float32Array,
): { tangents: Float64Array; binormals: Float64Array } {
  const count = values.length / 4;
  const tangents = new Float64Array(3 * count);
  const binormals = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const [x, y, z, hand] = values.subarray(4 * i, 4 * i + 4);
    const [nx, ny, nz] = normals.subarray(3 * i, 3 * i + 3);
    tangents.set([x, y, z], 3 * i);
    binormals.set([hand * (ny * z - nz * y), hand * (nz * x - nx * z), hand * (nx * y - ny * x)], 3 * i);
  }
  return { tangents, binormals };
}

function doubles(name: string, values: ArrayLike<number>): PackedNode {
  return fbxNode(name, [fbxArray(Float64Array.from(values))]);
}

function makeColorLayer({ size, values }: MeshAttribute, index: number): PackedNode {
  const count = values.length / size;
  const colors = new Float64Array(4 * count).fill(1);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < size; c++) {
      const value = values[size * i + c];
      colors[4 * i + c] = c < 3 ? screenFromLight(value) : value;
    }
  return makeLayer('LayerElementColor', index, `Col${index || ''}`, [fbxNode('Colors', [fbxArray(colors)])]);
}

/** The material of each triangle, or of all. */
function makeMaterialLayer({ mesh, materialOfPart }: SceneShape, materials: readonly number[]): PackedNode {
  const isOne = materials.length === 1;
  const used = mesh.parts.flatMap(({ triangleCount }, p) =>
    new Array<number>(triangleCount).fill(materials.indexOf(materialOfPart?.[p] ?? -1)),
  );
  return fbxNode(
    'LayerElementMaterial',
    [0],
    [
      fbxNode('Version', [101]),
      fbxNode('Name', ['']),
      fbxNode('MappingInformationType', [isOne ? 'AllSame' : 'ByPolygon']),
      fbxNode('ReferenceInformationType', ['IndexToDirect']),
      fbxNode('Materials', [fbxArray(isOne ? Int32Array.of(0) : Int32Array.from(used))]),
    ],
  );
}

/** The list of the layer elements of one index. */
function listLayers(index: number, types: readonly string[]): PackedNode {
  return fbxNode(
    'Layer',
    [index],
    [
      fbxNode('Version', [100]),
      ...types.map((type) => fbxNode('LayerElement', [], [fbxNode('Type', [type]), fbxNode('TypedIndex', [index])])),
    ],
  );
}

function makeLayer(kind: string, index: number, name: string, data: PackedNode[]): PackedNode {
  return fbxNode(
    kind,
    [index],
    [
      fbxNode('Version', [101]),
      fbxNode('Name', [name]),
      fbxNode('MappingInformationType', ['ByVertice']),
      fbxNode('ReferenceInformationType', ['Direct']),
      ...data,
    ],
  );
}
