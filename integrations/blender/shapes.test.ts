// SPDX-License-Identifier: MIT
// The script of driven bones (convert --drivers blender) in Blender itself, without a display: what Blender evaluates is compared with the run-time on the CPU.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { TransformKind } from '../../src/core/kernels/bones/bone-sweep.ts';
import type { Asset } from '../../src/core/model/asset.ts';
import { makeShapeDriven } from '../../src/deformers/shape-drivers/make-shape-driven.ts';
import { writeBlenderShapes } from '../../src/deformers/shape-drivers/write-blender-shapes.ts';
import { convertShapes } from '../../src/jobs/convert/convert-shapes.ts';
import { writeDrivenShapes } from '../../src/jobs/convert/write-driven-shapes.ts';
import { makeFace } from '../../src/samples/make-face.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const hasBlender =
  spawnSync('blender', ['--background', '--python-exit-code', '1', '--python-expr', 'import numpy']).status === 0;
const KINDS: TransformKind[] = ['affine', 'similarity', 'rigid'];

describe.skipIf(!hasBlender)(
  'the Blender script of a face (needs blender with numpy on the path)',
  { timeout: 240_000 },
  () => {
    const temporary = mkdtempSync(join(tmpdir(), 'ossify-blender-shapes-'));
    afterAll(() => rmSync(temporary, { recursive: true, force: true }));

    /** A converted face, its script, and positions at three sets of weights. */
    async function writeCase(transforms: TransformKind): Promise<void> {
      const { mesh, morphs, track } = makeFace(12);
      const none = new Float64Array(0);
      const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
      const bare = { name: 'face', nodes, animations: [], clips: [], up: 'y', byteLength: 0 } as const;
      const asset: Asset = { ...bare, animations: [], clips: [], mesh, morphs };
      const { model } = await convertShapes(asset, { bones: 8, threads: 1, transforms });
      const driven = makeShapeDriven(model);
      const { shapes } = model.drivers;
      const sets = [
        { jawOpen: 1 },
        { jawOpen: 0.5, mouthSmileLeft: 0.8, browInnerUp: 1 },
        { jawOpen: 0, eyeBlinkLeft: 0.6 },
      ];
      const held: Record<string, number> = {};
      const poses = sets.map((weights) => {
        Object.assign(held, weights);
        const positions = new Float32Array(mesh.positions.length);
        driven.deformInto({ bones: none, morphs: Float32Array.from(shapes, (name) => held[name] ?? 0) }, positions);
        return { weights, positions: [...positions] };
      });
      writeFileSync(join(temporary, `${transforms}.glb`), await writeDrivenShapes(asset, model, [track]));
      writeFileSync(join(temporary, `${transforms}.blender.py`), writeBlenderShapes(model, `${transforms}.glb`));
      writeFileSync(
        join(temporary, `${transforms}.json`),
        JSON.stringify({ shapes, rest: [...mesh.positions], poses }),
      );
    }

    it('poses the bones as the run-time on the CPU does', async () => {
      for (const kind of KINDS) await writeCase(kind);
      const line = ['-b', '--factory-startup', '--python-exit-code', '7', '--python', join(FOLDER, 'test_shapes.py')];
      const { status, stdout, stderr } = spawnSync('blender', [...line, '--', temporary, ...KINDS], {
        encoding: 'utf8',
      });
      expect(status, stdout.slice(-3000) + stderr.slice(-3000)).toBe(0);
      const cases = stdout.split('\n').filter((text) => text.startsWith('CASE '));
      expect(cases.length).toBe(KINDS.length);
      for (const text of cases) {
        const { name, off, motion, shapes } = JSON.parse(text.slice(5));
        expect(shapes, name).toBe(15);
        // a head of 0.25 m
        expect(motion, name).toBeGreaterThan(0.01);
        expect(off, name).toBeLessThan(2e-5);
      }
    });
  },
);
