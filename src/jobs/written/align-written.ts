// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import { restoreAxes } from '../../core/model/mesh/normalize-axes.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { matchWritten } from './match-written.ts';

/**
 * A file that was read back, with the vertices of the model that was written, in the units and axes of that model: what measures a GLB measures it too. Undefined if
 * its surface at rest is another.
 * @param written as its reader returns it
 * @param model the GLB that the file was made of
 */
export function alignWritten(written: Asset, model: Asset): Asset | undefined {
  const placed = restoreAxes(written, model);
  const match = matchWritten(model.mesh, placed.mesh);
  if (!match) return undefined;
  const { rig, morphs } = placed;
  const positions = gather(placed.mesh.positions, match, 3);
  const mesh = { ...model.mesh, positions, ...gatherNormals(placed, match) };
  return {
    ...placed,
    mesh,
    ...(rig ? { rig: { ...rig, skin: gatherSkin(rig.skin, match) } } : {}),
    ...(morphs ? { morphs: gatherMorphs(morphs, match) } : {}),
    clips: placed.clips.map((clip) => gatherClip(clip, mesh, match)),
  };
}

function gather(values: Float32Array, match: Uint32Array, size: number): Float32Array {
  const out = new Float32Array(size * match.length);
  for (let i = 0; i < match.length; i++) for (let c = 0; c < size; c++) out[size * i + c] = values[size * match[i] + c];
  return out;
}

function gatherNormals({ mesh: { normals } }: Asset, match: Uint32Array): { normals?: Float32Array } {
  return { normals: normals && gather(normals, match, 3) };
}

function gatherSkin({ rowStart, boneIndices, weights }: Skin, match: Uint32Array): Skin {
  const out = new Uint32Array(match.length + 1);
  for (let i = 0; i < match.length; i++) out[i + 1] = out[i] + rowStart[match[i] + 1] - rowStart[match[i]];
  const skin = {
    rowStart: out,
    boneIndices: new Uint32Array(out[match.length]),
    weights: new Float32Array(out[match.length]),
  };
  for (let i = 0; i < match.length; i++) {
    const [from, to] = [rowStart[match[i]], rowStart[match[i] + 1]];
    skin.boneIndices.set(boneIndices.subarray(from, to), out[i]);
    skin.weights.set(weights.subarray(from, to), out[i]);
  }
  return skin;
}

/** Targets of all vertices: a run of vertices of the file is no run of the model. */
function gatherMorphs({ targets, restWeights }: Morphs, match: Uint32Array): Morphs {
  return {
    restWeights,
    targets: targets.map((target) => {
      const { vertexStart, vertexCount } = target;
      const place = Int32Array.from(match, (vertex) => vertex - vertexStart);
      const spread = (values: Float32Array): Float32Array => {
        const out = new Float32Array(3 * match.length);
        for (let i = 0; i < match.length; i++)
          if (place[i] >= 0 && place[i] < vertexCount) out.set(values.subarray(3 * place[i], 3 * place[i] + 3), 3 * i);
        return out;
      };
      return {
        ...target,
        ...{ vertexStart: 0, vertexCount: match.length, positions: spread(target.positions) },
        ...(target.normals ? { normals: spread(target.normals) } : {}),
      };
    }),
  };
}

function gatherClip(clip: Clip, mesh: Asset['mesh'], match: Uint32Array): Clip {
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(clip.times.length * 3 * match.length);
  for (let k = 0; k < clip.times.length; k++)
    positions.set(gather(clip.positions.subarray(k * stride, (k + 1) * stride), match, 3), 3 * k * match.length);
  return { ...clip, mesh, positions };
}
