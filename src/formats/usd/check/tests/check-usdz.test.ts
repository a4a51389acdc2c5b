// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { packUsdz } from '../../write/pack-usdz.ts';
import { makeTestScene, PNG } from '../../write/tests/make-test-scene.ts';
import { writeUsdScene } from '../../write/write-usd-scene.ts';
import { checkUsdz } from '../check-usdz.ts';
import { readImageSize } from '../read-image-size.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A package that keeps all rules but one: its stage is text. */
const STAGE = `#usda 1.0
(
  defaultPrim = "Root"
  metersPerUnit = 1
  upAxis = "Y"
)
def SkelRoot "Root" {
  def Skeleton "Skel" {
    uniform token[] joints = ["a"]
    uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
    uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
  }
  def Mesh "Body" {
    float3[] extent = [(0, 0, 0), (1, 1, 0)]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    int[] primvars:skel:jointIndices = [0, 0, 0] (interpolation = "vertex"; elementSize = 1)
    float[] primvars:skel:jointWeights = [1, 1, 1] (interpolation = "vertex"; elementSize = 1)
  }
  def Material "Skin" {
    token outputs:surface.connect = </Root/Skin/surface.outputs:surface>
    def Shader "surface" {
      uniform token info:id = "UsdPreviewSurface"
      normal3f inputs:normal.connect = </Root/Skin/bumps.outputs:rgb>
      token outputs:surface
    }
    def Shader "bumps" {
      uniform token info:id = "UsdUVTexture"
      asset inputs:file = @textures/bumps.png@
      token inputs:sourceColorSpace = "raw"
      float4 inputs:scale = (2, 2, 2, 1)
      float4 inputs:bias = (-1, -1, -1, 0)
      float3 outputs:rgb
    }
  }
}`;

const pack = (
  stage: string,
  others: { path: string; bytes: Uint8Array }[] = [{ path: 'textures/bumps.png', bytes: PNG }],
) => packUsdz([{ path: 'hero.usda', bytes: encode(stage) }, ...others]);

const errorsOf = (bytes: Uint8Array): string[] =>
  checkUsdz(bytes)
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule);

describe('checkUsdz', () => {
  it('finds nothing in what this project writes, and warns of a stage that is text', () => {
    const { bytes } = writeUsdScene(makeTestScene(), { name: 'hero', up: 'y', form: 'usdz' });
    expect(checkUsdz(bytes)).toEqual([]);
    expect(checkUsdz(pack(STAGE)).map(({ rule, severity, place }) => [rule, severity, place])).toEqual([
      ['root-layer', 'warning', 'hero.usda'],
    ]);
  });

  it.each([
    ['default-prim', 'defaultPrim = "Root"', ''],
    ['default-prim', 'defaultPrim = "Root"', 'defaultPrim = "Other"'],
    ['up-axis', 'upAxis = "Y"', ''],
    ['unit', 'metersPerUnit = 1', ''],
    ['extent', 'float3[] extent = [(0, 0, 0), (1, 1, 0)]', ''],
    ['mesh', 'faceVertexIndices = [0, 1, 2]', 'faceVertexIndices = [0, 1, 7]'],
    ['mesh', 'faceVertexCounts = [3]', 'faceVertexCounts = [4]'],
    ['mesh', '(1, 0, 0), (0, 1, 0)]\n', '(nan, 0, 0), (0, 1, 0)]\n'],
    ['weights', '[1, 1, 1]', '[1, 0.5, 1]'],
    ['skeleton', 'SkelRoot "Root"', 'Xform "Root"'],
    ['skeleton', 'joints = ["a"]', 'joints = ["a", "a/b"]'],
    ['references', 'textures/bumps.png', 'textures/lost.png'],
    ['references', 'textures/bumps.png', '../bumps.png'],
    ['references', 'def Mesh "Body"', 'def Mesh "Body" (references = @lost.usda@)'],
    ['material', '"UsdPreviewSurface"', '"ND_standard_surface_surfaceshader"'],
    ['normal-map', 'float4 inputs:bias = (-1, -1, -1, 0)', ''],
    ['root-layer', '#usda 1.0', '#usda 1.0 ('],
  ])('finds a fault of %s', (rule, text, other) => {
    expect(STAGE).toContain(text);
    expect(errorsOf(pack(STAGE.replace(text, other)))).toContain(rule);
    expect(errorsOf(pack(STAGE))).toEqual([]);
  });

  it.each([
    ['image-types', [{ path: 'textures/bumps.png', bytes: encode('no image') }]],
    [
      'file-types',
      [
        { path: 'textures/bumps.png', bytes: PNG },
        { path: 'note.txt', bytes: encode('note') },
      ],
    ],
    [
      'names',
      [
        { path: 'textures/bumps.png', bytes: PNG },
        { path: '../up.png', bytes: PNG },
      ],
    ],
    [
      'names',
      [
        { path: 'textures/bumps.png', bytes: PNG },
        { path: 'textures/bumps.png', bytes: PNG },
      ],
    ],
  ])('finds files that break %s', (rule, others) => {
    expect(errorsOf(pack(STAGE, others))).toContain(rule);
  });

  it('finds a stage that is not first', () => {
    const bytes = packUsdz([
      { path: 'textures/bumps.png', bytes: PNG },
      { path: 'hero.usda', bytes: encode(STAGE) },
    ]);
    expect(errorsOf(bytes)).toEqual(['root-layer']);
  });

  it('finds bytes that are compressed, encrypted, misplaced or damaged', () => {
    const change = (edit: (view: DataView, directory: number) => void): string[] => {
      const bytes = pack(STAGE);
      const view = new DataView(bytes.buffer);
      edit(view, view.getUint32(bytes.length - 6, true));
      return errorsOf(bytes);
    };
    expect(change((view, at) => view.setUint16(at + 10, 8, true))).toEqual(['compression']);
    expect(change((view, at) => view.setUint16(at + 8, 1, true))).toEqual(['encryption']);
    expect(change((view) => view.setUint8(view.getUint16(28, true) + 200, 32))).toContain('package');
    // a name that is one byte longer moves the bytes
    expect(change((view) => view.setUint16(28, view.getUint16(28, true) + 1, true))).toContain('alignment');
    expect(errorsOf(pack(STAGE).subarray(0, 900))).toEqual(['package']);
    expect(errorsOf(encode('no package'))).toEqual(['package']);
  });

  it('warns of large images, many influences and z up', () => {
    const large = PNG.slice();
    new DataView(large.buffer).setUint32(16, 8192);
    const wide = STAGE.replace('upAxis = "Y"', 'upAxis = "Z"')
      .replaceAll('elementSize = 1', 'elementSize = 5')
      .replace('[1, 1, 1]', `[${Array(15).fill(0.2)}]`)
      .replace('[0, 0, 0] (', `[${Array(15).fill(0)}] (`);
    const faults = checkUsdz(pack(wide, [{ path: 'textures/bumps.png', bytes: large }]));
    expect(faults.map(({ rule, severity }) => `${rule} ${severity}`).sort()).toEqual([
      'image-size warning',
      'root-layer warning',
      'up-axis warning',
      'weights warning',
    ]);
  });
});

describe('readImageSize', () => {
  it('reads PNG and JPEG, and nothing else', () => {
    expect(readImageSize(PNG)).toEqual({ type: 'png', width: 1, height: 1 });
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 1, 0, 2, 0, 3, 0, 0, 0);
    expect(readImageSize(jpeg)).toEqual({ type: 'jpeg', width: 512, height: 256 });
    expect(readImageSize(jpeg.subarray(0, 8))).toBeUndefined();
    expect(readImageSize(encode('GIF89a'))).toBeUndefined();
  });
});
