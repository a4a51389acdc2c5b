// SPDX-License-Identifier: MIT
// Materials of the herd: the colour and the colour map of each part.
import type { LookView, MeshView } from '../messages/views.ts';
import type { TextureStore } from '../viewport/textures/texture-store.ts';

/** Triangles that are drawn with one bind group. */
export interface HerdPart {
  /** First index and number of indices. */
  first: number;
  count: number;
  bindings: GPUBindGroup;
}

const BARE = { color: [1, 1, 1, 1] as const, colorMap: undefined };

/** Uploads the materials of a mesh. Without any, all triangles are one part, in the colours of the herd. */
export async function makeHerdParts(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  { look, triangles }: MeshView,
  textures: TextureStore | undefined,
): Promise<HerdPart[]> {
  const shown = textures ? look : undefined;
  const materials = [...(shown?.materials ?? []), BARE];
  const sampler = device.createSampler({
    ...{ magFilter: 'linear', minFilter: 'linear', addressModeU: 'repeat', addressModeV: 'repeat' },
  });
  const groups: GPUBindGroup[] = [];
  for (const { color, colorMap } of materials) {
    const hasMap = shown !== undefined && colorMap !== undefined && shown.uvs.length > 0;
    const bitmap = hasMap ? await textures!.bitmap(shown.images[colorMap.image]) : undefined;
    const uniform = device.createBuffer({ size: 32, usage: 0x40 | 0x8 });
    device.queue.writeBuffer(uniform, 0, Float32Array.of(...color, shown ? 1 : 0, bitmap ? 1 : 0, 0, 0));
    const view = makeTexture(device, bitmap).createView();
    const resources = [{ buffer: uniform }, view, sampler];
    groups.push(
      device.createBindGroup({ layout, entries: resources.map((resource, binding) => ({ binding, resource })) }),
    );
  }
  const bare = materials.length - 1;
  if (!shown) return [{ first: 0, count: triangles.length, bindings: groups[bare] }];
  return shown.parts.map(({ triangleStart, triangleCount, material }) => ({
    first: 3 * triangleStart,
    count: 3 * triangleCount,
    bindings: groups[material < 0 ? bare : material],
  }));
}

/** UVs of the first set, or one pair if there are none. */
export function makeUvBuffer(device: GPUDevice, look: LookView | undefined): GPUBuffer {
  const uvs = (look?.uvs[0] ?? new Float32Array(2)) as Float32Array<ArrayBuffer>;
  const buffer = device.createBuffer({ size: uvs.byteLength, usage: 0x80 | 0x8 });
  device.queue.writeBuffer(buffer, 0, uvs);
  return buffer;
}

function makeTexture(device: GPUDevice, bitmap: ImageBitmap | undefined): GPUTexture {
  const size = bitmap ? [bitmap.width, bitmap.height] : [1, 1];
  const texture = device.createTexture({ size, format: 'rgba8unorm-srgb', usage: 0x4 | 0x2 | 0x10 });
  if (bitmap) device.queue.copyExternalImageToTexture({ source: bitmap }, { texture }, size);
  return texture;
}
