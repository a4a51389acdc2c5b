// SPDX-License-Identifier: MIT
// The helper bones of the Unity component, run by Mono without Unity, compared with the CPU.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { invertAffine, multiply } from '../src/core/math/mat4.ts';
import { orthonormalizeInto } from '../src/core/math/orthonormalize.ts';
import { quaternionFromMatrix } from '../src/core/math/quaternion.ts';
import { LOCAL_SIZE } from '../src/core/model/skin/rest-local.ts';
import type { Skeleton } from '../src/core/model/skin/skeleton.ts';
import type { ControllersFile, NamedController } from '../src/deformers/helper-bones/list-controllers.ts';
import { makeHelperControllers } from '../src/deformers/helper-bones/make-helper-bones.ts';
import { sampleAnimation } from '../src/deformers/playback/sample-animation.ts';
import { readAsset } from '../src/formats/assets/read-asset.ts';
import { captureCli } from '../src/hosts/cli/capture-cli.ts';

const UNITY = fileURLToPath(new URL('unity/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ossify-mono-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

const floats = (values: Iterable<number>) => `new float[] { ${[...values].map((x) => `${x}f`).join(', ')} }`;
const optional = (name: string, values?: readonly number[]) => (values ? `, ${name} = ${floats(values)}` : '');

/** A controller as C#: Mono has no JsonUtility. */
function writeHelper({ translation, rotation, scale, inputs, terms }: NamedController): string {
  const inputList = inputs.map(
    ({ rest, reach }) => `new OssifyHelperBones.Input { rest = ${floats(rest)}, reach = ${reach}f }`,
  );
  const termList = terms.map(
    (term) =>
      `new OssifyHelperBones.Term { input = ${term.input}, powers = new int[] { ${term.powers.join(', ')} }` +
      `${optional('translation', term.translation)}${optional('rotation', term.rotation)}${optional('scale', term.scale)} }`,
  );
  return `new OssifyHelperBones.Helper { translation = ${floats(translation)}, rotation = ${floats(rotation)}, scale = ${floats(scale)},
    inputs = new OssifyHelperBones.Input[] { ${inputList.join(', ')} }, terms = new OssifyHelperBones.Term[] { ${termList.join(',\n')} } }`;
}

/** The rotation of a joint relative to its parent, x y z w. */
function rotationOf(skeleton: Skeleton, bones: Float64Array, joint: number): Float64Array {
  const worldOf = (bone: number): Float64Array => {
    const world = new Float64Array(16);
    multiply(bones, skeleton.bindMatrices, world, 16 * bone, 16 * bone);
    orthonormalizeInto(world);
    return world;
  };
  const local = worldOf(joint);
  const parent = skeleton.parents[joint];
  if (parent >= 0) {
    const inverse = new Float64Array(16);
    invertAffine(worldOf(parent), inverse);
    multiply(inverse, local, local);
  }
  const quaternion = new Float64Array(4);
  quaternionFromMatrix(local, quaternion);
  return quaternion;
}

describe.skipIf(!has('mcs') || !has('mono'))('OssifyHelperBones.cs (needs mcs and mono on the path)', () => {
  it('places helpers as the CPU does', async () => {
    const [model, json] = [join(folder, 'model.glb'), join(folder, 'controllers.json')];
    const quick = [
      '--helpers',
      '2',
      '--samples',
      '4',
      '--poses',
      '10',
      '--iterations',
      '2',
      '--threads',
      '1',
      '--quiet',
    ];
    const made = await captureCli(['convert', 'sample:delta-mush-pole', model, '--controllers', json, ...quick]);
    expect(made.status, made.err).toBe(0);
    const { helpers, fadeFrom } = JSON.parse(readFileSync(json, 'utf8')) as ControllersFile;
    const asset = await readAsset([{ name: 'model.glb', bytes: new Uint8Array(readFileSync(model)) }]);
    const { skeleton, skin } = asset.rig!;
    const controllers = asset.helpers!;
    const times = [0, 0.3, 0.7, 1.1].map((ratio) => (ratio * asset.animations[0].duration) / 1.1);
    const { motion } = sampleAnimation(asset, asset.animations[0], times);
    const boneCount = skeleton.names.length;
    const evaluator = makeHelperControllers({ kind: 'helper-bones', mesh: asset.mesh, skeleton, skin, controllers });
    const expected: number[][] = [];
    const calls: string[] = [];
    for (const [k] of times.entries()) {
      const bones = motion.matrices.slice(k * boneCount * 16, (k + 1) * boneCount * 16);
      const locals = new Float64Array(controllers.length * LOCAL_SIZE);
      evaluator.localsInto(bones, locals);
      for (const [h, helper] of helpers.entries()) {
        const index = controllers.findIndex(({ bone }) => skeleton.names[bone] === helper.name);
        expected.push([...locals.subarray(index * LOCAL_SIZE, (index + 1) * LOCAL_SIZE)]);
        const turns = helper.inputs.map(({ joint }) => rotationOf(skeleton, bones, skeleton.names.indexOf(joint)));
        const list = turns.map((q) => `new Quaternion(${[...q].map((x) => `${x}f`).join(', ')})`);
        calls.push(`Show(helpers[${h}], new Quaternion[] { ${list.join(', ')} });`);
      }
    }
    writeFileSync(
      join(folder, 'Main.cs'),
      `using System; using System.Globalization; using UnityEngine; using Ossify;
static class Program {
  static void Show(OssifyHelperBones.Helper helper, Quaternion[] rotations) {
    Vector3 t, s; Quaternion q;
    OssifyHelperBones.Evaluate(helper, rotations, ${fadeFrom}f * Mathf.Deg2Rad, out t, out q, out s);
    var values = new float[] { t.x, t.y, t.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z };
    Console.WriteLine(string.Join(" ", Array.ConvertAll(values, x => x.ToString("R", CultureInfo.InvariantCulture))));
  }
  static void Main() {
    var helpers = new OssifyHelperBones.Helper[] { ${helpers.map(writeHelper).join(',\n')} };
    ${calls.join('\n    ')}
  }
}`,
    );
    const program = join(folder, 'helpers.exe');
    const sources = [join(UNITY, 'OssifyHelperBones.cs'), join(UNITY, 'UnityStubs.cs'), join(folder, 'Main.cs')];
    const compiled = spawnSync('mcs', ['-nowarn:649', `-out:${program}`, ...sources], { encoding: 'utf8' });
    expect(compiled.status, compiled.stdout + compiled.stderr).toBe(0);
    const { stdout, status, stderr } = spawnSync('mono', [program], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const shown = stdout.trim().split('\n');
    expect(shown).toHaveLength(expected.length);
    let [worst, moved] = [0, 0];
    shown.forEach((line, n) => {
      const values = line.split(' ').map(Number);
      // a quaternion and its negative are the same rotation
      const sign = values.slice(3, 7).reduce((sum, x, c) => sum + x * expected[n][3 + c], 0) < 0 ? -1 : 1;
      values.forEach((x, c) => {
        worst = Math.max(worst, Math.abs((c > 2 && c < 7 ? sign * x : x) - expected[n][c]));
        moved = Math.max(moved, Math.abs(expected[n][c] - expected[n % helpers.length][c]));
      });
    });
    console.log(`Mono: ${helpers.length} helpers, ${times.length} poses, difference ${worst}, moved ${moved}`);
    expect(moved).toBeGreaterThan(0.01);
    expect(worst).toBeLessThan(1e-5);
  });
});
