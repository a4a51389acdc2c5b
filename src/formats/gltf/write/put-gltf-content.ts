// SPDX-License-Identifier: MIT
import type { Document, Node } from '@gltf-transform/core';
import { IDENTITY } from '../../../core/math/mat4.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Mesh, MeshAttribute } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { sliceOf } from '../document/build-gltf-document.ts';
import type { GltfPiece } from '../document/list-gltf-pieces.ts';
import { addGltfCorrectionMorphs } from '../extensions/add-gltf-correction-morphs.ts';
import { addGltfDdm } from '../extensions/add-gltf-direct-delta-mush.ts';
import { addGltfConverted, addGltfHelperBones } from '../extensions/add-gltf-helper-bones.ts';
import { addGltfShapeDrivers } from '../extensions/add-gltf-shape-drivers.ts';
import { addGltfSkinBlend } from '../extensions/add-gltf-skin-blend.ts';
import { addGltfCorrection } from '../extensions/add-gltf-skin-correction.ts';
import { addGltfLight } from '../extensions/add-gltf-skin-light.ts';
import { addGltfTwoLayer, listTwoLayerBones } from '../extensions/add-gltf-two-layer.ts';
import { mendGltfWeights } from '../read/mend-gltf-weights.ts';
import type { GlbContent, SkinContent } from '../write-glb.ts';
import { addGltfClips } from './add-gltf-clips.ts';
import { addGltfMorphs } from './add-gltf-morphs.ts';
import { addGltfSkin, checkSkinnedModel } from './add-gltf-skin.ts';
import { eliminateGltf } from './eliminate-gltf.ts';
import { type GltfShape, placeGltfShapes, type ShownPrimitive } from './place-gltf-shapes.ts';
import { putGltfLevels } from './put-gltf-levels.ts';
import { putGltfShape } from './put-gltf-shape.ts';
import { type BoundPrimitive, type NewWeights, rebindGltfSkins } from './rebind-gltf-skins.ts';
import { splitGltfPalettes } from './split-gltf-palettes.ts';

/** A document to write, and its primitives of the asset. */
export interface OpenedGltf {
  document: Document;
  /** The primitives of the mesh's parts, in order. */
  shown: readonly ShownPrimitive[];
  /** The binding of a document that was read, if its weights change. */
  bound?: {
    /** Nodes in the order of the asset's tree. */
    nodes: readonly Node[];
    pieces: readonly GltfPiece[];
    restMatrices: readonly Float64Array[];
  };
}

/** Adds content to the document of an asset. Changed in place. */
export function putGltfContent(opened: OpenedGltf, asset: Asset, content: GlbContent, quantize: boolean): void {
  const { document, shown } = opened;
  switch (content.kind) {
    case 'clip':
      if (asset.clips.length > 0) addGltfClips(document, placeGltfShapes(document, shown, asset.mesh), asset.clips);
      else if (asset.source) mendGltfWeights(document);
      break;
    case 'shape':
      if (!opened.bound)
        throw new InputError('writeGlb', 'only a file that was read from a glTF can get another shape');
      putGltfShape(document, opened.bound.pieces, opened.bound.restMatrices, asset.mesh);
      mendGltfWeights(document);
      break;
    case 'levels':
      if (!opened.bound)
        throw new InputError('writeGlb', 'only a file that was read from a glTF can get levels of detail');
      putGltfLevels({ document, ...opened.bound }, asset, content);
      mendGltfWeights(document);
      break;
    case 'light':
      if (!opened.bound) throw new InputError('writeGlb', 'only a file that was read from a glTF can get a light');
      addGltfLight(document, opened.bound.pieces, content.model, quantize);
      mendGltfWeights(document);
      break;
    case 'eliminated':
      if (!opened.bound) throw new InputError('writeGlb', 'only a file that was read from a glTF can lose parts');
      eliminateGltf(document, opened.bound.nodes, opened.bound.pieces, content.parts);
      mendGltfWeights(document);
      break;
    case 'static':
      putStatic(document, shown, asset.mesh, content.attributes);
      break;
    case 'skin':
      putSkin(document, shown, content, quantize);
      break;
    case 'converted': {
      const { bound } = opened;
      const { rig } = asset;
      if (!rig || !bound) throw new InputError('writeGlb', 'only a skinned glTF can get helper bones');
      const nodeOfBone = (bone: number): Node => bound.nodes[rig.nodeOfBone[bone]];
      addGltfConverted(document, bound.pieces, bound.restMatrices, nodeOfBone, content);
      break;
    }
    case 'delta-mush': {
      const bound = bind(opened, asset, content.skin, content.model.multiWeights);
      addGltfDdm(document, bound, content.model, quantize);
      break;
    }
    case 'two-layer': {
      const { named, bonesOfSkin } = listTwoLayerBones(shown, content.model);
      const bound = bind(opened, asset, content.skin, named);
      addGltfTwoLayer(document, bound, content.model, bonesOfSkin, quantize);
      break;
    }
    case 'weights': {
      const { skin, layers, pruneJoints, maxBones } = content;
      const layered = layers && { layers, ...listTwoLayerBones(shown, layers) };
      const bound = bind(opened, asset, skin, layered?.named ?? skin, pruneJoints);
      if (layered) addGltfTwoLayer(document, bound, layered.layers, layered.bonesOfSkin, quantize);
      if (maxBones !== undefined) splitGltfPalettes(document, maxBones);
    }
  }
}

function putStatic(
  document: Document,
  shown: readonly ShownPrimitive[],
  mesh: Mesh,
  attributes: readonly MeshAttribute[],
): void {
  for (const { pieces } of placeGltfShapes(document, shown, mesh))
    for (const { primitive, ...part } of pieces) {
      for (const { name, size, values } of attributes)
        primitive.setAttribute(name, addAccessor(document, size, sliceOf(values, part, size)));
      // UV sets must be numbered without gaps.
      const sets = primitive.listSemantics().filter((name) => name.startsWith('TEXCOORD_')).length;
      for (let n = 0; n < sets; n++)
        if (!primitive.getAttribute(`TEXCOORD_${n}`))
          primitive.setAttribute(`TEXCOORD_${n}`, addAccessor(document, 2, new Float32Array(2 * part.vertexCount)));
    }
}

function putSkin(
  document: Document,
  shown: readonly ShownPrimitive[],
  content: SkinContent,
  quantize: boolean,
): GltfShape[] {
  const { model, keys = 0, correction, morphs, controllers, driven, blend } = content;
  const shapes = placeGltfShapes(document, shown, model.mesh);
  addGltfSkin(document, shapes, model, keys);
  const joints = shapes[0]?.node.getSkin()?.listJoints() ?? [];
  if (controllers)
    addGltfHelperBones(document, { ...model, kind: 'helper-bones', controllers }, (bone) => joints[bone]);
  if (blend) {
    const jointOf = (bone: number): number => bone;
    const pieces = shapes.flatMap((shape) => shape.pieces.map((piece) => ({ ...piece, jointOf })));
    addGltfSkinBlend(document, pieces, blend);
  }
  if (morphs) addGltfMorphs(document, shapes, morphs, model.motions);
  if (driven) addGltfShapeDrivers(document, shapes, driven);
  if (correction?.as === 'morphs') addGltfCorrectionMorphs(document, shapes, correction.model);
  else if (correction) addGltfCorrection(document, shapes, correction.model, quantize);
  return shapes;
}

/** Adds plain weights for the bones of the asset; for a mesh without nodes, bones and motions too. */
function bind(
  { document, shown, bound }: OpenedGltf,
  asset: Asset,
  given: Skin | undefined,
  named: NewWeights['named'],
  pruneJoints?: boolean,
): BoundPrimitive[] {
  const { rig } = asset;
  const skin = given ?? rig?.skin;
  if (!skin || !rig) throw new InputError('writeGlb', `"${asset.name}" has no bones to write this for`);
  const { skeleton, nodeOfBone } = rig;
  if (bound) {
    const nodeOf = (bone: number): Node => bound.nodes[nodeOfBone[bone]];
    const weights = { skeleton, skin, named, nodeOf, pruneJoints };
    return rebindGltfSkins(document, bound.pieces, bound.restMatrices, weights);
  }
  const motions = asset.animations.flatMap(({ motion }) => motion ?? []);
  const model: SkinnedModel = { kind: 'skin', mesh: asset.mesh, skeleton, skin, motions };
  checkSkinnedModel(model);
  const shapes = putSkin(document, shown, { kind: 'skin', model }, false);
  const restMatrix = Float64Array.from(IDENTITY);
  // Bones that addGltfSkin writes are its joints, in order.
  const jointOf = (bone: number): number => bone;
  return shapes.flatMap(({ node, pieces }) => pieces.map((piece) => ({ ...piece, node, restMatrix, jointOf })));
}
