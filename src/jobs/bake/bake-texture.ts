// SPDX-License-Identifier: MIT
// Animation textures: docs/guide/textures.md.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldClip } from '../../core/mesh/topology/weld.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { frameRateOf } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import type { Mesh, MeshAttribute } from '../../core/model/mesh/mesh.ts';
import { makeSkin, maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import { restoreChannels } from '../../deformers/layout/index.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { type ListClipsOptions, listClips, listMotions, sampleAnimation } from '../../deformers/playback/index.ts';
import { writeExr, writePng16 } from '../../draw/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import {
  type AnimationTexture,
  decodeBoneTexture,
  decodeVertexTexture,
  packBoneTexture,
  packNormalTexture,
  packVertexTexture,
  TEXELS_PER_BONE,
} from '../../formats/textures/index.ts';
import { type ErrorReport, measureError } from '../../measure/index.ts';
import { decompose } from '../decompose/index.ts';
import {
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type JobFacts,
  jsonText,
  type OpenedInput,
  type OutputFile,
  type Report,
  type ReportTable,
  refuseUnread,
  reportMetricsOf,
} from '../engine/index.ts';
import { listTexturePaths, type TextureLayout } from './texture-options.ts';

const INFLUENCES = 4;
/** Bytes of a bone texture relative to a vertex texture with the same frames, if the number of bones is free. */
const SHARE = 1 / 20;

interface TextureOptions extends ListClipsOptions {
  as?: TextureLayout;
  texture: 'png' | 'exr';
  bones?: number;
  threads?: number;
  seed?: number;
}

/** A packed layout: its textures, the attributes of its mesh, and what shaders need to know. */
interface Packed {
  mesh: Mesh;
  attributes: MeshAttribute[];
  texture: AnimationTexture;
  normals?: AnimationTexture;
  facts: Record<string, unknown>;
  decoded: Clip[];
}

/** Bakes all motions of an input into a texture, with a static mesh and a JSON file for shaders beside it. Measures what shaders decode. */
export async function bakeTexture(context: JobContext<TextureOptions>, opened: OpenedInput): Promise<JobFacts> {
  const { options, output } = context;
  const paths = listTexturePaths(output, options.texture);
  const isBones = options.as === 'bone-texture';
  await context.claim(isBones ? [paths.facts, paths.mesh, paths.texture] : Object.values(paths));
  const clips = await context.phase('bake', () => listClips(opened, options));
  const packed = isBones ? await packBones(context, opened, clips) : packVertices(clips);
  const { texture, normals, decoded } = packed;
  const reference = joinClips(clips);
  const error = await context.finish('measure', () =>
    measureError(reference, joinClips(decoded), { up: opened.asset.up, weld: weldClip(reference) }),
  );
  const files = await context.finish('write', async (): Promise<OutputFile[]> => {
    const content = { kind: 'static', attributes: packed.attributes } as const;
    const mesh = await writeGlb({ ...opened.asset, mesh: packed.mesh, clips: [] }, content, context.storing);
    return [
      { path: paths.facts, bytes: `${jsonText(describe(packed, paths, options, error))}\n` },
      { path: paths.mesh, bytes: mesh },
      { path: paths.texture, bytes: encode(texture, options.texture) },
      ...(normals ? [{ path: paths.normals, bytes: encode(normals, options.texture) }] : []),
    ];
  });
  const textureBytes = 2 * (texture.texels.length + (normals?.texels.length ?? 0));
  return {
    inputs: [opened],
    files,
    result: {
      format: options.as,
      bones: isBones ? Number(packed.facts.bones) : 0,
      frames: texture.clips.reduce((sum, { frames }) => sum + frames, 0),
      width: texture.width,
      height: texture.height,
      textureBytes,
      /** Positions of all vertices in all frames as RGBA16. */
      vertexTextureBytes: (8 * reference.positions.length) / 3,
    },
    metrics: reportMetricsOf(error),
    bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
  };
}

async function packBones(context: JobContext<TextureOptions>, opened: OpenedInput, clips: Clip[]): Promise<Packed> {
  const { mesh, skin, motions } = await findBones(context, opened, clips);
  const { min, max } = measureBounds(mesh.positions);
  const center = [0, 1, 2].map((c) => (min[c] + max[c]) / 2) as [number, number, number];
  const texture = packBoneTexture(motions, center, clips.map(rateOf));
  const { boneCount, encoding } = texture;
  const deformer = makeLinearBlend(mesh, skin, boneCount);
  const decoded = decodeBoneTexture(texture).map((motion, n) => {
    const positions = new Float32Array(clips[n].positions.length);
    for (let k = 0; k < motion.times.length; k++)
      deformer.deformInto(
        { bones: poseOf(motion, k) },
        positions.subarray(k * mesh.positions.length, (k + 1) * mesh.positions.length),
      );
    return { ...clips[n], positions };
  });
  const first = countTexcoords(mesh);
  const names = Array.from({ length: INFLUENCES }, (_, n) => `TEXCOORD_${first + n}`);
  return {
    mesh,
    attributes: listInfluences(skin, names),
    texture,
    decoded,
    facts: {
      layout: 'bone-texture',
      encoding,
      bones: boneCount,
      texelsPerBone: TEXELS_PER_BONE[encoding],
      center: texture.center,
      joints: names.slice(0, 2),
      weights: names.slice(2),
    },
  };
}

/** Bones of a skinned input with at most four influences, or those of a decomposition. */
async function findBones(
  context: JobContext<TextureOptions>,
  opened: OpenedInput,
  clips: Clip[],
): Promise<{ mesh: Mesh; skin: Skin; motions: Motion[] }> {
  const { asset } = opened;
  const { options } = context;
  if (asset.rig && asset.clips.length === 0) {
    const { rig } = asset;
    refuseUnread(context.job, ['bones'], 'is for inputs without bones; this one keeps its own, so remove it');
    if (asset.morphs || asset.correction)
      context.note('morph targets and corrective shapes are not in a bone texture; the error includes them');
    if (maxInfluencesOf(rig.skin) > INFLUENCES)
      context.note(
        `weights beyond the ${INFLUENCES} largest of a vertex were dropped; reduce them first with: ossify reduce`,
      );
    const names = listMotions(asset);
    const motions = clips.map((clip) => {
      const { motion } = sampleAnimation(asset, asset.animations[names.indexOf(clip.name)], clip.times);
      return { ...motion, name: clip.name };
    });
    return { mesh: asset.mesh, skin: truncate(rig.skin), motions };
  }
  const vertexCount = asset.mesh.positions.length / 3;
  const bones = options.bones ?? Math.max(1, Math.floor((SHARE * vertexCount) / TEXELS_PER_BONE.matrix));
  const { model } = await context.phase('solve', () =>
    decompose(clips, {
      ...{ bones, influences: INFLUENCES, transforms: 'affine' as const },
      ...{ threads: options.threads, seed: options.seed, signal: context.signal, onProgress: context.progress },
    }),
  );
  return { mesh: model.mesh, skin: truncate(model.skin), motions: model.motions };
}

/** The largest influences of every vertex. */
function truncate({ rowStart, boneIndices, weights }: Skin): Skin {
  const vertexCount = rowStart.length - 1;
  const bones = new Uint32Array(vertexCount * INFLUENCES);
  const values = new Float32Array(vertexCount * INFLUENCES);
  for (let i = 0; i < vertexCount; i++)
    for (let e = 0; e < Math.min(INFLUENCES, rowStart[i + 1] - rowStart[i]); e++) {
      bones[i * INFLUENCES + e] = boneIndices[rowStart[i] + e];
      values[i * INFLUENCES + e] = weights[rowStart[i] + e];
    }
  return makeSkin(bones, values, INFLUENCES);
}

/** Indices and weights as UV sets, which every importer keeps: two bones, two more, then their weights. */
function listInfluences({ rowStart, boneIndices, weights }: Skin, names: readonly string[]): MeshAttribute[] {
  const vertexCount = rowStart.length - 1;
  return names.map((name, n) => {
    const values = new Float32Array(2 * vertexCount);
    for (let i = 0; i < vertexCount; i++)
      for (let c = 0; c < 2; c++) {
        const e = rowStart[i] + 2 * (n % 2) + c;
        if (e < rowStart[i + 1]) values[2 * i + c] = n < 2 ? boneIndices[e] : weights[e];
      }
    return { name, size: 2, values };
  });
}

function packVertices(clips: Clip[]): Packed {
  const [{ mesh }] = clips;
  const rates = clips.map(rateOf);
  const texture = packVertexTexture(clips, rates);
  const weld = weldClip(clips[0]);
  const moved = clips.map((clip) => {
    const normals = new Float32Array(clip.positions.length);
    const stride = mesh.positions.length;
    for (let o = 0; o < normals.length; o += stride)
      vertexNormalsInto(clip.positions.subarray(o, o + stride), mesh.triangles, normals.subarray(o, o + stride), weld);
    return normals;
  });
  const { width, height, rowsPerFrame, vertexCount } = texture;
  const name = `TEXCOORD_${Math.max(1, countTexcoords(mesh))}`;
  const values = new Float32Array(2 * vertexCount);
  for (let i = 0; i < vertexCount; i++) {
    values[2 * i] = ((i % width) + 0.5) / width;
    values[2 * i + 1] = (Math.floor(i / width) + 0.5) / height;
  }
  return {
    mesh,
    attributes: [{ name, size: 2, values }],
    texture,
    normals: packNormalTexture(clips, rates, moved),
    decoded: decodeVertexTexture(texture, clips),
    facts: { layout: 'vertex-texture', vertices: vertexCount, rowsPerFrame, texel: name },
  };
}

/** The number of UV sets of a mesh; at least one, so that the first stays free for pictures. */
function countTexcoords({ attributes }: Mesh): number {
  let count = 1;
  while (attributes.some(({ name }) => name === `TEXCOORD_${count}`)) count++;
  return count;
}

function describe(
  { texture, normals, facts }: Packed,
  paths: ReturnType<typeof listTexturePaths>,
  { texture: format }: TextureOptions,
  error: ErrorReport,
): Record<string, unknown> {
  const nameOf = (path: string): string => path.replace(/^.*[\\/]/, '');
  const { width, height, min, max, clips } = texture;
  return {
    version: 1,
    ...facts,
    mesh: nameOf(paths.mesh),
    texture: nameOf(paths.texture),
    ...(normals ? { normals: nameOf(paths.normals) } : {}),
    ...{ width, height, clips },
    // an OpenEXR file has the values themselves
    ...(format === 'png' ? { min: [...min], max: [...max] } : {}),
    error: { max: error.max, maxPercent: (100 * error.max) / error.diagonal, normalDegrees: error.normalDegrees },
  };
}

function encode(texture: AnimationTexture, format: 'png' | 'exr'): Uint8Array {
  const { width, height, texels } = texture;
  return format === 'png'
    ? writePng16(width, height, texels)
    : writeExr(width, height, Float32Array.from(restoreChannels(texture)));
}

/** Frames per second to a thousandth: times of files are rounded to 32 bits. */
function rateOf(clip: Clip): number {
  return Math.round(1000 * frameRateOf(clip.times)) / 1000;
}

/** Lines about the texture for the command line. */
export function describeTexture({ result, metrics, files }: Report): (string | ReportTable)[] {
  const { format, frames, bones, width, height } = result;
  const [bytes, reference] = [Number(result.textureBytes), Number(result.vertexTextureBytes)];
  const of = Number(bones) > 0 ? `${formatCount(Number(bones), 'bone')}, ` : '';
  return [
    `${format}: ${of}${formatCount(Number(frames), 'frame')}, ${width} x ${height} texels, ${formatBytes(bytes)} on the GPU, ${bytes < reference ? `1/${formatNumber(reference / bytes)} of` : `${formatNumber(bytes / reference)} times`} RGBA16 positions of all vertices`,
    `maximum error ${formatNumber(metrics.max ?? 0)} (${formatNumber(metrics.maxPercent ?? 0)} % of the size), normals ${formatNumber(metrics.normalDegrees ?? 0)}°`,
    { rows: files.map(({ path, bytes: size }) => ['wrote', path, formatBytes(size)]) },
  ];
}
