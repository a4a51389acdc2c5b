// SPDX-License-Identifier: MIT

/** Where the parts of a glTF are after it was written anew. Undefined for parts that are not there any more. */
export interface NewPlaces {
  node(index: number): number | undefined;
  mesh(index: number): number | undefined;
  material(index: number): number | undefined;
  texture(index: number): number | undefined;
  image(index: number): number | undefined;
  /** The new index of a morph target of a mesh. */
  targetOfMesh(mesh: number, target: number): number | undefined;
  /** The new index of a morph target of the mesh of a node. */
  targetOfNode(node: number, target: number): number | undefined;
  /** By new material: the old one; -1 for materials that were added. */
  oldMaterials: readonly number[];
}
