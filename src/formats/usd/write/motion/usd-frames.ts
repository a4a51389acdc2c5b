// SPDX-License-Identifier: MIT
import { carryNormalsInto } from '../../../../core/mesh/geometry/carry-normals.ts';
import { type Clip, frameOf } from '../../../../core/model/clip/clip.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import type { UsdDraftPrim } from '../usd-draft.ts';
import type { UsdClock } from './usd-clock.ts';

/** Frames of positions as samples of points, with the normals of the rest pose turned with the triangles. */
export class UsdFrames {
  /** frameCount: seconds from the first frame */
  readonly seconds: number[];
  readonly #clip: Clip;
  /** Normals of all vertices in frames, computed once for all meshes. */
  readonly #normals: Float32Array[] = [];

  constructor(clip: Clip) {
    this.#clip = clip;
    this.seconds = Array.from(clip.times, (time) => time - clip.times[0]);
  }

  /** Adds samples to a mesh whose vertices begin at one of the clip. */
  sample(prim: UsdDraftPrim, vertexStart: number, { positions, normals }: Mesh, clock: UsdClock): void {
    const codes = this.seconds.map((time) => clock.codeOf(time));
    const cut = (values: Float32Array): Float32Array =>
      values.subarray(3 * vertexStart, 3 * vertexStart + positions.length);
    for (const property of prim.properties) {
      if (property.name === 'points') property.samples = { codes, at: (k) => cut(frameOf(this.#clip, k)) };
      if (property.name === 'normals' && normals) property.samples = { codes, at: (k) => cut(this.#normalsOf(k)) };
    }
  }

  #normalsOf(k: number): Float32Array {
    const known = this.#normals[k];
    if (known) return known;
    const { mesh } = this.#clip;
    const normals = new Float32Array(mesh.positions.length);
    carryNormalsInto(mesh, frameOf(this.#clip, k), normals);
    this.#normals[k] = normals;
    return normals;
  }
}
