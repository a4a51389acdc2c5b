// SPDX-License-Identifier: MIT
import type { Mesh, MeshAttribute, MeshPart } from '../../../core/model/mesh/mesh.ts';
import { fbxArray, fbxDouble, fbxNode, type PackedNode } from '../syntax/fbx-pack.ts';
import { type FbxBuilder, fbxProperties, fbxVector } from './fbx-builder.ts';

/** A mesh of the file: a run of the model's vertices. */
export interface FbxWrittenMesh {
  model: number;
  geometry: number;
  vertexStart: number;
  vertexCount: number;
}

/** Colour of a material known by name only. */
const PLAIN_COLOR = [0.8, 0.8, 0.8];

/**
 * Adds the meshes of a model: one per run of parts that came from one object of the source. Points are the vertices in their order, so that
 * normals and UVs are per point.
 * @param scale factor on positions
 * @param colors base colours of materials by name
 */
export function addFbxMeshes(
  builder: FbxBuilder,
  mesh: Mesh,
  scale: number,
  colors: ReadonlyMap<string, readonly number[]>,
): FbxWrittenMesh[] {
  const materials = new Map<string, number>();
  const materialOf = (name: string): number => {
    const known = materials.get(name);
    if (known !== undefined) return known;
    const id = addMaterial(builder, name, colors.get(name) ?? PLAIN_COLOR);
    materials.set(name, id);
    return id;
  };
  return groupParts(mesh).map(({ name, parts }) => {
    const vertexStart = parts[0].vertexStart;
    const vertexCount = parts.reduce((sum, part) => sum + part.vertexCount, 0);
    const names = [...new Set(parts.map(({ material }) => material))];
    const geometry = builder.add('Geometry', name, 'Geometry', 'Mesh', makeGeometry(mesh, parts, names, scale));
    const model = addFbxModel(builder, name, 'Mesh', [0, 0, 0], [0, 0, 0], [1, 1, 1]);
    builder.connect(model);
    builder.connect(geometry, model);
    if (isPainted(names)) for (const material of names) builder.connect(materialOf(material), model);
    return { model, geometry, vertexStart, vertexCount };
  });
}

/** Adds a model: a node of the scene. Rotation in degrees, about x, then y, then z. */
export function addFbxModel(
  builder: FbxBuilder,
  name: string,
  type: string,
  translation: ArrayLike<number>,
  rotation: ArrayLike<number>,
  scaling: ArrayLike<number>,
): number {
  return builder.add('Model', name, 'Model', type, [
    fbxNode('Version', [232]),
    fbxProperties([
      ['RotationActive', 'bool', '', '', 1],
      // matrices multiply, as in glTF
      ['InheritType', 'enum', '', '', 1],
      fbxVector('Lcl Translation', translation),
      fbxVector('Lcl Rotation', rotation),
      fbxVector('Lcl Scaling', scaling),
      ['DefaultAttributeIndex', 'int', 'Integer', '', 0],
    ]),
    fbxNode('Shading', [{ type: 'C', value: 1 }]),
    fbxNode('Culling', ['CullingOff']),
  ]);
}

/** Parts that follow one another and are named alike, up to a number at the end, are one object. */
function groupParts(mesh: Mesh): { name: string; parts: MeshPart[] }[] {
  const groups: { name: string; parts: MeshPart[] }[] = [];
  for (const part of mesh.parts) {
    const name = part.name.replace(/ \d+$/, '') || mesh.name || 'mesh';
    const last = groups[groups.length - 1];
    if (last?.name === name) last.parts.push(part);
    else groups.push({ name, parts: [part] });
  }
  return groups;
}

function makeGeometry(
  mesh: Mesh,
  parts: readonly MeshPart[],
  materials: readonly string[],
  scale: number,
): PackedNode[] {
  const first = parts[0];
  const last = parts[parts.length - 1];
  const [start, end] = [first.vertexStart, last.vertexStart + last.vertexCount];
  const corners = mesh.triangles.subarray(3 * first.triangleStart, 3 * (last.triangleStart + last.triangleCount));
  const rows = (values: Float32Array, size: number): Float64Array =>
    Float64Array.from(values.subarray(size * start, size * end));
  const layers: string[] = [];
  const children = [
    fbxNode('GeometryVersion', [124]),
    fbxNode('Vertices', [fbxArray(rows(mesh.positions, 3).map((x) => x * scale))]),
    // the last corner of a polygon is stored as its complement
    fbxNode('PolygonVertexIndex', [
      fbxArray(Int32Array.from(corners, (i, c) => (c % 3 === 2 ? start - 1 - i : i - start))),
    ]),
  ];
  if (mesh.normals) {
    children.push(makeLayer('LayerElementNormal', 0, '', [fbxNode('Normals', [fbxArray(rows(mesh.normals, 3))])]));
    layers.push('LayerElementNormal');
  }
  let uvCount = 0;
  for (const attribute of mesh.attributes) {
    const { name, size, values } = attribute;
    if (/^TEXCOORD_\d+$/.test(name) && size === 2) {
      // v is measured from the bottom of the picture
      const uvs = rows(values, 2).map((x, c) => (c % 2 === 1 ? 1 - x : x));
      children.push(makeLayer('LayerElementUV', uvCount, `UVMap${uvCount || ''}`, [fbxNode('UV', [fbxArray(uvs)])]));
      if (uvCount++ === 0) layers.push('LayerElementUV');
    } else if (name === 'COLOR_0') {
      children.push(makeColorLayer(attribute, start, end));
      layers.push('LayerElementColor');
    }
  }
  if (isPainted(materials)) {
    layers.push('LayerElementMaterial');
    children.push(makeMaterialLayer(parts, materials));
  }
  children.push(listLayers(0, layers));
  for (let n = 1; n < uvCount; n++) children.push(listLayers(n, ['LayerElementUV']));
  return children;
}

function makeColorLayer({ size, values }: MeshAttribute, start: number, end: number): PackedNode {
  const colors = new Float64Array(4 * (end - start)).fill(1);
  for (let i = start; i < end; i++) for (let c = 0; c < size; c++) colors[4 * (i - start) + c] = values[size * i + c];
  return makeLayer('LayerElementColor', 0, 'Col', [fbxNode('Colors', [fbxArray(colors)])]);
}

/** The material of each triangle, or of all. */
function makeMaterialLayer(parts: readonly MeshPart[], materials: readonly string[]): PackedNode {
  const used = parts.flatMap(({ material, triangleCount }) =>
    Array.from({ length: triangleCount }, () => materials.indexOf(material)),
  );
  const isOne = materials.length === 1;
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

/** Whether some part has a material. */
function isPainted(materials: readonly string[]): boolean {
  return materials.some((name) => name !== '');
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

function addMaterial(builder: FbxBuilder, name: string, color: readonly number[]): number {
  const [r, g, b] = color.map(fbxDouble);
  return builder.add('Material', name || 'material', 'Material', '', [
    fbxNode('Version', [102]),
    fbxNode('ShadingModel', ['Lambert']),
    fbxNode('MultiLayer', [0]),
    fbxProperties([
      ['DiffuseColor', 'Color', '', 'A', r, g, b],
      ['DiffuseFactor', 'Number', '', 'A', fbxDouble(1)],
    ]),
  ]);
}
