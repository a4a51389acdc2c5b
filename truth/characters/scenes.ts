// SPDX-License-Identifier: MIT
// Scenes: several meshes, nodes above them, names that meet, textures, and what rides along.
import type { Primitive } from '@gltf-transform/core';
import { KHRLightsPunctual, Light } from '@gltf-transform/extensions';
import { zlibSync } from 'fflate';
import { type Character, glbCharacter } from './character.ts';
import { chainBinds, makeTube, RigBuilder, TUBE, type TubeShape, turn, type Vector } from './rig-builder.ts';

const Z: Vector = [0, 0, 1];
const times = Array.from({ length: 11 }, (_, k) => k / 10);
const bend = (degrees: number, axis: Vector = Z) => times.map((t) => turn(axis, degrees * Math.sin(6 * t)));

/** A mesh and a joint of one name below moving nodes, a rigid part, a camera, a light, a socket and custom properties. */
async function makeScene(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const { document } = builder;
  const joints = builder.chain(3);
  joints[1].setName('arm');
  const arm = builder.primitive(makeTube());
  builder.bind(arm, joints);
  const skinned = builder.skinned('arm', [arm], joints, chainBinds(3));
  const box = builder.primitive(makeTube({ ...TUBE, height: 0.4, rings: 3, segments: 4, foot: [0, 0, 0] }));
  const rigid = document
    .createNode('box')
    .setMesh(document.createMesh('box').addPrimitive(box))
    .setTranslation([1, 0, 0]);
  const socket = document.createNode('socket').setTranslation([0, 0.6, 0]).setExtras({ attach: 'sword' });
  joints[2].addChild(socket);
  const camera = document.createCamera('view').setType('perspective').setYFov(0.8).setZNear(0.1);
  const lights = document.createExtension(KHRLightsPunctual);
  const lamp = lights.createLight('lamp').setType(Light.Type.POINT);
  const top = document
    .createNode('top')
    .setTranslation([0.5, 0, 0])
    .setScale([1.5, 1.5, 1.5])
    .addChild(joints[0])
    .addChild(skinned)
    .addChild(rigid);
  builder.scene
    .addChild(top)
    .addChild(document.createNode('camera').setCamera(camera).setTranslation([0, 1, 6]))
    .addChild(document.createNode('light').setExtension('KHR_lights_punctual', lamp));
  const animation = document.createAnimation('move');
  builder.keys(animation, joints[1], 'rotation', times, bend(50));
  builder.keys(
    animation,
    top,
    'translation',
    times,
    times.map((t) => [0.5 + t, 0.2 * Math.sin(9 * t), 0]),
  );
  builder.keys(animation, top, 'rotation', times, bend(40, [0, 1, 0]));
  builder.keys(animation, rigid, 'rotation', times, bend(80, [1, 0, 0]));
  return builder.write();
}

/** A checker as PNG. */
function makePng(size: number, color: Vector): Uint8Array {
  const rows = Array.from({ length: size }, (_, y) => [
    0,
    ...Array.from({ length: size }, (__, x) => ((x + y) % 2 ? color : [255, 255, 255])).flat(),
  ]);
  const chunk = (name: string, body: Uint8Array) => {
    const out = new Uint8Array(12 + body.length);
    const view = new DataView(out.buffer);
    view.setUint32(0, body.length);
    out.set(new TextEncoder().encode(name), 4);
    out.set(body, 8);
    view.setUint32(8 + body.length, crc(out.subarray(4, 8 + body.length)));
    return out;
  };
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, size);
  new DataView(header.buffer).setUint32(4, size);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10),
    ...[chunk('IHDR', header), chunk('IDAT', zlibSync(Uint8Array.from(rows.flat()))), chunk('IEND', new Uint8Array())],
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** Two parts with textures, seven UV sets, two sets of colours and tangents on one skeleton, and a second mesh of one name. */
async function makeTextured(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const { document } = builder;
  const joints = builder.chain(3);
  const shapes: TubeShape[] = [
    TUBE,
    { ...TUBE, radius: 0.1, foot: [0.5, 0, 0] },
    { ...TUBE, radius: 0.15, foot: [-0.5, 0, 0] },
  ];
  const primitives = shapes.map((shape, n) => {
    const primitive = builder.primitive(makeTube(shape));
    builder.bind(primitive, joints, { ...TUBE, foot: [0, 0, 0] });
    const image = document
      .createTexture(`picture-${n}`)
      .setImage(makePng(4, [200, 60 * n, 20]))
      .setMimeType('image/png');
    primitive.getMaterial()?.setName(`cloth-${n}`).setBaseColorTexture(image);
    return primitive;
  });
  primitives[0].getMaterial()?.setNormalTexture(
    document
      .createTexture('bumps')
      .setImage(makePng(8, [128, 128, 255]))
      .setMimeType('image/png'),
  );
  addLayers(builder, primitives[0]);
  const binds = chainBinds(3);
  builder.scene
    .addChild(joints[0])
    .addChild(builder.skinned('suit', primitives.slice(0, 2), joints, binds))
    .addChild(builder.skinned('hat', primitives.slice(2), joints, binds));
  const animation = document.createAnimation('move');
  builder.keys(animation, joints[1], 'rotation', times, bend(45));
  builder.keys(animation, joints[2], 'rotation', times, bend(45, [1, 0, 0]));
  return builder.write();
}

function addLayers(builder: RigBuilder, primitive: Primitive): void {
  const uvs = primitive.getAttribute('TEXCOORD_0')?.getArray() ?? new Float32Array();
  const count = uvs.length / 2;
  for (let set = 1; set < 7; set++)
    primitive.setAttribute(
      `TEXCOORD_${set}`,
      builder.accessor(
        'VEC2',
        Float32Array.from(uvs, (x: number) => (x + 0.1 * set) / 2),
      ),
    );
  for (const set of [0, 1])
    primitive.setAttribute(
      `COLOR_${set}`,
      builder.accessor(
        'VEC4',
        Float32Array.from({ length: 4 * count }, (_, c) => (c % 4 === 3 ? 1 : ((c + set) % 7) / 7)),
      ),
    );
  primitive.setAttribute(
    'TANGENT',
    builder.accessor(
      'VEC4',
      Float32Array.from({ length: 4 * count }, (_, c) => (c % 4 === 1 || c % 4 === 3 ? 1 : 0)),
    ),
  );
}

/** Rigid parts below the joints of a chain: no mesh has a skin. */
async function makeRigidParts(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const { document } = builder;
  const joints = builder.chain(3);
  for (const [j, joint] of joints.entries()) {
    const primitive = builder.primitive(makeTube({ ...TUBE, height: 0.6, rings: 3 }));
    joint.addChild(
      document.createNode(`shell-${j}`).setMesh(document.createMesh(`shell-${j}`).addPrimitive(primitive)),
    );
  }
  builder.scene.addChild(joints[0]);
  const animation = document.createAnimation('move');
  builder.keys(animation, joints[1], 'rotation', times, bend(60));
  builder.keys(animation, joints[2], 'rotation', times, bend(70, [0, 1, 1]));
  return builder.write();
}

/** A skin with morph targets that move too, and joints without weight. */
async function makeExpressive(): Promise<Uint8Array> {
  const builder = new RigBuilder();
  const { document } = builder;
  const joints = builder.chain(3);
  const surface = makeTube();
  const primitive = builder.primitive(surface);
  builder.bind(primitive, joints);
  const names = ['swell', 'lean'];
  for (const [n, name] of names.entries()) {
    const deltas = Float32Array.from(surface.positions, (_, c) => {
      const y = surface.positions[c - (c % 3) + 1];
      if (n === 0) return c % 3 === 1 ? 0 : surface.normals[c] * 0.15 * Math.sin(1.57 * y);
      return c % 3 === 0 ? 0.2 * y * y : 0;
    });
    primitive.addTarget(
      document.createPrimitiveTarget(name).setAttribute('POSITION', builder.accessor('VEC3', deltas)),
    );
  }
  const node = builder.skinned('body', [primitive], joints, chainBinds(3));
  node.getMesh()?.setExtras({ targetNames: names }).setWeights([0, 0]);
  joints[2].addChild(document.createNode('end').setTranslation([0, 0.6, 0]));
  joints[1].addChild(document.createNode('grip').setTranslation([0.3, 0, 0]));
  builder.scene.addChild(joints[0]).addChild(node);
  const animation = document.createAnimation('move');
  builder.keys(animation, joints[1], 'rotation', times, bend(45));
  builder.keys(
    animation,
    node,
    'weights',
    [0, 0.4, 0.7, 1],
    [
      [0, 0],
      [1, 0.2],
      [0.3, 1],
      [0, 0],
    ],
  );
  return builder.write();
}

export const SCENES: readonly Character[] = [
  glbCharacter(
    'scene',
    'skinned',
    'a mesh and a joint of one name, moving nodes above, camera, light, socket',
    makeScene,
  ),
  glbCharacter('textured', 'skinned', 'textures, seven UV sets, colours, tangents, three parts', makeTextured),
  glbCharacter('rigid-parts', 'rigid', 'meshes below nodes, no skin', makeRigidParts),
  glbCharacter(
    'expressive',
    'skinned',
    'a skin with morph targets that move, and joints without weight',
    makeExpressive,
  ),
];
