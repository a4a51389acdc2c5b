// SPDX-License-Identifier: MIT
// One shape on the stage: a mesh whose positions, normals and colours change, with its wireframe.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from 'three';
import { listEdges, vertexNormalsInto } from '../../src/deform.ts';
import type { MeshView } from './protocol.ts';

/** Squares of the checker across the box diagonal. */
const SQUARES = 40;

export class Actor {
  readonly group = new Group();
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  /** The mesh that this shows, to tell whether another one is asked for. */
  readonly view: MeshView;
  #wire: LineSegments | undefined;
  readonly #positions: BufferAttribute;
  readonly #normals: BufferAttribute;
  readonly #colors: BufferAttribute;
  /** Scratch memory of normals. */
  readonly #sums: Float64Array;
  readonly #checker = { value: 0 };

  constructor(view: MeshView, diagonal: number) {
    this.view = view;
    const { positions, triangles } = view;
    const make = (array: Float32Array): BufferAttribute => new BufferAttribute(array, 3).setUsage(DynamicDrawUsage);
    this.#positions = make(positions.slice());
    this.#normals = make(new Float32Array(positions.length));
    this.#colors = make(new Float32Array(positions.length).fill(1));
    this.#sums = new Float64Array(4 * view.groupCount);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.#positions);
    geometry.setAttribute('normal', this.#normals);
    geometry.setAttribute('color', this.#colors);
    const scale = SQUARES / (diagonal || 1);
    geometry.setAttribute(
      'rest',
      new BufferAttribute(
        positions.map((x) => x * scale),
        3,
      ),
    );
    geometry.setIndex(new BufferAttribute(triangles, 1));
    this.mesh = new Mesh(geometry, this.#makeMaterial());
    // shapes move far from where they rest, and there are few of them
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.group.add(this.mesh);
    this.setShape(positions);
  }

  get positions(): Float32Array {
    return this.#positions.array as Float32Array;
  }

  setShape(positions: Float32Array): void {
    this.positions.set(positions);
    this.#positions.needsUpdate = true;
    const { triangles, normalGroups: pointOfVertex, groupCount: pointCount } = this.view;
    const normals = this.#normals.array as Float32Array;
    vertexNormalsInto(this.positions, triangles, normals, { pointOfVertex, pointCount }, this.#sums);
    this.#normals.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
    this.mesh.geometry.boundingBox = null;
  }

  /** @param colors vertexCount x 3, linear light */
  setColors(colors: Float32Array): void {
    (this.#colors.array as Float32Array).set(colors);
    this.#colors.needsUpdate = true;
  }

  setChecker(isOn: boolean): void {
    this.#checker.value = isOn ? 1 : 0;
  }

  setWire(isOn: boolean): void {
    if (isOn && !this.#wire) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', this.#positions);
      geometry.setIndex(new BufferAttribute(listEdges(this.view.triangles), 1));
      const material = new LineBasicMaterial({ color: 0x0b0d10, transparent: true, opacity: 0.55, depthWrite: false });
      this.#wire = new LineSegments(geometry, material);
      this.#wire.frustumCulled = false;
      this.group.add(this.#wire);
    }
    if (this.#wire) this.#wire.visible = isOn;
    this.mesh.material.polygonOffset = isOn;
    this.mesh.material.polygonOffsetFactor = 1;
    this.mesh.material.polygonOffsetUnits = 1;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.#wire?.geometry.dispose();
    this.group.removeFromParent();
  }

  /** The checker is solid, cut out of space at rest: it needs no UVs, and where skin slides its squares do. */
  #makeMaterial(): MeshStandardMaterial {
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.72, metalness: 0, side: DoubleSide });
    material.onBeforeCompile = (shader) => {
      shader.uniforms.checker = this.#checker;
      shader.vertexShader = `attribute vec3 rest;\nvarying vec3 vRest;\n${shader.vertexShader}`.replace(
        '#include <begin_vertex>',
        '#include <begin_vertex>\n  vRest = rest;',
      );
      shader.fragmentShader = `uniform float checker;\nvarying vec3 vRest;\n${shader.fragmentShader}`.replace(
        '#include <color_fragment>',
        `#include <color_fragment>
  if (checker > 0.5) {
    vec3 cell = floor(vRest);
    float odd = mod(cell.x + cell.y + cell.z, 2.0);
    diffuseColor.rgb = mix(vec3(0.82, 0.78, 0.7), vec3(0.07, 0.11, 0.2), odd);
  }`,
      );
    };
    return material;
  }
}
