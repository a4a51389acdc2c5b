// SPDX-License-Identifier: MIT
import type { Document, Node } from '@gltf-transform/core';
import { IDENTITY } from '../../../core/math/mat4.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import { checkDirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { checkHelperBones } from '../../../core/model/deformed/helper-bones.ts';
import { checkShapeDrivers } from '../../../core/model/deformed/shape-drivers.ts';
import { checkSkinCorrection, type SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { checkLinearTwoLayer, checkTwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import type { Mesh, MeshAttribute } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { checkSkinnedModel, checkSkinnedMorphs } from '../../shared/index.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { sliceOf } from '../document/build-gltf-document.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { addGltfCorrectionMorphs } from '../extensions/add-gltf-correction-morphs.ts';
import { addGltfDdm } from '../extensions/gltf-direct-delta-mush.ts';
import { addGltfConverted, addGltfHelperBones } from '../extensions/gltf-helper-bones.ts';
import { addGltfShapeDrivers } from '../extensions/gltf-shape-drivers.ts';
import { addGltfSkinBlend } from '../extensions/gltf-skin-blend.ts';
import { addGltfCorrection } from '../extensions/gltf-skin-correction.ts';
import { addGltfLight } from '../extensions/gltf-skin-light.ts';
import { addGltfTwoLayer, listTwoLayerBones } from '../extensions/gltf-two-layer.ts';
import { mendGltfWeights } from '../read/mend-gltf-weights.ts';
import type { GlbContent, SkinContent } from '../write-glb.ts';
import { addGltfClips } from './add-gltf-clips.ts';
import { addGltfMorphs } from './add-gltf-morphs.ts';
import { eliminateGltf } from './eliminate-gltf.ts';
import { type GltfShape, placeGltfShapes, type ShownPrimitive } from './place-gltf-shapes.ts';
import { putGltfLevels } from './put-gltf-levels.ts';
import { putGltfShape } from './put-gltf-shape.ts';
import { addGltfSkin } from './skins/add-gltf-skin.ts';
import { type BoundPrimitive, type NewWeights, rebindGltfSkins } from './skins/rebind-gltf-skins.ts';
import { splitGltfPalettes } from './skins/split-gltf-palettes.ts';

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

/** What a kind of content needs and does. */
interface ContentKind<Content> {
  /** Whether extensions of primitives that the file has (OSSIFY_skin_correction and others) are kept. */
  keepsExtensions(asset: Asset): boolean;
  /** Whether the binding of a document that was read is needed, before anything is removed. */
  needsBinding: boolean;
  /** Throws unless the parts of the content match. */
  check?(content: Content): void;
  /** Adds the content to the document of the asset. Changed in place. */
  put(opened: OpenedGltf, asset: Asset, content: Content, quantize: boolean): void;
}

type ContentKinds = { readonly [K in GlbContent['kind']]: ContentKind<Extract<GlbContent, { kind: K }>> };

const always = (): boolean => true;
const never = (): boolean => false;

/** All kinds of content. The row of a content is that of its `kind`. */
const KINDS: ContentKinds = {
  clip: {
    keepsExtensions: ({ clips }) => clips.length === 0,
    needsBinding: false,
    put({ document, shown }, asset) {
      if (asset.clips.length > 0) addGltfClips(document, placeGltfShapes(document, shown, asset.mesh), asset.clips);
      else if (asset.source) mendGltfWeights(document);
    },
  },
  shape: {
    keepsExtensions: always,
    needsBinding: true,
    put(opened, asset) {
      const { pieces, restMatrices } = bindingOf(opened, 'get another shape');
      putGltfShape(opened.document, pieces, restMatrices, asset.mesh);
      mendGltfWeights(opened.document);
    },
  },
  levels: {
    keepsExtensions: always,
    needsBinding: true,
    put(opened, asset, content) {
      const binding = bindingOf(opened, 'get levels of detail');
      putGltfLevels({ document: opened.document, ...binding }, asset, content);
      mendGltfWeights(opened.document);
    },
  },
  light: {
    keepsExtensions: always,
    needsBinding: true,
    put(opened, _asset, { model }, quantize) {
      addGltfLight(opened.document, bindingOf(opened, 'get a light').pieces, model, quantize);
      mendGltfWeights(opened.document);
    },
  },
  eliminated: {
    keepsExtensions: always,
    needsBinding: true,
    put(opened, _asset, { parts }) {
      const { nodes, pieces } = bindingOf(opened, 'lose parts');
      eliminateGltf(opened.document, nodes, pieces, parts);
      mendGltfWeights(opened.document);
    },
  },
  static: {
    keepsExtensions: never,
    needsBinding: false,
    put({ document, shown }, { mesh }, { attributes }) {
      putStatic(document, shown, mesh, attributes);
    },
  },
  skin: {
    keepsExtensions: never,
    needsBinding: false,
    check: checkSkinContent,
    put({ document, shown }, _asset, content, quantize) {
      putSkin(document, shown, content, quantize);
    },
  },
  converted: {
    keepsExtensions: never,
    needsBinding: true,
    check: ({ model }) => checkHelperBones(model),
    put({ document, bound }, { rig }, content) {
      if (!rig || !bound) throw new InputError('writeGlb', 'only a skinned glTF can get helper bones');
      const nodeOfBone = (bone: number): Node => bound.nodes[rig.nodeOfBone[bone]];
      addGltfConverted(document, bound.pieces, bound.restMatrices, nodeOfBone, content);
    },
  },
  'delta-mush': {
    keepsExtensions: never,
    needsBinding: true,
    check: ({ model }) => checkDirectDeltaMush(model),
    put(opened, asset, { model, skin }, quantize) {
      const bound = bind(opened, asset, skin, model.multiWeights);
      addGltfDdm(opened.document, bound, model, quantize);
    },
  },
  'two-layer': {
    keepsExtensions: never,
    needsBinding: true,
    check: ({ model }) => checkTwoLayer(model),
    put(opened, asset, { model, skin }, quantize) {
      const { named, bonesOfSkin } = listTwoLayerBones(opened.shown, model);
      const bound = bind(opened, asset, skin, named);
      addGltfTwoLayer(opened.document, bound, model, bonesOfSkin, quantize);
    },
  },
  weights: {
    keepsExtensions: never,
    needsBinding: true,
    check({ layers }) {
      if (layers) checkLinearTwoLayer(layers);
    },
    put(opened, asset, { skin, layers, pruneJoints, maxBones }, quantize) {
      const { document, shown } = opened;
      const layered = layers && { layers, ...listTwoLayerBones(shown, layers) };
      const bound = bind(opened, asset, skin, layered?.named ?? skin, pruneJoints);
      if (layered) addGltfTwoLayer(document, bound, layered.layers, layered.bonesOfSkin, quantize);
      if (maxBones !== undefined) splitGltfPalettes(document, maxBones);
    },
  },
};

/** The kind of a content. Its methods accept this content only. */
export function contentKindOf({ kind }: GlbContent): ContentKind<GlbContent> {
  return KINDS[kind];
}

function bindingOf({ bound }: OpenedGltf, effect: string): NonNullable<OpenedGltf['bound']> {
  if (!bound) throw new InputError('writeGlb', `only a file that was read from a glTF can ${effect}`);
  return bound;
}

function checkSkinContent({ model, keys = 0, correction, morphs, controllers, driven }: SkinContent): void {
  if (!(keys >= 0 && Number.isFinite(keys)))
    throw new UsageError('writeGlb', `keys must be a length in file units of at least 0, got ${keys}`);
  checkSkinnedModel(model);
  if (correction) checkCorrection(correction.model, model);
  if (morphs) checkSkinnedMorphs(morphs, model.motions, model.mesh.positions.length / 3);
  if (driven) checkShapeDrivers(driven.drivers, model.skeleton.names.length);
  if (controllers) checkHelperBones({ ...model, kind: 'helper-bones', controllers });
}

function checkCorrection(correction: SkinCorrection, { mesh, motions }: SkinnedModel): void {
  checkSkinCorrection(correction, mesh.positions.length / 3);
  if (correction.tracks.length !== motions.length)
    throw new InputError(
      'writeGlb',
      `the correction has ${correction.tracks.length} tracks for ${motions.length} motions`,
    );
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
