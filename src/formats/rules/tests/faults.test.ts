// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { bakeAt } from '../../../deformers/playback/index.ts';
import { readAsset } from '../../assets/index.ts';
import { writeGlb } from '../../gltf/index.ts';
import { TARGETS } from '../../targets/index.ts';
import { checkFile } from '../check-file.ts';
import type { Finding } from '../finding.ts';
import { fixAsset } from '../fix-asset.ts';
import type { ReaderRemark } from '../list-reader-findings.ts';
import { SCENE_FAULTS, type SeededFault } from './faults.ts';
import { makeCharacter } from './make-character.ts';
import { MORE_FAULTS } from './more-faults.ts';
import { toGlb } from './spoil.ts';

const FAULTS = [...SCENE_FAULTS, ...MORE_FAULTS];

interface Read {
  asset?: Asset;
  unreadable?: string;
  remarks: ReaderRemark[];
}

async function read(bytes: Uint8Array): Promise<Read> {
  const remarks: ReaderRemark[] = [];
  try {
    const asset = await readAsset([{ name: 'character.glb', bytes }], {
      log: (text, kind, facts) => remarks.push({ text, kind, facts }),
      resolve: async (uri) => {
        throw new Error(`${uri} is not there`);
      },
    });
    return { asset, remarks };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { unreadable: error.fault, remarks };
  }
}

function list(
  bytes: Uint8Array,
  own: Read,
  { target, extension = '.glb' }: Partial<SeededFault> = {},
): Promise<Finding[]> {
  return checkFile({ ...own, name: `character${extension}`, bytes, target: target && TARGETS[target] });
}

/** The corners of all triangles, or all vertices, at several times of every animation, frame by frame. */
function play(
  asset: Asset,
  { shift, byVertex }: { shift: number; byVertex: boolean },
  moments: readonly (readonly number[])[],
): Float32Array[] {
  const { triangles, positions } = asset.mesh;
  const stride = positions.length;
  return moments.flatMap((times, a) => {
    const clip = bakeAt(
      asset,
      asset.animations[a],
      Float64Array.from(times, (time) => time + shift),
    );
    return times.map((_, k) => {
      const own = clip.positions.subarray(k * stride, (k + 1) * stride);
      if (byVertex) return own;
      const out = new Float32Array(3 * triangles.length);
      triangles.forEach((vertex, c) => {
        out.set(own.subarray(3 * vertex, 3 * vertex + 3), 3 * c);
      });
      return out;
    });
  });
}

/** Largest distance of a corner that both have, relative to the size. */
function measure(before: Asset, after: Asset, { shift = 0, scale = 1, turn = 0 }: Partial<SeededFault>): number {
  const { diagonal } = measureBounds(after.mesh.positions);
  const moments = after.animations.map(({ duration }) => [0, 0.2, 0.5, 0.77, 1].map((t) => t * duration));
  // a mirrored mesh has other corners, and one without unused vertices has fewer vertices
  const byVertex = before.mesh.positions.length === after.mesh.positions.length;
  const [a, b] = [play(before, { shift, byVertex }, moments), play(after, { shift: 0, byVertex }, moments)];
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  let most = 0;
  a.forEach((frame, k) => {
    for (let o = 0; o < Math.min(frame.length, b[k].length); o += 3) {
      const [x, y, z] = frame.subarray(o, o + 3).map((v) => v * scale);
      const [u, v, w] = b[k].subarray(o, o + 3);
      const distance = Math.hypot(x - u, cos * y - sin * z - v, sin * y + cos * z - w);
      most = distance > most || Number.isNaN(distance) ? distance : most;
    }
  });
  return most / diagonal;
}

async function repair(
  fault: SeededFault,
  { asset }: Read,
  findings: readonly Finding[],
): Promise<{ error: number; left: Finding[] }> {
  if (!asset) throw new Error(`${fault.name}: it cannot be read, so nothing can be repaired`);
  const fixed = await fixAsset(asset, findings, { target: fault.target && TARGETS[fault.target] });
  const bytes = await writeGlb(fixed.asset, { kind: 'clip' });
  const written = await read(bytes);
  const good = fault.fixed === 'good' ? (await read(await toGlb(makeCharacter()))).asset : asset;
  return { error: measure(good ?? asset, written.asset ?? asset, fault), left: await list(bytes, written, fault) };
}

describe('seeded faults', () => {
  let [found, repaired] = [0, 0];

  it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    '%s is found, and repaired where it can be',
    async (_, fault) => {
      const bytes = await fault.make();
      const own = await read(bytes);
      const findings = await list(bytes, own, fault);
      const rules = findings.map(({ rule }) => rule);
      expect(
        fault.rules.some((rule) => rules.includes(rule)),
        `${fault.rules} in ${rules}`,
      ).toBe(true);
      found++;
      if (!fault.fixed) return;
      expect(findings.filter(({ rule }) => fault.rules.includes(rule)).map(({ canFix }) => canFix)).not.toContain(
        false,
      );
      const { error, left } = await repair(fault, own, findings);
      expect(error).toBeLessThan(1e-5);
      expect(left.filter(({ rule }) => fault.rules.includes(rule))).toEqual([]);
      expect(left.filter(({ severity }) => severity === 'error')).toEqual([]);
      repaired++;
    },
  );

  it('are found and repaired in the numbers that the guide states', () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(50);
    expect(found).toBe(FAULTS.length);
    expect(repaired).toBeGreaterThanOrEqual(40);
  });
});

describe('the good character', () => {
  it('has no error, no warning and no note', async () => {
    const bytes = await toGlb(makeCharacter());
    expect(await list(bytes, await read(bytes))).toEqual([]);
  });

  it('is not changed by a repair', async () => {
    const { asset } = await read(await toGlb(makeCharacter()));
    if (!asset) throw new Error('it was read');
    const fixed = await fixAsset(asset, []);
    expect(fixed.asset).toBe(asset);
    expect(fixed.fixed).toEqual([]);
  });
});
