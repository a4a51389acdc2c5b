// SPDX-License-Identifier: MIT
// The usual way to collide skins: deform all vertices, refit a bounding volume hierarchy of each, and compare the two. three-mesh-bvh is the peer.

import type { Pose } from '../../src/core/model/deformed/deformer.ts';
import type { CollisionModel } from '../../src/entry/collide.ts';
import { makeDeformer } from '../../src/entry/deform.ts';

/** The steps of one comparison, to be timed one by one. */
export interface CollidePeer {
  deform(a: Pose, b: Pose): void;
  refit(): void;
  /** Returns the number of pairs of triangles that intersect. */
  countPairs(worldA: Float64Array, worldB: Float64Array): number;
}

/** Undefined if three or three-mesh-bvh is not installed: they are no dependencies of the package. */
export async function makeCollidePeer(model: CollisionModel): Promise<CollidePeer | undefined> {
  const loaded = await Promise.all([import('three'), import('three-mesh-bvh')]).catch(() => undefined);
  if (!loaded) return undefined;
  const [{ BufferAttribute, BufferGeometry, Matrix4 }, { MeshBVH }] = loaded;
  const deformer = makeDeformer(model);
  const shapes = [0, 1].map(() => model.mesh.positions.slice());
  const trees = shapes.map((positions) => {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setIndex(new BufferAttribute(model.mesh.triangles.slice(), 1));
    return new MeshBVH(geometry);
  });
  return {
    deform(a, b) {
      for (const [n, pose] of [a, b].entries()) deformer.deformInto(pose, shapes[n]);
    },
    refit() {
      for (const tree of trees) tree.refit();
    },
    countPairs(worldA, worldB) {
      const between = new Matrix4()
        .fromArray([...worldA])
        .invert()
        .multiply(new Matrix4().fromArray([...worldB]));
      let count = 0;
      trees[0].bvhcast(trees[1], between, {
        intersectsTriangles(one, other) {
          if (one.intersectsTriangle(other)) count++;
          return false;
        },
      });
      return count;
    },
  };
}
