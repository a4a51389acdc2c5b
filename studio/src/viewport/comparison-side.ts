// SPDX-License-Identifier: MIT
// One side of a comparison in the viewport: its shape, bones and virtual bones.
import { Group, type Raycaster } from 'three';
import type { VersionInfo } from '../messages/views.ts';
import type { Shape } from '../state/frame-store.ts';
import { Actor } from './actor.ts';
import { BoneLayer, VirtualLayer } from './bone-layer.ts';

export class Slot {
  readonly group = new Group();
  actor: Actor | undefined;
  bones: BoneLayer | undefined;
  virtual: VirtualLayer | undefined;
  version: VersionInfo | undefined;

  /** Shows a version; objects that did not change are kept. */
  setVersion(version: VersionInfo | undefined): void {
    const isSame = this.version?.id === version?.id;
    this.version = version;
    if (isSame) return;
    this.actor?.dispose();
    this.bones?.dispose();
    this.virtual?.dispose();
    this.actor = this.bones = this.virtual = undefined;
    if (!version) return;
    const { diagonal } = version.facts.size;
    this.actor = new Actor(version.mesh, diagonal);
    this.group.add(this.actor.group);
    if (version.rig) {
      this.bones = new BoneLayer(version.rig, diagonal);
      this.group.add(this.bones.group);
    }
    if (version.virtual) {
      this.virtual = new VirtualLayer(version.virtual, diagonal);
      this.group.add(this.virtual.mesh);
    }
  }

  setShape(shape: Shape | undefined): void {
    if (!shape || !this.actor || shape.positions.length !== this.actor.positions.length) return;
    this.actor.setShape(shape.positions);
    if (shape.bones.length > 0) this.bones?.update(shape.bones);
    this.virtual?.update(shape.virtual);
  }

  setLayers(hasBones: boolean, hasVirtual: boolean, hasWire: boolean): void {
    if (this.bones) this.bones.group.visible = hasBones;
    if (this.virtual) this.virtual.mesh.visible = hasVirtual;
    this.actor?.setWire(hasWire);
  }

  pickBone(raycaster: Raycaster): number {
    return this.bones?.group.visible ? this.bones.pick(raycaster) : -1;
  }

  /** The vertex nearest to the intersection of a ray with the surface; -1 for none. */
  pickVertex(raycaster: Raycaster): number {
    if (!this.actor) return -1;
    const [hit] = raycaster.intersectObject(this.actor.mesh, false);
    if (!hit?.face) return -1;
    const local = this.actor.mesh.worldToLocal(hit.point.clone());
    const p = this.actor.positions;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const i of [hit.face.a, hit.face.b, hit.face.c]) {
      const d = Math.hypot(p[3 * i] - local.x, p[3 * i + 1] - local.y, p[3 * i + 2] - local.z);
      if (d < least) {
        least = d;
        best = i;
      }
    }
    return best;
  }
}
