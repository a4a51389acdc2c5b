// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { determinant3 } from '../../core/math/mat4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { listConnectedParts } from '../../core/mesh/topology/connected-parts.ts';
import { pointTriangles, weldVertices } from '../../core/mesh/topology/weld.ts';
import { checkClip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import { checkMesh, type Mesh } from '../../core/model/mesh/mesh.ts';
import { checkSkeleton } from '../../core/model/skin/skeleton.ts';
import { checkSkin, maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/make-linear-blend.ts';
import { CAGE_PREFIX, makeSample, RIG_PREFIX, SAMPLES, type Sample } from '../make-sample.ts';

const made = new Map<string, Sample>();
/** Each sample once, small. */
function sampleOf(name: string): Sample {
  let sample = made.get(name);
  if (!sample) {
    sample = makeSample(name, { resolution: 2000, frames: 24 });
    made.set(name, sample);
  }
  return sample;
}

/** Directed edges that do not occur exactly once with their reverse, on the welded surface. */
function countOpenEdges(mesh: Mesh): number {
  const triangles = pointTriangles(mesh.triangles, weldVertices(mesh.positions));
  const counts = new Map<string, number>();
  for (let c = 0; c < triangles.length; c++) {
    const key = `${triangles[c]} ${triangles[c % 3 === 2 ? c - 2 : c + 1]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let open = 0;
  for (const [key, count] of counts) {
    if (count !== 1 || counts.get(key.split(' ').reverse().join(' ')) !== 1) open++;
  }
  return open;
}

function volumeOf({ positions: p, triangles }: Mesh): number {
  let volume = 0;
  for (let c = 0; c < triangles.length; c += 3) {
    const [a, b, d] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
    volume +=
      (p[a] * (p[b + 1] * p[d + 2] - p[b + 2] * p[d + 1]) +
        p[a + 1] * (p[b + 2] * p[d] - p[b] * p[d + 2]) +
        p[a + 2] * (p[b] * p[d + 1] - p[b + 1] * p[d])) /
      6;
  }
  return volume;
}

function isSame(a: ArrayBufferView | undefined, b: ArrayBufferView | undefined): boolean {
  if (!a || !b) return a === b;
  const bytes = (view: ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  return bytes(a).equals(bytes(b));
}

/** Rigs and cages have tests of their own: make-rig-sample.test.ts, deformers/rig-sources/tests/make-cage-deformer.test.ts. */
const names = SAMPLES.map(({ name }) => name).filter(
  (name) => !name.startsWith(RIG_PREFIX) && !name.startsWith(CAGE_PREFIX),
);

describe('every sample', () => {
  it.each(names)('%s is a sound clip with a description and as many frames as asked', (name) => {
    const sample = sampleOf(name);
    checkMesh(sample.clip.mesh);
    checkClip(sample.clip);
    expect(sample.name).toBe(name);
    expect(sample.description.length).toBeGreaterThan(10);
    expect(frameCountOf(sample.clip)).toBe(24);
    const covered = sample.clip.mesh.parts.reduce((sum, part) => sum + part.vertexCount, 0);
    expect(covered * 3).toBe(sample.clip.mesh.positions.length);
  });

  it.each(names)('%s moves, and its last frame leads back to the first', (name) => {
    const { clip } = sampleOf(name);
    const distance = (a: Float32Array, b: Float32Array): number => {
      let most = 0;
      for (let c = 0; c < a.length; c++) most = Math.max(most, Math.abs(a[c] - b[c]));
      return most;
    };
    let largestStep = 0,
      travel = 0;
    for (let k = 1; k < 24; k++) {
      largestStep = Math.max(largestStep, distance(frameOf(clip, k - 1), frameOf(clip, k)));
      travel = Math.max(travel, distance(frameOf(clip, 0), frameOf(clip, k)));
    }
    expect(travel).toBeGreaterThan(0.05);
    expect(distance(frameOf(clip, 23), frameOf(clip, 0))).toBeLessThan(1.5 * largestStep);
  });

  it.each(names)('%s has unit normals that point out of its triangles', (name) => {
    const { mesh } = sampleOf(name).clip;
    const { positions: p, triangles, normals } = mesh;
    expect(normals).toBeDefined();
    let worst = 0;
    for (let c = 0; c < normals!.length; c += 3) {
      worst = Math.max(worst, Math.abs(Math.hypot(normals![c], normals![c + 1], normals![c + 2]) - 1));
    }
    expect(worst).toBeLessThan(1e-5);
    let against = 0;
    for (let c = 0; c < triangles.length; c += 3) {
      const [a, b, d] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
      const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]],
        v = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]];
      const face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      if (face[0] * normals![a] + face[1] * normals![a + 1] + face[2] * normals![a + 2] < 0) against++;
    }
    expect(against).toBe(0);
  });

  it.each(names)('%s comes near the number of vertices asked for, more when asked for more', (name) => {
    const more = makeSample(name, { resolution: 4000, frames: 1 }).clip.mesh.positions.length / 3;
    const few = sampleOf(name).clip.mesh.positions.length / 3;
    expect(more).toBeGreaterThan(few);
    expect(Math.abs(more / 4000 - 1)).toBeLessThan(0.1);
  });

  it.each(names)('%s is the same bytes every time', (name) => {
    const again = makeSample(name, { resolution: 2000, frames: 24 });
    const first = sampleOf(name);
    expect(isSame(again.clip.positions, first.clip.positions)).toBe(true);
    expect(isSame(again.clip.mesh.positions, first.clip.mesh.positions)).toBe(true);
    expect(isSame(again.clip.mesh.triangles, first.clip.mesh.triangles)).toBe(true);
    expect(isSame(again.skin?.weights, first.skin?.weights)).toBe(true);
    expect(isSame(again.motion?.matrices, first.motion?.matrices)).toBe(true);
  });
});

describe('closed samples', () => {
  it.each(['bar-bend', 'bar-twist', 'tube-swell', 'creature', 'quadruped'])(
    '%s is one closed surface without handles, its inside in',
    (name) => {
      const { mesh } = sampleOf(name).clip;
      expect(countOpenEdges(mesh)).toBe(0);
      expect(listConnectedParts(mesh).length).toBe(1);
      expect(volumeOf(mesh)).toBeGreaterThan(0);
      // Euler: V − E + F = 2, with E = 3F/2.
      expect(mesh.positions.length / 3 - mesh.triangles.length / 6).toBe(2);
    },
  );

  it('parts are closed once welded, many, and have seams', () => {
    const { mesh } = sampleOf('parts').clip;
    expect(countOpenEdges(mesh)).toBe(0);
    expect(listConnectedParts(mesh).length).toBe(mesh.parts.length);
    expect(weldVertices(mesh.positions).pointCount).toBeLessThan(mesh.positions.length / 3);
    expect(new Set(mesh.parts.map((part) => part.material)).size).toBeGreaterThan(3);
    expect(mesh.attributes.map((attribute) => attribute.name)).toEqual(['TEXCOORD_0', 'COLOR_0']);
  });

  it('sheet is open, with UVs over the whole texture', () => {
    const { mesh } = sampleOf('sheet').clip;
    expect(countOpenEdges(mesh)).toBeGreaterThan(0);
    const uvs = mesh.attributes[0].values;
    expect([Math.min(...uvs), Math.max(...uvs)]).toEqual([0, 1]);
  });
});

describe('the truth of a sample', () => {
  const withTruth = ['bar-bend', 'creature', 'quadruped', 'parts'];

  it.each(withTruth)('%s has valid weights and rigid bones', (name) => {
    const { skeleton, skin, motion } = sampleOf(name);
    checkSkeleton(skeleton!);
    checkSkin(skin!, skeleton!.names.length);
    expect(new Set(skeleton!.names).size).toBe(skeleton!.names.length);
    expect(maxInfluencesOf(skin!)).toBeLessThanOrEqual(4);
    let worst = 0;
    for (let o = 0; o < motion!.matrices.length; o += 16) {
      worst = Math.max(worst, Math.abs(determinant3(motion!.matrices, o) - 1));
    }
    expect(worst).toBeLessThan(1e-9);
  });

  it.each(withTruth)('%s is linear blend of its truth, exactly or but for its soft tissue', (name) => {
    const { clip, skeleton, skin, motion, isExact } = sampleOf(name);
    const deformer = makeLinearBlend(clip.mesh, skin!, skeleton!.names.length);
    const out = new Float32Array(clip.mesh.positions.length);
    const size = measureBounds(clip.mesh.positions).diagonal;
    let worst = 0;
    for (let k = 0; k < frameCountOf(clip); k++) {
      deformer.deformInto({ bones: poseOf(motion!, k) }, out);
      const frame = frameOf(clip, k);
      for (let c = 0; c < out.length; c++) worst = Math.max(worst, Math.abs(out[c] - frame[c]));
    }
    if (isExact) {
      expect(worst).toBeLessThan(1e-5 * size);
    } else {
      expect(worst).toBeGreaterThan(0.003 * size);
      expect(worst).toBeLessThan(0.03 * size);
    }
  });

  it('creature turns its joints up to 60 degrees', () => {
    const { skeleton, motion } = sampleOf('creature');
    let most = 0;
    for (let k = 0; k < 24; k++) {
      const bones = poseOf(motion!, k);
      for (let j = 0; j < skeleton!.names.length; j++) {
        const p = skeleton!.parents[j];
        if (p < 0) continue;
        // trace(Rpᵀ R) = 1 + 2 cos(angle)
        let trace = 0;
        for (const c of [0, 1, 2, 4, 5, 6, 8, 9, 10]) trace += bones[p * 16 + c] * bones[j * 16 + c];
        most = Math.max(most, (Math.acos(Math.min(1, (trace - 1) / 2)) * 180) / Math.PI);
      }
    }
    expect(most).toBeGreaterThan(40);
    expect(most).toBeLessThan(60.001);
  });

  it('creature is another one for another seed', () => {
    const other = makeSample('creature', { resolution: 2000, frames: 24, seed: 1 });
    expect(isSame(other.clip.mesh.positions, sampleOf('creature').clip.mesh.positions)).toBe(false);
    expect(other.skeleton).not.toEqual(sampleOf('creature').skeleton);
  });

  it('creature is closed for many seeds, also coarse', () => {
    for (let seed = 2; seed < 8; seed++) {
      const { clip, skin, skeleton } = makeSample('creature', { resolution: 600, frames: 1, seed });
      expect(countOpenEdges(clip.mesh)).toBe(0);
      checkSkin(skin!, skeleton!.names.length);
    }
  });
});

describe('asking for a sample', () => {
  it('rejects invalid options', () => {
    expect(() => makeSample('unicorn')).toThrow('there is no sample named "unicorn"; choose one of bar-bend');
    expect(() => makeSample('sheet', { resolution: 3 })).toThrow('resolution must be from 100');
    expect(() => makeSample('sheet', { resolution: 500_000, frames: 100_000 })).toThrow('take more than 2 GiB');
    expect(() => makeSample('sheet', { frames: 0 })).toThrow('frames must be a whole number of at least 1, got 0');
    expect(() => makeSample('creature', { seed: 0.5 })).toThrow('seed must be a whole number');
  });

  it('gives one frame when one is asked for', () => {
    expect(frameCountOf(makeSample('bar-twist', { frames: 1, resolution: 100 }).clip)).toBe(1);
  });
});

describe('the code of samples', () => {
  it('takes no sine, cosine or odd power of the engine, whose last bits differ between engines', () => {
    const folder = new URL('..', import.meta.url);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of names.filter((name) => /(?<!\.test)\.ts$/.test(name)))
      expect(readFileSync(new URL(file, folder), 'utf8'), file).not.toMatch(
        /Math\.(a?sin|a?cos|a?tan2?|pow)\b|(?<!\b2) \*\* (?!2\b)/,
      );
  });
});
