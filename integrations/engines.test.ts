// SPDX-License-Identifier: MIT
// Sources for Unity, Unreal and Godot 4, compiled where a compiler is installed. They were not run in these engines.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'ossify-engines-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const run = (program: string, ...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
};

describe.skipIf(!has('mcs'))('C# for Unity (needs mcs on the path)', () => {
  it('compiles against the used parts of UnityEngine', () => {
    const files = ['OssifyBoneTexture.cs', 'OssifyHelperBones.cs', 'OssifyTwoLayer.cs', 'UnityStubs.cs'].map((name) =>
      join(FOLDER, 'unity', name),
    );
    run(
      'mcs',
      '-target:library',
      '-warn:2',
      '-warnaserror',
      '-nowarn:649',
      `-out:${join(temporary, 'ossify.dll')}`,
      ...files,
    );
  });
});

describe.skipIf(!has('glslangValidator'))('shaders of Godot 4 (need glslangValidator on the path)', () => {
  /** Built-in variables of a spatial shader, as plain GLSL. */
  const BUILT_IN = 'vec3 VERTEX, NORMAL, ALBEDO; vec2 UV, UV2; vec4 CUSTOM0, CUSTOM1, CUSTOM2, CUSTOM3;';

  it.each(['bone_texture', 'two_layer'])('%s.gdshader compiles as GLSL', (name) => {
    const text = readFileSync(join(FOLDER, `godot/${name}.gdshader`), 'utf8');
    // hints of uniforms and the type of the shader are Godot's own
    const plain = text.replace(/^shader_type .*$/m, BUILT_IN).replaceAll(/^(uniform sampler2D \w+) :.*$/gm, '$1;');
    const path = join(temporary, `${name}.vert`);
    const body = 'void main() { vertex(); fragment(); gl_Position = vec4(VERTEX + NORMAL + ALBEDO, 1.0); }';
    writeFileSync(path, `#version 450\n${plain}\n${body}`);
    run('glslangValidator', '-S', 'vert', path);
  });
});

describe.skipIf(!has('glslangValidator'))('HLSL (needs glslangValidator on the path)', () => {
  const compile = (name: string, text: string) => {
    const path = join(temporary, name);
    writeFileSync(path, text);
    run(
      'glslangValidator',
      '-D',
      '-V',
      '-S',
      'vert',
      '-e',
      'main',
      `-I${join(FOLDER, 'unity')}`,
      path,
      '-o',
      `${path}.spv`,
    );
  };

  it('compiles for Unity', () => {
    compile(
      'unity.hlsl',
      `#include "OssifyBoneTexture.hlsl"
struct Output { float4 position : SV_POSITION; float3 normal : NORMAL; };
Output main(float3 v : POSITION, float3 n : NORMAL, float4 indices : TEXCOORD1, float4 weights : TEXCOORD2) {
  OssifyMatrix m = OssifyBlend(indices, weights);
  Output o;
  o.position = float4(OssifyPosition(m, v), 1);
  o.normal = OssifyNormal(m, n);
  return o;
}`,
    );
  });

  it.each(['VirtualBones', 'Skin'])('compiles the kernel %s of two layers', (kernel) => {
    const path = join(temporary, `${kernel}.hlsl`);
    const text = readFileSync(join(FOLDER, 'unity/OssifyTwoLayer.compute'), 'utf8');
    writeFileSync(path, text.replaceAll(/^#pragma kernel.*$/gm, ''));
    run('glslangValidator', '-D', '-V', '-S', 'comp', '-e', kernel, path, '-o', `${path}.spv`);
  });

  it('compiles as the body of a Custom node of Unreal', () => {
    const text = readFileSync(join(FOLDER, 'unreal/OssifyBoneTexture.ush'), 'utf8');
    const body = text.indexOf('OssifyFunctions F;');
    compile(
      'unreal.hlsl',
      `Texture2D BoneTexture; float4 Rows; float3 Mix; float3 Center; float Texels;
${text.slice(0, body)}
float3 Body(float4 Indices, float4 Weights, float3 Rest) {
${text.slice(body)}
}
float4 main(float3 v : POSITION, float4 i : TEXCOORD1, float4 w : TEXCOORD2) : SV_POSITION { return float4(Body(i, w, v), 1); }`,
    );
  });
});
