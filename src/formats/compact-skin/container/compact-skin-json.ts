// SPDX-License-Identifier: MIT
// The JSON of OSSIFY_compact_skin: which nodes draw the meshes of the stream, and with which materials.
import { FormatError } from '../../../core/model/errors.ts';
import {
  indexField,
  indexList,
  integerField,
  type JsonObject,
  listField,
  numbersField,
  objectField,
  optionalIndex,
  optionalObject,
  optionalString,
} from '../../../deformers/layout/index.ts';

export const COMPACT_EXTENSION = 'OSSIFY_compact_skin';

/** A mesh of the stream. */
export interface CompactMeshJson {
  name?: string;
  /** In the order of the stream. */
  primitives: { material?: number; extensions?: object }[];
  /** Nodes of the JSON that draw the mesh. */
  nodes: number[];
  /** Index of a skin of the stream. */
  skin?: number;
}

export interface CompactSkinJson {
  version: number;
  bufferView: number;
  meshes: CompactMeshJson[];
}

/** Checks the extension of a file; undefined if it has none. */
export function readCompactSkinJson(json: JsonObject): CompactSkinJson | undefined {
  const { extensions } = json;
  if (extensions === undefined) return undefined;
  const found = objectField(extensions, 'extensions')[COMPACT_EXTENSION];
  if (found === undefined) return undefined;
  const own = objectField(found, COMPACT_EXTENSION);
  const version = integerField(own.version, `${COMPACT_EXTENSION}.version`);
  if (version !== 1)
    throw new FormatError(
      'gltf',
      'version',
      `${COMPACT_EXTENSION} has version ${version}; this reader knows version 1`,
    );
  const views = listField(json, 'bufferViews').length;
  const bufferView = indexField(own.bufferView, views, `${COMPACT_EXTENSION}.bufferView`, 'buffer view');
  const nodeCount = listField(json, 'nodes').length;
  const materialCount = listField(json, 'materials').length;
  const drawn = new Set<number>();
  const meshes = listField(own, 'meshes').map((mesh, n): CompactMeshJson => {
    const where = `${COMPACT_EXTENSION}.meshes[${n}]`;
    optionalString(mesh.name, `${where}.name`);
    const primitives = listField(mesh, 'primitives').map((primitive, p) => {
      optionalIndex(primitive.material, materialCount, `${where}.primitives[${p}].material`, 'material');
      optionalObject(primitive.extensions, `${where}.primitives[${p}].extensions`);
      return primitive as CompactMeshJson['primitives'][0];
    });
    const nodes = indexList(mesh.nodes, nodeCount, `${where}.nodes`, 'node');
    for (const node of nodes) {
      if (drawn.has(node))
        throw new FormatError('gltf', 'index', `${where}.nodes names node ${node}, which draws another mesh`);
      drawn.add(node);
    }
    if (mesh.skin !== undefined) integerField(mesh.skin, `${where}.skin`);
    return { name: mesh.name as string | undefined, primitives, nodes, skin: mesh.skin as number | undefined };
  });
  return { version, bufferView, meshes };
}

/** A node at rest. */
export interface RestNode {
  parent: number;
  translation: number[];
  rotation: number[];
  scale: number[];
  matrix?: number[];
}

/** The nodes of the JSON at rest. Parents have no cycle, and each node has one parent at most. */
export function listRestNodes(json: JsonObject): RestNode[] {
  const nodes = listField(json, 'nodes');
  const rest = nodes.map((node, n): RestNode => {
    const read = (key: string, usual: number[]) =>
      node[key] === undefined ? usual : numbersField(node[key], `nodes[${n}].${key}`, usual.length);
    const matrix = node.matrix === undefined ? undefined : numbersField(node.matrix, `nodes[${n}].matrix`, 16);
    return {
      parent: -1,
      translation: read('translation', [0, 0, 0]),
      rotation: read('rotation', [0, 0, 0, 1]),
      scale: read('scale', [1, 1, 1]),
      ...(matrix ? { matrix } : {}),
    };
  });
  nodes.forEach((node, n) => {
    for (const child of indexList(node.children, nodes.length, `nodes[${n}].children`, 'node')) {
      if (rest[child].parent >= 0 || child === n)
        throw new FormatError('gltf', 'hierarchy', `node ${child} has two parents`);
      rest[child].parent = n;
    }
  });
  for (let n = 0; n < rest.length; n++) {
    let at = n;
    for (let depth = 0; at >= 0; depth++, at = rest[at].parent)
      if (depth > rest.length) throw new FormatError('gltf', 'hierarchy', `node ${n} is below itself`);
  }
  return rest;
}
