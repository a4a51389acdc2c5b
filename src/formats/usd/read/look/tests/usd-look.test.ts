// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listScene, type Scene } from '../../../../gltf/index.ts';
import { readUsd } from '../../../read-usd.ts';
import { PNG } from '../../../write/tests/make-test-scene.ts';

const texture = (name: string, file: string, more = ''): string => `
  def Shader "${name}" {
    uniform token info:id = "UsdUVTexture"
    asset inputs:file = @${file}@
    float2 inputs:st.connect = </Look/uvs.outputs:result>
    ${more}
    token outputs:rgb
  }`;

/** Reads a quad with a material whose surface has these inputs, beside these files. */
async function readLook(
  inputs: string,
  shaders: string,
  files: readonly string[],
  notes: string[] = [],
): Promise<Scene> {
  const text = `#usda 1.0 (metersPerUnit = 1)
  def Material "Look" (displayName = "A look") {
    token outputs:surface.connect = </Look/graph.outputs:surface>
    def NodeGraph "graph" {
      token outputs:surface.connect = </Look/graph/surface.outputs:surface>
      def Shader "surface" {
        uniform token info:id = "UsdPreviewSurface"
        ${inputs}
        token outputs:surface
      }
    }
    def Shader "uvs" {
      uniform token info:id = "UsdPrimvarReader_float2"
      string inputs:varname.connect = </Look.inputs:frame:uvs>
      float2 outputs:result
    }
    token inputs:frame:uvs = "lightmap"
    ${shaders}
  }
  def Mesh "M" {
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    texCoord2f[] primvars:lightmap = [(0, 0), (0.5, 0), (0.5, 0.5), (0, 0.5)] (interpolation = "vertex")
    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
    rel material:binding = </Look>
  }`;
  const asset = await readUsd(new TextEncoder().encode(text), {
    resolve: async (path) => {
      if (!files.includes(path)) throw new Error(path);
      return PNG;
    },
    log: (note) => notes.push(note),
  });
  if (!asset.source) throw new Error('no source');
  return listScene(asset.source);
}

describe('materials of other programs', () => {
  it('are found through node graphs, with images beside the file and the set of UVs that they name', async () => {
    const { look, shapes } = await readLook(
      'color3f inputs:diffuseColor.connect = </Look/color.outputs:rgb>\n float inputs:roughness = 0.25',
      texture('color', './maps/color.png', 'token inputs:wrapS = "clamp"\n float4 inputs:scale = (1, 0.5, 0.25, 1)'),
      ['maps/color.png'],
    );
    expect(look.materials).toMatchObject([
      { name: 'A look', roughness: 0.25, color: [1, 0.5, 0.25, 1], alpha: 'opaque' },
    ]);
    // st is the first set
    expect(look.materials[0].colorMap).toMatchObject({ uv: 1, wrap: ['clamp', 'repeat'] });
    expect(look.images.map(({ bytes, name }) => [bytes, name])).toEqual([[PNG, 'color.png']]);
    expect(shapes[0].mesh.attributes.map(({ name }) => name)).toEqual(['TEXCOORD_0', 'TEXCOORD_1']);
  });

  it('lose maps that are missing, outside, or that glTF cannot hold, with a note each', async () => {
    const notes: string[] = [];
    const { look } = await readLook(
      `color3f inputs:diffuseColor.connect = </Look/color.outputs:rgb>
       color3f inputs:emissiveColor.connect = </Look/light.outputs:rgb>
       float inputs:metallic.connect = </Look/metal.outputs:r>
       float inputs:roughness.connect = </Look/rough.outputs:r>`,
      texture('color', '../secret.png') +
        texture('light', 'gone.png') +
        texture('metal', 'a.png') +
        texture('rough', 'b.png'),
      ['a.png', 'b.png', '../secret.png'],
      notes,
    );
    expect(look.materials).toMatchObject([{ metallic: 0, roughness: 1 }]);
    expect(look.materials[0].metallicRoughnessMap).toBeDefined();
    expect(notes).toEqual([
      'the image "../secret.png" is outside of the folder of the stage; it is left out',
      'the image "gone.png" is missing; it is left out',
      'material "Look" has separate maps of metal and roughness; the one of metal is left out',
    ]);
  });

  it('are masked by a threshold, or blended by their opacity', async () => {
    const connect = `color3f inputs:diffuseColor.connect = </Look/color.outputs:rgb>
      float inputs:opacity.connect = </Look/color.outputs:a>`;
    const color = texture('color', 'a.png', 'token outputs:a');
    const masked = await readLook(`${connect}\n float inputs:opacityThreshold = 0.75`, color, ['a.png']);
    expect(masked.look.materials).toMatchObject([{ alpha: 'mask', cutoff: 0.75 }]);
    const blended = await readLook('float inputs:opacity = 0.5', '', []);
    expect(blended.look.materials).toMatchObject([{ alpha: 'blend', color: [0.18, 0.18, 0.18, 0.5] }]);
  });
});
