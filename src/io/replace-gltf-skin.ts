// SPDX-License-Identifier: MIT
import type { Document, Skin as GltfSkin, Node, Primitive, Scene } from '@gltf-transform/core';
import { invertAffine } from '../math/mat4.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { vertexCountOf } from '../model/mesh.ts';
import { boneCountOf, checkSkeleton } from '../model/skeleton.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { addAccessor, sliceOf, unitVectors } from './build-gltf-document.ts';
import { makeGltfJoints } from './make-gltf-joints.ts';
import { packGltfWeights } from './pack-gltf-weights.ts';

/** A primitive of the document and the vertices of the model it shows. */
export interface ShownPrimitive {
  primitive: Primitive;
  node: Node;
  vertexStart: number;
  vertexCount: number;
}

interface Shape {
  name: string;
  meshName: string;
  pieces: { primitive: Primitive; vertexStart: number; vertexCount: number }[];
}

/**
 * Makes a document play a skinned model: the shown primitives get its rest shape and weights, on one skin, under nodes at the root of
 * the scene; its bones hang under a node called "ossify". What moved the document before is removed: skins, animations, morph
 * targets, other scenes, and nodes that carry nothing. Materials, textures, UVs and colours stay as they are. Changed in place.
 */
export function replaceGltfSkin(document: Document, shown: ShownPrimitive[], model: SkinnedModel): void {
  const { mesh, skeleton, skin } = model;
  checkModel(model, shown);
  const root = document.getRoot();
  const buffer = root.listBuffers()[0];
  const scene = root.getDefaultScene() ?? root.listScenes()[0] ?? document.createScene();
  root.setDefaultScene(scene);
  const shapes = copyShapes(document, shown);
  clearMotion(document, scene);

  const gltfSkin = addSkin(document, scene, model);
  const setCount = Math.ceil(maxInfluencesOf(skin) / 4);
  const tangents = mesh.attributes.find((a) => a.name === 'TANGENT' && a.size === 4);
  for (const { name, meshName, pieces } of shapes) {
    const gltfMesh = document.createMesh(meshName);
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const part = { vertexStart, vertexCount };
      primitive.setAttribute('POSITION', addAccessor(document, buffer, 3, sliceOf(mesh.positions, part, 3)));
      const normals = mesh.normals && unitVectors(sliceOf(mesh.normals, part, 3));
      primitive.setAttribute('NORMAL', normals ? addAccessor(document, buffer, 3, normals) : null);
      if (primitive.getAttribute('TANGENT')) {
        const turned = normals && tangents && unitVectors(sliceOf(tangents.values, part, 4), 4);
        primitive.setAttribute('TANGENT', turned ? addAccessor(document, buffer, 4, turned) : null);
      }
      const { joints, weights } = packGltfWeights(skin, boneCountOf(skeleton), vertexStart, vertexCount, setCount);
      for (let set = 0; set < setCount; set++) {
        primitive.setAttribute(`JOINTS_${set}`, addAccessor(document, buffer, 4, joints[set]));
        primitive.setAttribute(`WEIGHTS_${set}`, addAccessor(document, buffer, 4, weights[set]));
      }
      gltfMesh.addPrimitive(primitive);
    }
    // At the root: the transform of a skinned node counts for nothing, and the validator warns of one that seems to have any.
    scene.addChild(document.createNode(name).setMesh(gltfMesh).setSkin(gltfSkin));
  }
  for (const accessor of root.listAccessors()) {
    if (accessor.listParents().every((parent) => parent === root)) accessor.dispose();
  }
}

function checkModel({ mesh, skeleton, skin }: SkinnedModel, shown: ShownPrimitive[]): void {
  checkSkeleton(skeleton);
  const vertexCount = vertexCountOf(mesh);
  if (boneCountOf(skeleton) === 0) throw new Error('writeGlb: the skeleton has no bones');
  if (skin.rowStart.length !== vertexCount + 1)
    throw new Error(`writeGlb: the skin has ${skin.rowStart.length - 1} vertices, the mesh has ${vertexCount}`);
  const end = shown.reduce((most, s) => Math.max(most, s.vertexStart + s.vertexCount), 0);
  if (end > vertexCount)
    throw new Error(`writeGlb: the skinned mesh has ${vertexCount} vertices, the asset it is written for has ${end}`);
}

/** Copies of the shown primitives, without morph targets and weights, by the node that drew them. */
function copyShapes(document: Document, shown: ShownPrimitive[]): Shape[] {
  const shapes = new Map<Node, Shape>();
  for (const { primitive, node, vertexStart, vertexCount } of shown) {
    const meshName = node.getMesh()?.getName() ?? '';
    const shape = shapes.get(node) ?? { name: node.getName() || meshName, meshName, pieces: [] };
    shapes.set(node, shape);
    const copy = document.createPrimitive().copy(primitive);
    for (const target of copy.listTargets()) copy.removeTarget(target);
    for (const semantic of copy.listSemantics())
      if (/^(JOINTS|WEIGHTS)_/.test(semantic)) copy.setAttribute(semantic, null);
    shape.pieces.push({ primitive: copy, vertexStart, vertexCount });
  }
  return [...shapes.values()];
}

/** Removes what moved or was drawn; cameras, lights and the nodes that place them stay. */
function clearMotion(document: Document, scene: Scene): void {
  const root = document.getRoot();
  for (const animation of root.listAnimations()) {
    for (const part of [...animation.listChannels(), ...animation.listSamplers()]) part.dispose();
    animation.dispose();
  }
  for (const skin of root.listSkins()) skin.dispose();
  for (const mesh of root.listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      for (const target of primitive.listTargets()) target.dispose();
      primitive.dispose();
    }
    mesh.dispose();
  }
  for (const other of root.listScenes()) if (other !== scene) other.dispose();

  const kept = new Set<Node>();
  scene.traverse((node) => {
    if (!node.getCamera() && node.listExtensions().length === 0) return;
    for (let n: Node | null = node; n && !kept.has(n); n = n.getParentNode()) kept.add(n);
  });
  for (const node of root.listNodes()) if (!kept.has(node)) node.dispose();
}

/** Adds the bones, their motion and the skin that binds to them. */
function addSkin(document: Document, scene: Scene, { skeleton, motions }: SkinnedModel): GltfSkin {
  const top = document.createNode('ossify');
  scene.addChild(top);
  const { joints } = makeGltfJoints(document, top, skeleton, motions);
  const inverses = new Float64Array(joints.length * 16);
  const skin = document.createSkin('ossify').setSkeleton(top);
  joints.forEach((joint, j) => {
    if (!invertAffine(skeleton.bindMatrices, inverses, j * 16, j * 16))
      throw new Error(`writeGlb: the bind matrix of bone ${j} ("${skeleton.names[j]}") cannot be inverted`);
    skin.addJoint(joint);
  });
  const stored = document.createAccessor().setType('MAT4').setArray(Float32Array.from(inverses));
  return skin.setInverseBindMatrices(stored.setBuffer(document.getRoot().listBuffers()[0]));
}
