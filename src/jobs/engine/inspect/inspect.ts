// SPDX-License-Identifier: MIT

import { measureBounds, measureHeight } from '../../../core/mesh/geometry/bounds.ts';
import { smallestEnclosingBall } from '../../../core/mesh/geometry/enclosing-ball.ts';
import { listConnectedParts } from '../../../core/mesh/topology/connected-parts.ts';
import { listRigidPieces } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { type Weld, weldVertices } from '../../../core/mesh/topology/weld.ts';
import type { Asset, UpAxis } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import { type Clip, frameCountOf, frameRateOf } from '../../../core/model/clip/clip.ts';
import type { MeshSequence } from '../../../core/model/clip/mesh-frame.ts';
import type { DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import {
  coefficientCountOf,
  type NormalRule,
  type SkinCorrection,
} from '../../../core/model/deformed/skin-correction.ts';
import type { LightKind, SkinLight } from '../../../core/model/deformed/skin-light.ts';
import type { LinearTwoLayer, TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { bakeAt, detectFrameRate } from '../../../deformers/playback/index.ts';
import { ESTIMATE_ETA_DEFAULTS, estimateEta, POOR_ETA } from '../../../methods/decompose/index.ts';

import { inspectRig, type RigFacts } from './inspect-rig.ts';

/** Facts about the mesh. */
export interface MeshFacts {
  vertices: number;
  /** Points left when vertices at the same position are one. */
  weldedVertices: number;
  triangles: number;
  /** Connected pieces of the welded surface; vertices without a triangle do not count. */
  connectedParts: number;
  degenerateTriangles: number;
  unreferencedVertices: number;
  parts: { name: string; material: string; vertices: number; triangles: number }[];
  materials: string[];
  hasNormals: boolean;
  attributes: { name: string; size: number }[];
}

/** All lengths in file units. */
export interface SizeFacts {
  min: number[];
  max: number[];
  diagonal: number;
  /** Extent along the up axis. */
  height: number;
  up: UpAxis;
  /** Of the rest pose's smallest enclosing ball. */
  ballRadius: number;
  metresPerUnit?: number;
}

/** Two-layer model of the file, beside its plain skin. */
export interface TwoLayerFacts {
  virtualBones: number;
  maxInfluences: number;
  meanInfluences: number;
}

/** Direct Delta Mush of the file, beside its plain skin. */
export interface DdmFacts {
  variant: number;
  entriesPerVertex: number;
  iterations: number;
  lambda: number;
  kappa: number;
  alpha: number;
}

/** Light on the vertices of the file. */
export interface LightFacts {
  kind: LightKind;
  /** Number of components. */
  rank: number;
  /** Keys of all tracks. */
  frames: number;
}

/** Corrective shapes of the file, beside its plain skin. */
export interface CorrectionFacts {
  rank: number;
  /** Rule for corrected normals; absent if they are not corrected. */
  normalRule?: NormalRule;
  /** Coefficients per frame, and frames over all animations. */
  coefficients: number;
  frames: number;
}

/** Facts about one animation. */
export interface AnimationFacts {
  name: string;
  /** Seconds. */
  duration: number;
  tracks: number;
  /** Over all tracks. */
  keys: number;
  /** Frame rate of the keys if it is constant, otherwise the rate that baking uses. */
  fps: number;
  /** Frames that baking gives by default. */
  frames: number;
}

/** Facts about one clip. */
export interface ClipFacts {
  name: string;
  frames: number;
  fps: number;
  /** Seconds from the first frame to the last. */
  duration: number;
}

/** Facts about frames whose topology differs. */
export interface SequenceFacts {
  frames: number;
  minVertices: number;
  maxVertices: number;
  hasColors: boolean;
  /** Seconds from the first frame to the last. */
  duration: number;
}

/** How an asset moves: through bones, morph targets, frames of positions, frames of different topology, or not at all. */
export type MotionKind = 'static' | 'skinned' | 'morphing' | 'clip' | 'sequence';

/** What a file holds, as printed by `ossify info`. */
export interface AssetFacts {
  name: string;
  bytes: number;
  kind: MotionKind;
  mesh: MeshFacts;
  size: SizeFacts;
  /** Codecs that the file is compressed with: draco, meshopt, ossify. */
  codecs?: string[];
  rig?: RigFacts;
  ddm?: DdmFacts;
  twoLayer?: TwoLayerFacts;
  /** Helper bones that have controllers. */
  helpers?: number;
  correction?: CorrectionFacts;
  light?: LightFacts;
  morphTargets: number;
  animations: AnimationFacts[];
  clips: ClipFacts[];
  /** Frames whose topology differs. */
  sequence?: SequenceFacts;
  /** Estimate of η of SMA: ratio of triangles that move with a near-rigid part; absent if only bones move. */
  eta?: number;
  /** Number of connected parts that move rigidly, to the precision of the file; absent if only bones move. */
  rigidPieces?: number;
  /** Whether a skin could replace the motion, as a sentence. */
  skinnable: string;
}

/** A triangle whose area is below this ratio of its longest side squared is a line or a point in single precision. */
const DEGENERATE_AREA_RATIO = 1e-7;

/**
 * What a file holds.
 * @example
 * ```ts
 * import { inspect } from 'ossify';
 *
 * const { mesh, size, rig } = inspect(asset);
 * console.log(`${mesh.vertices} vertices, height ${size.height}, ${rig?.joints ?? 0} joints`);
 * ```
 */
export function inspect(asset: Asset): AssetFacts {
  const { mesh } = asset;
  const weld = weldVertices(mesh.positions);
  const kind = motionKindOf(asset);
  const moved = listMoved(asset, kind);
  const eta = moved.length === 0 ? undefined : Math.min(...moved.map((clip) => estimateEta(clip)));
  const rigidPieces = moved.length === 0 ? undefined : countRigidPieces(moved);
  const layers = asset.twoLayer ?? asset.linearTwoLayer;
  return {
    name: asset.name,
    bytes: asset.byteLength,
    ...(asset.codecs ? { codecs: [...asset.codecs] } : {}),
    kind,
    mesh: inspectMesh(mesh, weld),
    size: inspectSize(asset),
    rig: inspectRig(asset),
    ...(asset.ddm ? { ddm: inspectDdm(asset.ddm) } : {}),
    ...(layers ? { twoLayer: inspectTwoLayer(layers) } : {}),
    ...(asset.helpers ? { helpers: asset.helpers.length } : {}),
    ...(asset.correction ? { correction: inspectCorrection(asset.correction) } : {}),
    ...(asset.light ? { light: inspectLight(asset.light) } : {}),
    morphTargets: countMorphTargets(asset),
    animations: asset.animations.map(inspectAnimation),
    clips: asset.clips.map((clip) => ({
      name: clip.name,
      frames: frameCountOf(clip),
      fps: frameRateOf(clip.times),
      duration: clip.times[clip.times.length - 1] - clip.times[0],
    })),
    ...(asset.sequence ? { sequence: inspectSequence(asset.sequence) } : {}),
    eta,
    rigidPieces,
    skinnable: describeSkinnable(asset, kind, eta),
  };
}

function inspectSequence({ frames, times }: MeshSequence): SequenceFacts {
  const counts = frames.map(({ positions }) => positions.length / 3);
  return {
    frames: frames.length,
    minVertices: Math.min(...counts),
    maxVertices: Math.max(...counts),
    hasColors: frames.every(({ colors }) => colors !== undefined),
    duration: times[times.length - 1] - times[0],
  };
}

function inspectCorrection(correction: SkinCorrection): CorrectionFacts {
  const { rank, normals, tracks } = correction;
  return {
    rank,
    ...(normals ? { normalRule: normals.rule } : {}),
    coefficients: coefficientCountOf(correction),
    frames: tracks.reduce((sum, { times }) => sum + times.length, 0),
  };
}

function inspectLight({ kind, rank, tracks }: SkinLight): LightFacts {
  return { kind, rank, frames: tracks.reduce((sum, { times }) => sum + times.length, 0) };
}

/** How an asset moves. Clips come before a skin, a skin before morphs, and morphs before nodes that move rigid parts: each determines the shape last. */
export function motionKindOf(asset: Asset): MotionKind {
  if (asset.clips.length > 0) return 'clip';
  if (asset.sequence) return 'sequence';
  const hasMorphs = asset.morphs !== undefined && asset.morphs.targets.length > 0;
  const isMorphed = asset.animations.some(({ tracks }) => tracks.some(({ path }) => path === 'weights'));
  if (asset.rig && (asset.rig.isJoint.includes(1) || !hasMorphs || !isMorphed)) return 'skinned';
  return hasMorphs ? 'morphing' : 'static';
}

/** Morph targets as the file numbers them: a target of several parts is one. */
function countMorphTargets({ morphs }: Asset): number {
  return new Set(morphs?.targets.map(({ node, weight }) => `${node} ${weight}`)).size;
}

function inspectMesh(mesh: Mesh, weld: Weld): MeshFacts {
  const { positions, triangles } = mesh;
  const isReferenced = new Uint8Array(positions.length / 3);
  for (let c = 0; c < triangles.length; c++) isReferenced[triangles[c]] = 1;
  let degenerateTriangles = 0;
  for (let c = 0; c < triangles.length; c += 3) if (isDegenerate(positions, triangles, c)) degenerateTriangles++;
  return {
    vertices: isReferenced.length,
    weldedVertices: weld.pointCount,
    triangles: triangles.length / 3,
    connectedParts: listConnectedParts(mesh, weld).filter((part) => part.triangleCount > 0).length,
    degenerateTriangles,
    unreferencedVertices: isReferenced.reduce((sum, is) => sum + 1 - is, 0),
    parts: mesh.parts.map((part) => ({
      name: part.name,
      material: part.material,
      vertices: part.vertexCount,
      triangles: part.triangleCount,
    })),
    materials: [...new Set(mesh.parts.map((part) => part.material).filter((name) => name !== ''))],
    hasNormals: mesh.normals !== undefined,
    attributes: mesh.attributes.map(({ name, size }) => ({ name, size })),
  };
}

function isDegenerate(p: Float32Array, triangles: Uint32Array, c: number): boolean {
  const a = triangles[c] * 3;
  const b = triangles[c + 1] * 3;
  const d = triangles[c + 2] * 3;
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[d] - p[a];
  const vy = p[d + 1] - p[a + 1];
  const vz = p[d + 2] - p[a + 2];
  const wx = vx - ux;
  const wy = vy - uy;
  const wz = vz - uz;
  const longest = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
  const area = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
  return !(area > DEGENERATE_AREA_RATIO * longest);
}

function inspectSize(asset: Asset): SizeFacts {
  const { min, max, diagonal } = measureBounds(asset.mesh.positions);
  return {
    min: [...min],
    max: [...max],
    diagonal,
    height: measureHeight(asset.mesh.positions, asset.up),
    up: asset.up,
    ballRadius: smallestEnclosingBall(asset.mesh.positions).radius,
    metresPerUnit: asset.metresPerUnit,
  };
}

function inspectDdm({ variant, settings, multiWeights: { rowStart, boneIndices } }: DirectDeltaMush): DdmFacts {
  return { variant, entriesPerVertex: boneIndices.length / Math.max(rowStart.length - 1, 1), ...settings };
}

function inspectTwoLayer(model: TwoLayer | LinearTwoLayer): TwoLayerFacts {
  return {
    virtualBones: model.virtualBones.rowStart.length - 1,
    maxInfluences: maxInfluencesOf(model.skin),
    meanInfluences: model.skin.weights.length / Math.max(model.skin.rowStart.length - 1, 1),
  };
}

function inspectAnimation(animation: Animation): AnimationFacts {
  const fps = detectFrameRate(animation);
  return {
    name: animation.name,
    duration: animation.duration,
    tracks: animation.tracks.length,
    keys: animation.tracks.reduce((sum, track) => sum + track.times.length, 0),
    fps,
    frames: Math.round(animation.duration * fps) + 1,
  };
}

/** The clips of an asset, and a few frames of every animation of morph targets. */
function listMoved(asset: Asset, kind: MotionKind): Clip[] {
  if (kind !== 'morphing') return asset.clips;
  return asset.animations.map((animation) => {
    const count = ESTIMATE_ETA_DEFAULTS.frames;
    const times = Float64Array.from({ length: count }, (_, n) => (n / (count - 1)) * animation.duration);
    return bakeAt(asset, animation, times);
  });
}

/** Parts that move rigidly in all clips. */
function countRigidPieces(clips: readonly Clip[]): number {
  const [first, ...others] = clips.map((clip) => listRigidPieces(clip).map(({ vertices }) => vertices[0]));
  return first.filter((vertex) => others.every((vertices) => vertices.includes(vertex))).length;
}

function describeSkinnable(asset: Asset, kind: MotionKind, eta: number | undefined): string {
  if (kind === 'sequence')
    return 'Its frames have different vertices and faces: ossify track makes a clip and a skin of them.';
  if (kind === 'skinned') {
    const moves = asset.animations.length > 0 ? '' : ', without an animation';
    const count = asset.rig?.skeleton.names.length ?? 0;
    const bones = `${count} bone${count === 1 ? '' : 's'}${moves}`;
    return asset.rig?.isJoint.includes(1)
      ? `It is skinned already (${bones}).`
      : `It moves in rigid parts, which is a skin already (${bones}).`;
  }
  if (eta === undefined) {
    return kind === 'morphing'
      ? 'It has morph targets and no animation of them.'
      : 'Nothing moves: there is nothing to skin.';
  }
  const share = `about ${Math.round(100 * eta)} % of its triangles move with a near-rigid part (eta ${eta.toFixed(2)})`;
  return eta >= POOR_ETA
    ? `It looks skinnable: ${share}.`
    : `It is a poor candidate for few bones: only ${share}. It needs many bones, or corrective shapes.`;
}
