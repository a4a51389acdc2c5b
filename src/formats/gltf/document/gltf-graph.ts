// SPDX-License-Identifier: MIT
// Typed access to the parts of a glTF-Transform document. Its getters return null for what a document may lack. These return what a checked document has, and
// report what is missing as a fault of the file.
import type {
  Accessor,
  AnimationChannel,
  AnimationSampler,
  Document,
  Skin as GltfSkin,
  Mesh,
  Node,
  Primitive,
  PrimitiveTarget,
  TypedArray,
} from '@gltf-transform/core';
import { fail } from '../../../deformers/layout/index.ts';

/** An attribute that a primitive or a morph target has. */
export function attributeOf(owner: Primitive | PrimitiveTarget, semantic: string): Accessor {
  return owner.getAttribute(semantic) ?? fail('index', `a primitive has no ${semantic}`);
}

/** The numbers of an accessor in their stored type, not copied. */
export function arrayOf(accessor: Accessor): TypedArray {
  return accessor.getArray() ?? fail('index', 'an accessor has no numbers');
}

/** The mesh of a node that is drawn. */
export function meshOf(node: Node): Mesh {
  return node.getMesh() ?? fail('index', 'a drawn node has no mesh');
}

/** The skin of a node whose vertices follow joints. */
export function skinOf(node: Node): GltfSkin {
  return node.getSkin() ?? fail('index', 'a skinned node has no skin');
}

/** The node that a channel moves. Channels without one are removed by tidyGltfInto. */
export function targetOf(channel: AnimationChannel): Node {
  return channel.getTargetNode() ?? fail('index', 'an animation channel has no node');
}

/** The sampler of a channel, with the accessors of its times and values. */
export function samplerOf(channel: AnimationChannel): { sampler: AnimationSampler; input: Accessor; output: Accessor } {
  const sampler = channel.getSampler();
  const input = sampler?.getInput();
  const output = sampler?.getOutput();
  if (!sampler || !input || !output) fail('index', 'an animation channel has no keys');
  return { sampler, input, output };
}

/** The names of all animations; those without a name have one by their index. */
export function animationNamesOf(document: Document): string[] {
  const animations = document.getRoot().listAnimations();
  return animations.map((animation, n) => animation.getName() || `animation ${n}`);
}

/** The index of a part in a table of all parts of its kind. */
export function indexIn<T>(indices: ReadonlyMap<T, number>, property: T): number {
  return indices.get(property) ?? fail('index', 'the glTF refers to a part that it does not have');
}
