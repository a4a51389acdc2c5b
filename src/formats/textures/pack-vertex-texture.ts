// SPDX-License-Identifier: MIT
// Vertex animation textures in the layout of the common tools: a texel per vertex, rows of a frame below one another, frames from top to bottom. Positions are
// offsets from the rest shape, in the range [min, max]; normals are in [-1, 1].
import type { Clip } from '../../core/model/clip/clip.ts';
import { quantizeChannels } from '../../deformers/layout/index.ts';
import { type AnimationTexture, checkTextureSize, MAX_TEXTURE_SIZE, type TextureClip } from './pack-bone-texture.ts';

/** Positions of all vertices in all frames as a texture. */
export interface VertexTexture extends AnimationTexture {
  vertexCount: number;
  /** Rows of texels of one frame. */
  rowsPerFrame: number;
}

/** Packs the offsets of all frames from the mesh at rest. The fourth channel is not used. */
export function packVertexTexture(clips: readonly Clip[], frameRates: readonly number[]): VertexTexture {
  const rest = clips[0].mesh.positions;
  return pack(clips, frameRates, (n, k, i, c) => clips[n].positions[k * rest.length + 3 * i + c] - rest[3 * i + c]);
}

/** Packs normals of all frames. The range is that of unit vectors, as shaders of other tools expect. */
export function packNormalTexture(
  clips: readonly Clip[],
  frameRates: readonly number[],
  normals: readonly Float32Array[],
): VertexTexture {
  const stride = clips[0].mesh.positions.length;
  return pack(clips, frameRates, (n, k, i, c) => normals[n][k * stride + 3 * i + c], [-1, 1]);
}

/** The frames that shaders read from a vertex texture. */
export function decodeVertexTexture(texture: VertexTexture, clips: readonly Clip[]): Clip[] {
  const { width, rowsPerFrame, vertexCount, texels, min, max } = texture;
  const rest = clips[0].mesh.positions;
  return clips.map((clip, n) => {
    const positions = new Float32Array(clip.positions.length);
    for (let k = 0; k < clip.times.length; k++)
      for (let i = 0; i < vertexCount; i++) {
        const texel = 4 * ((texture.clips[n].start + k) * rowsPerFrame * width + i);
        for (let c = 0; c < 3; c++)
          positions[k * rest.length + 3 * i + c] =
            rest[3 * i + c] + min[c] + ((max[c] - min[c]) * texels[texel + c]) / 65535;
      }
    return { ...clip, positions };
  });
}

function pack(
  clips: readonly Clip[],
  frameRates: readonly number[],
  readValue: (n: number, k: number, i: number, c: number) => number,
  range?: readonly [number, number],
): VertexTexture {
  const vertexCount = clips[0].mesh.positions.length / 3;
  const rowsPerFrame = Math.ceil(vertexCount / MAX_TEXTURE_SIZE);
  const width = Math.ceil(vertexCount / rowsPerFrame);
  const frameCount = clips.reduce((sum, { times }) => sum + times.length, 0);
  const height = frameCount * rowsPerFrame;
  checkTextureSize(width, height);
  const values = new Float64Array(width * height * 4);
  const listed: TextureClip[] = [];
  let frame = 0;
  clips.forEach((clip, n) => {
    listed.push({ name: clip.name, start: frame, frames: clip.times.length, fps: frameRates[n] });
    for (let k = 0; k < clip.times.length; k++, frame++)
      for (let i = 0; i < vertexCount; i++)
        for (let c = 0; c < 3; c++) values[4 * (frame * rowsPerFrame * width + i) + c] = readValue(n, k, i, c);
  });
  if (range) for (let c = 0; c < 3; c++) for (let v = c; v < values.length; v += 4) values[v] = clamp(values[v], range);
  const { texels, min, max } = range ? quantizeTo(values, range) : quantizeChannels(values, 4);
  return { width, height, texels, min, max, clips: listed, vertexCount, rowsPerFrame };
}

function clamp(x: number, [low, high]: readonly [number, number]): number {
  return Math.min(high, Math.max(low, x));
}

function quantizeTo(values: Float64Array, [low, high]: readonly [number, number]) {
  const texels = Uint16Array.from(values, (x) => Math.round((65535 * (x - low)) / (high - low)));
  return { texels, min: new Float64Array(4).fill(low), max: new Float64Array(4).fill(high) };
}
