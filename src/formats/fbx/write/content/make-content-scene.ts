// SPDX-License-Identifier: MIT
// The model of a job as a scene: joints whose y axis runs along the bone, keys of each, a mesh per object of the source.
import { keyTimesOf, makeJointMotions, type TrackedMotion } from '../../../../core/keyframes/make-joint-motions.ts';
import { invertAffine } from '../../../../core/math/mat4.ts';
import type { Asset, SkinnedModel } from '../../../../core/model/asset.ts';
import type { Animation, Track } from '../../../../core/model/clip/animation.ts';
import { frameCountOf, frameOf } from '../../../../core/model/clip/clip.ts';
import type { SkinnedMorphs } from '../../../../core/model/deformed/morphs.ts';
import { InputError } from '../../../../core/model/errors.ts';
import type { Scene, SkinContent } from '../../../gltf/index.ts';
import { checkSkinnedModel, checkSkinnedMorphs } from '../../../shared/index.ts';
import {
  type ContentNode,
  type ContentTarget,
  listWeightTracks,
  makeContentNodes,
  makeContentShapes,
  readContentLook,
} from './content-parts.ts';
import { orientBones } from './fbx-bone-axes.ts';

/** Bytes of blend shapes beyond which a clip is not written. */
const MAX_SHAPE_BYTES = 2 ** 30;

/** The clips of an asset as blend shapes, one per frame: each rises from zero to one between the frames around it. */
export function makeClipScene(asset: Asset): Scene {
  const { clips } = asset;
  const bytes = clips.reduce((sum, clip) => sum + 8 * clip.positions.length, 0);
  if (bytes > MAX_SHAPE_BYTES)
    throw new InputError(
      'writeFbx',
      `the frames as blend shapes would take ${Math.ceil(bytes / 2 ** 20)} MB; decompose the clip into bones, or write a point cache`,
    );
  const look = readContentLook(asset, asset.mesh);
  const targets = clips.flatMap((clip) =>
    Array.from({ length: frameCountOf(clip) }, (_, k): ContentTarget => {
      const positions = Float32Array.from(frameOf(clip, k), (x, c) => x - clip.mesh.positions[c]);
      return { name: `${clip.name} ${k}`, positions, vertexStart: 0 };
    }),
  );
  const nodes: ContentNode[] = [];
  const shapes = makeContentShapes({ mesh: asset.mesh, targets, materialOf: look.materialOf }, nodes);
  const animations = clips.map((clip, n): Animation => {
    const first = clips.slice(0, n).reduce((sum, one) => sum + frameCountOf(one), 0);
    const times = keyTimesOf(clip.times, clip.name);
    const values = new Float32Array(times.length * targets.length);
    for (let k = 0; k < times.length; k++) values[k * targets.length + first + k] = 1;
    return {
      name: clip.name,
      duration: times[times.length - 1],
      tracks: listWeightTracks(shapes, times, values, targets.length),
    };
  });
  return { nodes: makeContentNodes(nodes), shapes: shapes.map(({ shape }) => shape), animations, look: look.look };
}

/** Bones, weights, motions and morph targets. */
export function makeSkinScene(asset: Asset, content: SkinContent, log?: (message: string) => void): Scene {
  const { controllers, correction } = content;
  checkSkinnedModel(content.model);
  if (controllers && controllers.length > 0)
    log?.('FBX cannot hold the controllers of helper bones: their keys are written');
  const { bindMatrices } = orientBones(content.model);
  const model: SkinnedModel = { ...content.model, skeleton: { ...content.model.skeleton, bindMatrices } };
  const { joints, motions } = makeJointMotions(model);
  const morphs = correction ? morphsOfCorrection(correction.model, model, log) : content.morphs;
  if (morphs) checkSkinnedMorphs(morphs, model.motions, model.mesh.positions.length / 3);
  const nodes: ContentNode[] = [{ name: 'Armature', parent: -1 }];
  const limbs: { outer: number; inner: number }[] = [];
  joints.forEach(({ above, translation, rotation, scale, turn }, j) => {
    const name = model.skeleton.names[j];
    const parent = above < 0 ? 0 : limbs[above].inner;
    const outer = nodes.push({ name: turn ? `${name} stretch` : name, parent, translation, rotation, scale }) - 1;
    limbs.push({ outer, inner: turn ? nodes.push({ name, parent: outer, rotation: turn }) - 1 : outer });
  });
  const inverseBinds = new Float64Array(bindMatrices.length);
  for (let j = 0; j < limbs.length; j++)
    if (!invertAffine(bindMatrices, inverseBinds, 16 * j, 16 * j))
      throw new InputError(
        'writeFbx',
        `the bind matrix of bone ${j} ("${model.skeleton.names[j]}") cannot be inverted`,
      );
  const skin = { joints: limbs.map(({ inner }) => inner), inverseBinds, weights: model.skin };
  const targets = morphs?.morphs.targets ?? [];
  const look = readContentLook(asset, model.mesh);
  const shapes = makeContentShapes({ mesh: model.mesh, targets, materialOf: look.materialOf, skin }, nodes);
  const animations = motions.map((motion, m): Animation => {
    const { name, times } = motion;
    const tracks = listJointTracks(motion, limbs);
    if (morphs) tracks.push(...listWeightTracks(shapes, times, morphs.weights[m], targets.length));
    return { name, duration: times[times.length - 1], tracks };
  });
  return { nodes: makeContentNodes(nodes), shapes: shapes.map(({ shape }) => shape), animations, look: look.look };
}

/** Corrective shapes as blend shapes: displacements of the rest shape before the skin, which is what those are. */
function morphsOfCorrection(
  { rank, basis, normals, tracks }: NonNullable<SkinContent['correction']>['model'],
  { mesh, motions }: SkinnedModel,
  log?: (message: string) => void,
): SkinnedMorphs {
  if (normals)
    log?.('FBX cannot hold corrections of normals: the corrective shapes are written as blend shapes without them');
  if (tracks.length !== motions.length)
    throw new InputError('writeFbx', `the correction has ${tracks.length} tracks for ${motions.length} motions`);
  const size = mesh.positions.length;
  return {
    morphs: {
      targets: Array.from({ length: rank }, (_, r) => ({
        name: `correction ${r}`,
        node: 0,
        weight: r,
        vertexStart: 0,
        vertexCount: size / 3,
        positions: basis.subarray(r * size, (r + 1) * size),
      })),
      restWeights: [],
    },
    weights: tracks.map(({ values }) => values),
  };
}

function listJointTracks(
  { times, joints, kept }: TrackedMotion,
  limbs: readonly { outer: number; inner: number }[],
): Track[] {
  return joints.flatMap(({ tracks }, j) =>
    tracks.flatMap(({ path, values }, n): Track[] => {
      const keys = kept[j][n];
      if (keys.length === 0) return [];
      const size = path === 'rotation' ? 4 : 3;
      const own = Float32Array.from(
        { length: keys.length * size },
        (_, c) => values[keys[Math.floor(c / size)] * size + (c % size)],
      );
      const node = n === 3 ? limbs[j].inner : limbs[j].outer;
      return [{ node, path, interpolation: 'LINEAR', times: Float32Array.from(keys, (k) => times[k]), values: own }];
    }),
  );
}
