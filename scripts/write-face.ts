// SPDX-License-Identifier: MIT
// The generated face as a GLB of morph targets, for tests.
import { Document, WebIO } from '@gltf-transform/core';
import { makeFace } from '../src/samples/make-face.ts';

/**
 * A face of morph targets as a GLB, with its animation.
 * @param change changes the displacements, by shape
 * @param pieces number of primitives, side by side
 */
export async function writeFace(
  change: (deltas: Float32Array[]) => void = () => undefined,
  pieces = 1,
  rings = 12,
): Promise<Uint8Array> {
  const { mesh, morphs, track } = makeFace(rings);
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (size: 1 | 3, array: Float32Array | Uint32Array) =>
    document
      .createAccessor()
      .setType(size === 1 ? 'SCALAR' : 'VEC3')
      .setArray(array.slice() as Float32Array<ArrayBuffer>)
      .setBuffer(buffer);
  const deltas = morphs.targets.map(({ positions }) => positions.slice());
  change(deltas);
  const own = document.createMesh('face').setExtras({ targetNames: morphs.targets.map(({ name }) => name) });
  for (let p = 0; p < pieces; p++) {
    const primitive = document.createPrimitive().setIndices(accessor(1, mesh.triangles));
    primitive.setAttribute(
      'POSITION',
      accessor(
        3,
        mesh.positions.map((x, c) => (c % 3 === 0 ? x + 0.3 * p : x)),
      ),
    );
    for (const [s, delta] of deltas.entries())
      primitive.addTarget(
        document.createPrimitiveTarget(morphs.targets[s].name).setAttribute('POSITION', accessor(3, delta)),
      );
    own.addPrimitive(primitive);
  }
  own.setWeights(deltas.map(() => 0));
  const node = document.createNode('face').setMesh(own);
  document.createScene().addChild(node);
  const sampler = document
    .createAnimationSampler()
    .setInput(accessor(1, Float32Array.from(track.times)))
    .setOutput(accessor(1, track.weights));
  const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('weights').setSampler(sampler);
  document.createAnimation('talk').addSampler(sampler).addChannel(channel);
  return new WebIO().writeBinary(document);
}
