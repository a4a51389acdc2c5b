// SPDX-License-Identifier: MIT

import { keyTimesOf, makeJointMotions, type TrackedMotion } from '../../../core/keyframes/make-joint-motions.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf, frameRateOf } from '../../../core/model/clip/clip.ts';
import type { SkinnedMorphs } from '../../../core/model/deformed/morphs.ts';
import { dropUndefined } from '../../../core/model/drop-undefined.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { SkinContent } from '../../gltf/index.ts';
import { checkSkinnedModel, checkSkinnedMorphs } from '../../shared/index.ts';
import { degreesFromQuaternionInto } from '../fbx-degrees.ts';
import { type FbxSpan, makeFbxHeader } from '../syntax/fbx-header.ts';
import { packFbx } from '../syntax/fbx-pack.ts';
import { addFbxAnimation, type FbxWrittenTrack } from './fbx-add-animation.ts';
import { addFbxMeshes, type FbxWrittenMesh } from './fbx-add-meshes.ts';
import { addFbxShapes, type FbxWrittenShape } from './fbx-add-shapes.ts';
import { addFbxJoints, addFbxSkin, type FbxWrittenJoint } from './fbx-add-skin.ts';
import { orientBones } from './fbx-bone-axes.ts';
import { FbxBuilder } from './fbx-builder.ts';

/** What can be written: the clips of the asset as blend shapes, or bones, weights and motions. */
export type FbxContent = { kind: 'clip' } | SkinContent;

/** Options of writeFbx. */
export interface WriteFbxOptions {
  /** Length unit of the numbers: the asset's own, or centimetres, which some engines expect whatever a file declares. Default 'asset'. */
  unit?: 'asset' | 'cm';
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/** Defaults of WriteFbxOptions. */
export const WRITE_FBX_DEFAULTS = { unit: 'asset' } as const;

/** Bytes of blend shapes beyond which a clip is not written. */
const MAX_SHAPE_BYTES = 2 ** 30;

/** Frame rate of a file without motion. */
const PLAIN_RATE = 24;

/**
 * Writes FBX 7.4 binary: triangles, normals, UVs, colours and materials by name; limb nodes whose y axis runs along the bone; skin clusters;
 * an animation stack per motion; blend shapes with animated weights. Units and axes are declared.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { makePlainContent, writeFbx } from 'ossify';
 *
 * await writeFile('out.fbx', writeFbx(asset, makePlainContent(asset, { kind: 'clip' })));
 * ```
 */
export function writeFbx(
  asset: Asset,
  content: FbxContent = { kind: 'clip' },
  options: WriteFbxOptions = {},
): Uint8Array<ArrayBuffer> {
  const { log } = options;
  const { unit } = { ...WRITE_FBX_DEFAULTS, ...dropUndefined(options) };
  const metres = asset.metresPerUnit ?? 1;
  const scale = unit === 'cm' ? metres * 100 : 1;
  const builder = new FbxBuilder();
  const mesh = content.kind === 'skin' ? content.model.mesh : asset.mesh;
  if (mesh.triangles.length === 0) throw new InputError('writeFbx', 'the mesh has no triangles to write');
  const meshes = addFbxMeshes(builder, mesh, scale, readColors(asset));
  const spans =
    content.kind === 'skin'
      ? putSkin(builder, meshes, content, scale, log)
      : putClips(builder, meshes, asset.clips, scale);
  const rates = spans.map(({ rate }) => rate);
  if (rates.some((rate) => Math.abs(rate - rates[0]) > 1e-3 * rate))
    log?.(`FBX has one frame rate per file: ${rates[0]} is declared; keys of other animations fall between its frames`);
  const head = makeFbxHeader({
    up: asset.up,
    centimetresPerUnit: unit === 'cm' ? 1 : metres * 100,
    rate: rates[0] ?? PLAIN_RATE,
    spans,
  });
  return packFbx([...head.before, ...builder.finish(), ...head.after]);
}

function putSkin(
  builder: FbxBuilder,
  meshes: readonly FbxWrittenMesh[],
  content: SkinContent,
  scale: number,
  log?: (message: string) => void,
): FbxSpan[] {
  const { controllers, correction } = content;
  checkSkinnedModel(content.model);
  if (controllers && controllers.length > 0)
    log?.('FBX cannot hold the controllers of helper bones: their keys are written');
  const { bindMatrices, lengths } = orientBones(content.model);
  const model: SkinnedModel = { ...content.model, skeleton: { ...content.model.skeleton, bindMatrices } };
  const { joints, motions } = makeJointMotions(model);
  const limbs = addFbxJoints(builder, model, joints, lengths, scale);
  addFbxSkin(builder, model, meshes, limbs, scale);
  const morphs = correction ? morphsOfCorrection(correction.model, model, log) : content.morphs;
  if (morphs) checkSkinnedMorphs(morphs, model.motions, model.mesh.positions.length / 3);
  const channels = morphs ? addFbxShapes(builder, meshes, morphs.morphs.targets.map(shapeOf), scale) : [];
  return motions.map((motion, m) => {
    const tracks = [
      ...listJointTracks(motion, motions, limbs, scale),
      ...(morphs ? listShapeTracks(motion, morphs.weights[m], morphs.weights, channels) : []),
    ];
    const span = spanOf(motion.name, motion.times, model.motions[m].times);
    addFbxAnimation(builder, span, tracks);
    return span;
  });
}

function shapeOf({ name, vertexStart, positions }: SkinnedMorphs['morphs']['targets'][number]): FbxWrittenShape {
  return { name, vertexStart, displacements: positions };
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

/**
 * Keys of joints. What another motion moves and this one does not gets one key: editors leave properties without keys where the last motion
 * put them.
 */
function listJointTracks(
  { times, joints, kept }: TrackedMotion,
  all: readonly TrackedMotion[],
  limbs: readonly FbxWrittenJoint[],
  scale: number,
): FbxWrittenTrack[] {
  return joints.flatMap(({ tracks }, j) =>
    tracks.flatMap(({ path, values }, n): FbxWrittenTrack[] => {
      if (all.every((motion) => motion.kept[j][n].length === 0)) return [];
      const keys = kept[j][n].length > 0 ? kept[j][n] : Uint32Array.of(0);
      const own = Float32Array.from(keys, (k) => times[k]);
      const target = n === 3 ? limbs[j].inner : limbs[j].outer;
      if (path === 'rotation') {
        const degrees = new Float64Array(3 * own.length);
        keys.forEach((k, at) => {
          const previous = at === 0 ? undefined : degrees.subarray(3 * at - 3, 3 * at);
          degreesFromQuaternionInto(values, 4 * k, degrees, 3 * at, previous);
        });
        return [{ target, property: 'Lcl Rotation', times: own, values: degrees }];
      }
      const factor = path === 'translation' ? scale : 1;
      const numbers = new Float64Array(3 * own.length);
      keys.forEach((k, at) => {
        for (let c = 0; c < 3; c++) numbers[3 * at + c] = factor * values[3 * k + c];
      });
      return [
        { target, property: path === 'translation' ? 'Lcl Translation' : 'Lcl Scaling', times: own, values: numbers },
      ];
    }),
  );
}

/** Keys of blend shapes, as of joints. weights: frameCount x shapeCount */
function listShapeTracks(
  { times }: TrackedMotion,
  weights: Float32Array,
  all: readonly Float32Array[],
  channels: number[][],
): FbxWrittenTrack[] {
  const count = channels.length;
  const isStill = (list: Float32Array, s: number): boolean => {
    for (let at = s; at < list.length; at += count) if (list[at] !== 0) return false;
    return true;
  };
  return channels.flatMap((own, s) => {
    if (all.every((list) => isStill(list, s))) return [];
    const keys = isStill(weights, s) ? times.slice(0, 1) : times;
    const values = Float64Array.from(keys, (_, k) => 100 * weights[k * count + s]);
    return own.map((target): FbxWrittenTrack => ({ target, property: 'DeformPercent', times: keys, values }));
  });
}

/** Clips as blend shapes, one per frame: each rises from zero to one between the frames around it. */
function putClips(
  builder: FbxBuilder,
  meshes: readonly FbxWrittenMesh[],
  clips: readonly Clip[],
  scale: number,
): FbxSpan[] {
  const bytes = clips.reduce((sum, clip) => sum + 8 * clip.positions.length, 0);
  if (bytes > MAX_SHAPE_BYTES)
    throw new InputError(
      'writeFbx',
      `the frames as blend shapes would take ${Math.ceil(bytes / 2 ** 20)} MB; decompose the clip into bones, or write a point cache`,
    );
  const channelsOf = clips.map((clip) =>
    Array.from({ length: frameCountOf(clip) }, (_, k) => {
      // exact: the difference of two floats in double precision
      const displacements = Float64Array.from(frameOf(clip, k), (x, c) => x - clip.mesh.positions[c]);
      return addFbxShapes(builder, meshes, [{ name: `${clip.name} ${k}`, vertexStart: 0, displacements }], scale)[0];
    }),
  );
  return clips.map((clip, n) => {
    const times = keyTimesOf(clip.times, clip.name);
    const tracks: FbxWrittenTrack[] = [];
    const put = (channels: readonly number[], keys: number[], values: number[]): void => {
      const own = { times: keys.map((k) => times[k]), values: Float64Array.from(values) };
      for (const target of channels) tracks.push({ target, property: 'DeformPercent', ...own });
    };
    channelsOf.forEach((frames, other) => {
      frames.forEach((channels, k) => {
        const around = other === n ? [k - 1, k, k + 1].filter((at) => at >= 0 && at < times.length) : [0];
        put(
          channels,
          around,
          around.map((at) => (other === n && at === k ? 100 : 0)),
        );
      });
    });
    const span = spanOf(clip.name, times, clip.times);
    addFbxAnimation(builder, span, tracks);
    return span;
  });
}

function spanOf(name: string, times: Float32Array, exact: Float64Array): FbxSpan {
  const rate = frameRateOf(exact, PLAIN_RATE);
  const rounded = Math.round(rate);
  return {
    name,
    start: times[0],
    end: times[times.length - 1],
    rate: Math.abs(rate - rounded) < 2e-4 * rate ? rounded : rate,
  };
}

/** Base colours of the materials of the glTF that an asset was read from. */
function readColors({ source }: Asset): Map<string, readonly number[]> {
  const colors = new Map<string, readonly number[]>();
  const materials = (source?.json as { materials?: unknown } | undefined)?.materials;
  for (const material of Array.isArray(materials) ? materials : []) {
    const { name, pbrMetallicRoughness } = material as {
      name?: unknown;
      pbrMetallicRoughness?: { baseColorFactor?: unknown };
    };
    const color = pbrMetallicRoughness?.baseColorFactor;
    if (typeof name === 'string' && Array.isArray(color) && color.length >= 3 && color.every(Number.isFinite))
      colors.set(name, color.slice(0, 3) as number[]);
  }
  return colors;
}
