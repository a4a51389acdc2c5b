// SPDX-License-Identifier: MIT
// Characters of morph targets, and stored positions.
import { type Character, glbCharacter } from './character.ts';
import { makeTube, multiply, RigBuilder, type Surface, TUBE, turn } from './rig-builder.ts';
import { writeMddFile, writeObjFile, writePc2File } from './write-caches.ts';

type Deform = (x: number, y: number, z: number) => readonly [number, number, number];

function addTargets(builder: RigBuilder, surface: Surface, targets: ReadonlyMap<string, Deform>) {
  const { document } = builder;
  const primitive = builder.primitive(surface);
  const { positions } = surface;
  for (const [name, deform] of targets) {
    const deltas = new Float32Array(positions.length);
    for (let i = 0; i < positions.length; i += 3)
      deltas.set(deform(positions[i], positions[i + 1], positions[i + 2]), i);
    primitive.addTarget(
      document.createPrimitiveTarget(name).setAttribute('POSITION', builder.accessor('VEC3', deltas)),
    );
  }
  const names = [...targets.keys()];
  const mesh = document
    .createMesh('face')
    .addPrimitive(primitive)
    .setExtras({ targetNames: names })
    .setWeights(names.map(() => 0));
  return document.createNode('face').setMesh(mesh);
}

const bump = (y: number, at: number, width: number) => Math.exp(-(((y - at) / width) ** 2));

const FACE: ReadonlyMap<string, Deform> = new Map<string, Deform>([
  ['jawOpen', (_x, y, z) => [0, -0.2 * bump(y, 0.4, 0.3) * Math.max(z, 0) * 3, 0]],
  ['smile', (x, y) => [0.6 * x * bump(y, 0.7, 0.2), 0.08 * bump(y, 0.7, 0.2), 0]],
  ['brow', (_x, y, z) => [0, 0.15 * bump(y, 1.6, 0.2) * (z > 0 ? 1 : 0.2), 0]],
  ['puff', (x, y, z) => [0.5 * x * bump(y, 1, 0.3), 0, 0.5 * z * bump(y, 1, 0.3)]],
]);

const weightKeys = (count: number, targets: number, duration = 1) => {
  const keys = Array.from({ length: count }, (_, k) => (k / (count - 1)) * duration);
  const values = keys.map((t, k) =>
    Array.from({ length: targets }, (_, n) => (1 + Math.sin(5 * t + 2 * n + 0.7 * k)) / 2),
  );
  return { keys, values };
};

/** A face of morph targets below a head that moves, with an eye that turns. */
async function makeFaceone(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const { document } = builder;
  const face = addTargets(builder, makeTube(), FACE);
  const ball = builder.primitive(makeTube({ ...TUBE, height: 0.15, radius: 0.07, rings: 4, foot: [0, -0.07, 0] }));
  const eye = document
    .createNode('eye')
    .setMesh(document.createMesh('eye').addPrimitive(ball))
    .setTranslation([0.1, 1.4, 0.2]);
  const head = document.createNode('head').setScale([1.2, 1.2, 1.2]).addChild(face).addChild(eye);
  builder.scene.addChild(head);
  const animation = document.createAnimation('talk');
  const { keys, values } = weightKeys(13, FACE.size);
  builder.keys(animation, face, 'weights', keys, values);
  builder.keys(
    animation,
    head,
    'rotation',
    keys,
    keys.map((t) => turn([0, 1, 0], 60 * Math.sin(5 * t))),
  );
  builder.keys(
    animation,
    head,
    'translation',
    keys,
    keys.map((t) => [0, 0.5 * t, 0.1]),
  );
  builder.keys(
    animation,
    eye,
    'rotation',
    keys,
    keys.map((t) => turn([0, 1, 0], 30 * Math.sin(11 * t))),
  );
  return builder.write();
}

/** A bird whose wings beat through few linear morph targets. */
async function makeBird(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const poses = [70, 20, -40, -60, 0];
  const targets = new Map(
    poses.map((degrees, n): [string, Deform] => [
      `pose-${n}`,
      (_x, y, z) => {
        const angle = ((degrees * Math.PI) / 180) * (y - 1);
        const reach = y - 1;
        return [reach * Math.sin(angle), reach * Math.cos(angle) - reach, z * 0.1 * n];
      },
    ]),
  );
  const bird = addTargets(builder, makeTube({ ...TUBE, rings: 25 }), targets);
  builder.scene.addChild(bird);
  const animation = builder.document.createAnimation('fly');
  const keys = poses.map((_, n) => 0.125 * n);
  builder.keys(
    animation,
    bird,
    'weights',
    keys,
    poses.map((_, n) => poses.map((__, m) => (m === n ? 1 : 0))),
  );
  return builder.write();
}

/** A tube that bends and swells, as stored positions of 21 frames; vertices at the seam are one. */
function makeBending() {
  const surface = makeTube();
  const frames = Array.from({ length: 21 }, (_, f) => {
    const t = f / 20;
    return Float32Array.from(
      Array.from({ length: surface.positions.length / 3 }, (__, i) => {
        const [x, y, z] = surface.positions.subarray(3 * i, 3 * i + 3);
        const swell = 1 + 0.5 * bump(y, 2 * t, 0.3);
        const [qx, qy, qz, qw] = multiply(turn([0, 0, 1], 70 * Math.sin(6 * t) * (y / 2)), turn([0, 1, 0], 60 * t * y));
        return rotate([x * swell, y, z * swell], [qx, qy, qz, qw]);
      }).flat(),
    );
  });
  return { surface, frames };
}

function rotate([x, y, z]: readonly number[], [a, b, c, w]: readonly number[]): number[] {
  const [u, v, t] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
  return [x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u];
}

const cache = (name: string, extension: string, write: (frames: readonly Float32Array[]) => Uint8Array): Character => ({
  ...{ name, kind: 'cache', about: `a bending tube as OBJ and ${extension.toUpperCase()}` },
  input: `${name}.obj+${name}.${extension}`,
  make: async () => {
    const { surface, frames } = makeBending();
    const obj = writeObjFile(surface.positions, surface.indices);
    return new Map([
      [`${name}.obj`, obj],
      [`${name}.${extension}`, write(frames)],
    ]);
  },
});

export const SHAPES: readonly Character[] = [
  glbCharacter('faceone', 'morphing', 'a face below a moving head, and an eye', makeFaceone),
  glbCharacter('bird', 'morphing', 'wings of linear morph targets', makeBird),
  cache('bending', 'pc2', (frames) => writePc2File(frames)),
  cache('bending-mdd', 'mdd', (frames) => writeMddFile(frames, 24)),
];
