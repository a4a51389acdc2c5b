// SPDX-License-Identifier: MIT
import { type Clip, frameCountOf } from '../../model/clip/clip.ts';

/**
 * The part of a clip that consists of some vertices, and of the triangles between them. Normals and attributes are not copied.
 * @param vertices rising vertex indices
 */
export function cutClip(clip: Clip, vertices: Uint32Array): Clip {
  const place = new Int32Array(clip.mesh.positions.length / 3).fill(-1);
  vertices.forEach((v, n) => {
    place[v] = n;
  });
  const frameCount = frameCountOf(clip);
  const positions = new Float32Array(3 * vertices.length);
  const frames = new Float32Array(3 * vertices.length * frameCount);
  vertices.forEach((v, n) => {
    for (let r = 0; r < 3; r++) positions[3 * n + r] = clip.mesh.positions[3 * v + r];
    for (let k = 0; k < frameCount; k++) {
      for (let r = 0; r < 3; r++)
        frames[3 * (k * vertices.length + n) + r] = clip.positions[k * clip.mesh.positions.length + 3 * v + r];
    }
  });
  const triangles: number[] = [];
  for (let c = 0; c < clip.mesh.triangles.length; c += 3) {
    const corners = [0, 1, 2].map((x) => place[clip.mesh.triangles[c + x]]);
    if (corners.every((corner) => corner >= 0)) triangles.push(...corners);
  }
  const { name } = clip.mesh;
  const part = {
    ...{ name, vertexStart: 0, vertexCount: vertices.length, triangleStart: 0, triangleCount: triangles.length / 3 },
    material: '',
  };
  const mesh = { name, positions, triangles: Uint32Array.from(triangles), attributes: [], parts: [part] };
  return { kind: 'clip', name: clip.name, mesh, positions: frames, times: clip.times };
}
