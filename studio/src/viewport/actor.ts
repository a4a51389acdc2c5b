// SPDX-License-Identifier: MIT
// One shape in the viewport: a mesh whose positions, normals and colours change, with its wireframe.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
} from 'three';
import { listEdges, vertexNormalsInto } from '../../../src/entry/deform.ts';
import type { MeshView } from '../messages/views.ts';
import { makeSurface, type Surface, type SurfaceOptions } from './surface.ts';

/** Number of squares of the checker pattern along the box diagonal. */
const SQUARES = 40;

export class Actor {
  readonly group = new Group();
  readonly mesh: Mesh<BufferGeometry, Material | Material[]>;
  /** The mesh that is shown, to detect a change. */
  readonly view: MeshView;
  readonly #plain: MeshStandardMaterial;
  #surface: Surface | undefined;
  #lit: MeshBasicMaterial | undefined;
  #wire: LineSegments | undefined;
  readonly #positions: BufferAttribute;
  readonly #normals: BufferAttribute;
  readonly #colors: BufferAttribute;
  /** Scratch memory of normals. */
  readonly #sums: Float64Array;
  readonly #checker = { value: 0 };

  constructor(view: MeshView, diagonal: number) {
    this.view = view;
    const { positions, triangles, look } = view;
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
    const rest = positions.map((x) => x * scale);
    geometry.setAttribute('rest', new BufferAttribute(rest, 3));
    for (const [n, uvs] of (look?.uvs ?? []).entries())
      geometry.setAttribute(n === 0 ? 'uv' : `uv${n}`, new BufferAttribute(uvs, 2));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    for (const { triangleStart, triangleCount, material } of look?.parts ?? [])
      geometry.addGroup(3 * triangleStart, 3 * triangleCount, material < 0 ? (look?.materials.length ?? 0) : material);
    this.#plain = this.#makePlain();
    this.mesh = new Mesh<BufferGeometry, Material | Material[]>(geometry, this.#plain);
    // frustum culling uses the rest shape, which posed shapes may leave
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

  /** Draws the materials of the file. */
  showSurface(options: SurfaceOptions): void {
    const { look } = this.view;
    if (!look) return;
    this.#surface ??= makeSurface(look, options);
    this.mesh.material = this.#surface.materials;
    if (look.colors) this.#fill(look.colors);
  }

  get hasSurface(): boolean {
    return this.mesh.material === this.#surface?.materials;
  }

  /** @param colors vertexCount x 3, linear light */
  setColors(colors: Float32Array): void {
    this.mesh.material = this.#plain;
    this.#fill(colors);
  }

  /** Colours that are light already: they are shown without lamps. */
  setLit(colors: Float32Array): void {
    this.#lit ??= new MeshBasicMaterial({ vertexColors: true, side: DoubleSide, toneMapped: false });
    this.mesh.material = this.#lit;
    this.#fill(colors);
  }

  #fill(colors: Float32Array): void {
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
    for (const material of [this.#plain, ...(this.#surface?.materials ?? [])])
      Object.assign(material, { polygonOffset: isOn, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.#plain.dispose();
    this.#surface?.dispose();
    this.#lit?.dispose();
    this.#wire?.geometry.dispose();
    this.group.removeFromParent();
  }

  /** The checker is a function of the rest position: it needs no UVs, and shows how the skin stretches. */
  #makePlain(): MeshStandardMaterial {
    const material = new MeshStandardMaterial({
      ...{ vertexColors: true, roughness: 0.72, metalness: 0, side: DoubleSide },
      // the colours of scales must be those of their legends
      toneMapped: false,
    });
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
