// SPDX-License-Identifier: MIT
// The physics of the herd. Rapier moves one rigid body per animal and keeps it on the slope by the hulls of its bones. Contacts between animals are
// those of their skins, computed by ossify/collide from the bones of the current frame, and become impulses on the bodies.
import RAPIER from '@dimforge/rapier3d-compat';
import { listContacts, makeCollider, makeCollisionTree } from 'ossify/collide';
import { Matrix4, Quaternion, Vector3 } from 'three';
import { INERTIA, MASS, pushApart } from './push-apart.js';

export const STEP = 1 / 60;
const FPS = 30;
/** Hulls meet the slope, not one another: membership in the upper 16 bits, what to meet in the lower. */
const ANIMAL = 0x0001_0002;
const SLOPE = 0x0002_0001;
/** Every contact gets this number of impulses per step, in turns. */
const ITERATIONS = 4;

export async function makeHerd({ mesh, skeleton, skin, motion, count, slope, drop }) {
  await RAPIER.init();
  const world = new RAPIER.World({ x: 0, y: -9.81, z: 0 });
  world.timestep = STEP;
  for (const { size, position, quaternion, radius } of slope) {
    const shape = radius ? RAPIER.ColliderDesc.ball(radius) : RAPIER.ColliderDesc.cuboid(...size.map((x) => x / 2));
    world.createCollider(
      shape
        .setTranslation(...position.toArray())
        .setRotation(quaternion)
        .setFriction(0.5)
        .setCollisionGroups(SLOPE),
    );
  }

  const tree = makeCollisionTree({ kind: 'skin', mesh, skeleton, skin });
  const frameCount = motion.times.length;
  const stride = motion.matrices.length / frameCount;
  const framesOf = Array.from({ length: frameCount }, (_, f) => motion.matrices.subarray(f * stride, (f + 1) * stride));
  const hulls = listHulls(mesh, tree.triangleBones, skeleton.names.length);
  const animals = Array.from({ length: count }, (_, n) => {
    const desc = RAPIER.RigidBodyDesc.dynamic()
      .setAdditionalMassProperties(
        MASS,
        { x: 0, y: 0.65, z: 0 },
        { x: INERTIA, y: INERTIA, z: INERTIA },
        { x: 0, y: 0, z: 0, w: 1 },
      )
      .setAngularDamping(0.2);
    const body = world.createRigidBody(desc);
    const parts = hulls.map(({ bone, shape }) => ({
      bone,
      part: world.createCollider(shape.setDensity(0).setFriction(0.5).setCollisionGroups(ANIMAL), body),
    }));
    return {
      body,
      parts,
      collider: makeCollider(tree),
      matrix: new Matrix4(),
      sphere: new Float64Array(4),
      frame: 7 * n,
      n,
    };
  });
  for (const animal of animals) drop(animal.body, animal.n);

  const [turn, place, scale, matrix] = [new Quaternion(), new Vector3(), new Vector3(), new Matrix4()];
  let steps = 0;
  /** Milliseconds of the steps so far, and their number. */
  const sums = { collide: 0, physics: 0, count: 0 };
  const herd = { animals, contactCount: 0, sums, step, secondsOf };
  return herd;

  /** Seconds of the animation at which an animal is. */
  function secondsOf({ frame }) {
    return motion.times[frame % frameCount];
  }

  function step() {
    const start = performance.now();
    for (const animal of animals) {
      if (steps % Math.round(1 / (STEP * FPS)) === 0) kick(animal);
      animal.matrix.compose(
        place.copy(animal.body.translation()),
        turn.copy(animal.body.rotation()),
        scale.set(1, 1, 1),
      );
      animal.collider.pose({ bones: framesOf[animal.frame % frameCount] }, animal.matrix.elements);
      animal.collider.boundInto(animal.sphere);
    }
    const contacts = listHerdContacts();
    for (let n = 0; n < ITERATIONS; n++) for (const contact of contacts) pushApart(contact);
    const middle = performance.now();
    world.step();
    for (const { body, n } of animals) if (body.translation().y < -2) drop(body, n);
    herd.contactCount = contacts.length;
    sums.collide += middle - start;
    sums.physics += performance.now() - middle;
    sums.count++;
    steps++;
  }

  /** The next frame of the animation: the hulls follow the bones. */
  function kick(animal) {
    animal.frame++;
    const bones = framesOf[animal.frame % frameCount];
    for (const { bone, part } of animal.parts) {
      matrix.fromArray(bones, 16 * bone).decompose(place, turn, scale);
      part.setTranslationWrtParent(place);
      part.setRotationWrtParent(turn);
    }
  }

  function listHerdContacts() {
    const contacts = [];
    for (const [n, a] of animals.entries()) {
      for (const b of animals.slice(n + 1)) {
        const gap = Math.hypot(a.sphere[0] - b.sphere[0], a.sphere[1] - b.sphere[1], a.sphere[2] - b.sphere[2]);
        if (gap > a.sphere[3] + b.sphere[3]) continue;
        for (const { point, normal, depth } of listContacts(a.collider, b.collider))
          contacts.push({ a: a.body, b: b.body, point: new Vector3(...point), normal: new Vector3(...normal), depth });
      }
    }
    return contacts;
  }
}

/** A convex hull around the triangles of each bone at rest, of the points that are outermost in 14 directions. */
function listHulls(mesh, triangleBones, boneCount) {
  const axes = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => new Vector3(x, y, z))));
  const directions = axes.filter((axis) => axis.lengthSq() % 2 === 1);
  const points = Array.from({ length: boneCount }, () => []);
  for (const [t, bone] of triangleBones.entries())
    for (const i of mesh.triangles.subarray(3 * t, 3 * t + 3))
      points[bone].push(new Vector3().fromArray(mesh.positions, 3 * i));
  return points.flatMap((list, bone) => {
    const far = directions.map((d) => list.reduce((best, one) => (one.dot(d) > best.dot(d) ? one : best), list[0]));
    const shape = list.length > 0 && RAPIER.ColliderDesc.convexHull(Float32Array.from(far.flatMap((v) => v.toArray())));
    return shape ? [{ bone, shape }] : [];
  });
}
