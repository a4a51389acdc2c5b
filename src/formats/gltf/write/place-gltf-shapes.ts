// SPDX-License-Identifier: MIT

import { type Document, type Mesh as GltfMesh, type Node, Primitive, type Scene } from '@gltf-transform/core';
import { InputError } from '../../../core/model/errors.ts';
import { type Mesh, vertexCountOf } from '../../../core/model/mesh/mesh.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { sliceOf, unitVectors } from '../document/build-gltf-document.ts';
import { listDepthFirst } from '../read/read-gltf-nodes.ts';
import { readGltfTriangles } from '../read/read-gltf-triangles.ts';

/** A primitive of a document and its vertices of the model. */
export interface ShownPrimitive {
  primitive: Primitive;
  node: Node;
  vertexStart: number;
  vertexCount: number;
}

/** Shapes of a node at the root of the scene. */
export interface GltfShape {
  node: Node;
  mesh: GltfMesh;
  pieces: { primitive: Primitive; vertexStart: number; vertexCount: number }[];
}

/**
 * Replaces the shapes of a document by a mesh at rest, in model space, before a new rig is added: copies of the drawn primitives get its
 * positions, normals and tangents, and its triangles where they differ, under nodes at the root of the scene. Primitives whose triangles were all removed are left out. The old rig is removed: skins, animations,
 * morph targets, other scenes, and unused nodes. Materials, textures, UVs and colours are not changed. Changed in place.
 */
export function placeGltfShapes(document: Document, shown: readonly ShownPrimitive[], mesh: Mesh): GltfShape[] {
  const end = shown.reduce((most, s) => Math.max(most, s.vertexStart + s.vertexCount), 0);
  if (end > vertexCountOf(mesh))
    throw new InputError(
      'writeGlb',
      `the mesh has ${vertexCountOf(mesh)} vertices, the asset it is written for has ${end}`,
    );
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0] ?? document.createScene();
  root.setDefaultScene(scene);
  const shapes = copyShapes(document, shown, mesh);
  clearMotion(document, scene, new Set(shapes.flatMap(({ node, mesh: own }) => [node, own])));

  const tangents = mesh.attributes.find((a) => a.name === 'TANGENT' && a.size === 4);
  for (const { node, pieces } of shapes) {
    // At the root: the transform of a skinned node has no effect, and the validator warns if there is one.
    scene.addChild(node);
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const part = { vertexStart, vertexCount };
      primitive.setAttribute('POSITION', addAccessor(document, 3, sliceOf(mesh.positions, part, 3)));
      const normals = mesh.normals && unitVectors(sliceOf(mesh.normals, part, 3));
      primitive.setAttribute('NORMAL', normals ? addAccessor(document, 3, normals) : null);
      if (primitive.getAttribute('TANGENT')) {
        const turned = normals && tangents && unitVectors(sliceOf(tangents.values, part, 4), 4);
        primitive.setAttribute('TANGENT', turned ? addAccessor(document, 4, turned) : null);
      }
    }
  }
  disposeUnused(document, root.listAccessors());
  return shapes;
}

/** Copies of the drawn primitives, without morph targets and weights, by node. Primitives that lost all of their triangles are left out: glTF has no empty ones. */
function copyShapes(document: Document, shown: readonly ShownPrimitive[], mesh: Mesh): GltfShape[] {
  const shapes = new Map<Node, GltfShape>();
  for (const piece of shown) {
    const { primitive, node, vertexStart, vertexCount } = piece;
    const triangles = listChanged(piece, mesh);
    if (triangles?.length === 0) continue;
    let shape = shapes.get(node);
    if (!shape) {
      const name = node.getMesh()?.getName() ?? '';
      const own = document.createMesh(name);
      shape = { node: document.createNode(node.getName() || name).setMesh(own), mesh: own, pieces: [] };
      shapes.set(node, shape);
    }
    const copy = document.createPrimitive().copy(primitive);
    for (const target of copy.listTargets()) copy.removeTarget(target);
    for (const semantic of copy.listSemantics())
      if (/^(JOINTS|WEIGHTS)_/.test(semantic)) copy.setAttribute(semantic, null);
    if (triangles) copy.setMode(Primitive.Mode.TRIANGLES).setIndices(addAccessor(document, 1, triangles));
    shape.mesh.addPrimitive(copy);
    shape.pieces.push({ primitive: copy, vertexStart, vertexCount });
  }
  if (shapes.size === 0 && shown.length > 0) throw new InputError('writeGlb', 'the mesh has no triangles to write');
  return [...shapes.values()];
}

/** The corners of a primitive's triangles, as indices of its own vertices, if some were turned or removed; otherwise undefined. */
function listChanged(
  { primitive, node, vertexStart, vertexCount }: ShownPrimitive,
  { parts, triangles }: Mesh,
): Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | undefined {
  const part = parts.find((one) => one.vertexStart === vertexStart && one.vertexCount === vertexCount);
  if (!part) return undefined;
  const stored = readGltfTriangles({ primitive, vertexCount, label: node.getMesh()?.getName() ?? '' });
  const start = 3 * part.triangleStart;
  const corners = triangles.subarray(start, start + 3 * part.triangleCount);
  if (corners.length === stored.length && corners.every((i, c) => i - vertexStart === stored[c])) return undefined;
  // The largest number of an index type is reserved.
  const own = vertexCount > 65535 ? new Uint32Array(corners.length) : new Uint16Array(corners.length);
  for (let c = 0; c < corners.length; c++) own[c] = corners[c] - vertexStart;
  return own;
}

/** Removes the old rig and meshes; cameras, lights and their nodes are kept. */
function clearMotion(document: Document, scene: Scene, spared: Set<Node | GltfMesh>): void {
  const root = document.getRoot();
  for (const animation of root.listAnimations()) {
    for (const part of [...animation.listChannels(), ...animation.listSamplers()]) part.dispose();
    animation.dispose();
  }
  for (const skin of root.listSkins()) skin.dispose();
  for (const mesh of root.listMeshes()) {
    if (spared.has(mesh)) continue;
    for (const primitive of mesh.listPrimitives()) {
      for (const target of primitive.listTargets()) target.dispose();
      primitive.dispose();
    }
    mesh.dispose();
  }
  for (const other of root.listScenes()) if (other !== scene) other.dispose();

  const kept = new Set<Node>();
  for (const node of listDepthFirst(scene.listChildren())) {
    if (!node.getCamera() && node.listExtensions().length === 0) continue;
    for (let n: Node | null = node; n && !kept.has(n); n = n.getParentNode()) kept.add(n);
  }
  for (const node of root.listNodes()) if (!kept.has(node) && !spared.has(node)) node.dispose();
}
