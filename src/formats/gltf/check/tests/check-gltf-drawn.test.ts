// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { checkGltfDrawn } from '../check-gltf-drawn.ts';

/** Nodes that draw a mesh of triangles without numbers of their own. */
function makeScene(nodeCount: number, primitiveCount: number, targetCount: number) {
  const targets = Array.from({ length: targetCount }, () => ({ POSITION: 0 }));
  const primitives = Array.from({ length: primitiveCount }, () => ({ attributes: { POSITION: 0 }, targets }));
  return {
    asset: { version: '2.0' },
    nodes: Array.from({ length: nodeCount }, () => ({ mesh: 0 })),
    meshes: [{ primitives }],
    accessors: [{ bufferView: 0, componentType: 5126 as const, type: 'VEC3' as const, count: 3 }],
  };
}

describe('what a glTF draws', () => {
  it('is limited by the number of primitives and morph targets, too', () => {
    expect(() => checkGltfDrawn(makeScene(200, 10, 10), 40_000)).not.toThrow();
    expect(() => checkGltfDrawn(makeScene(2000, 40, 5), 40_000)).toThrow('its counts cannot be true');
  });
});
