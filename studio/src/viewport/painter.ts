// SPDX-License-Identifier: MIT
// Shapes and colours of both sides of the viewport, from the state of the page.
import type { Shape } from '../state/frame-store.ts';
import { makeLatest } from '../state/latest.ts';
import type { Studio } from '../state/studio.ts';
import { CLAY, clusterColors, distancesInto, heatOf, plainColorsInto, skinColors } from './colorings.ts';
import type { Slot } from './comparison-side.ts';
import { makeEnvironment } from './environment.ts';
import type { SurfaceOptions } from './surface.ts';
import { TextureStore } from './textures/texture-store.ts';

type Side = 'reference' | 'result';

export class Painter {
  readonly #studio: Studio;
  readonly #slots: Record<Side, Slot>;
  readonly #makeSurface: () => SurfaceOptions;
  #surface: SurfaceOptions | undefined;
  #distances = new Float32Array(0);
  #blend = new Float32Array(0);
  /** The farthest vertex of this frame; undefined unless both frames are there. */
  worst: { vertex: number; distance: number } | undefined;

  constructor(studio: Studio, slots: Record<Side, Slot>, onReady: () => void) {
    this.#studio = studio;
    this.#slots = slots;
    this.#makeSurface = () => {
      const textures = new TextureStore((image) => studio.assets.call('image', { image }));
      textures.onFault = (sentence) => studio.complain(sentence, true);
      return { textures, environment: makeEnvironment(), onReady };
    };
  }

  /** Light of the shown frames, by version. */
  readonly #lit = new Map<number, Float32Array>();
  #litFrame = '';

  readonly #askLight = makeLatest(async (give: { version: number; motion: number; frame: number }) => {
    const key = `${give.version} ${give.motion} ${give.frame}`;
    if (key === this.#litFrame) return;
    this.#litFrame = key;
    this.#lit.clear();
    this.#lit.set(give.version, await this.#studio.assets.call('light', give));
    this.#studio.emit('view');
  });

  /** Textures of the file's materials, if they are shown. */
  get textures(): TextureStore | undefined {
    return this.#studio.state.coloring === 'material' ? this.#surface?.textures : undefined;
  }

  /** Updates shapes and colours. */
  refresh(): void {
    const studio = this.#studio;
    const { view, hasBones, hasVirtual, hasWire } = studio.state;
    const { reference, result } = this.#slots;
    const a = studio.shapeOf('reference');
    const b = studio.shapeOf('result');
    reference.setShape(this.#between(a, 'reference'));
    result.setShape(this.#between(b, 'result'));
    this.worst = undefined;
    // an error is that of two frames that are there, never of an earlier one
    const isThere = !studio.isWaiting && !studio.isLate;
    if (studio.isPair && isThere && a && b && a.positions.length === b.positions.length) {
      const vertexCount = a.positions.length / 3;
      if (this.#distances.length !== vertexCount) this.#distances = new Float32Array(vertexCount);
      const { worst, max } = distancesInto(a.positions, b.positions, this.#distances);
      this.worst = { vertex: worst, distance: max };
      if (view === 'difference') this.#exaggerate(a.positions, b.positions);
    }
    for (const slot of [reference, result]) slot.setLayers(hasBones, hasVirtual, hasWire);
    this.#paint();
  }

  /** The shape between two frames, while it plays. Errors are shown of whole frames. */
  #between(shape: Shape | undefined, side: Side): Shape | undefined {
    const studio = this.#studio;
    const { between, motion, frame, reference, result } = studio.state;
    if (!shape || between === 0 || studio.pose || studio.live || studio.edited.size > 0 || this.isHeat) return shape;
    const id = side === 'reference' || result < 0 ? reference : result;
    const next = studio.frames.get(id, motion, frame + 1)?.positions;
    if (!next || !studio.frames.get(id, motion, frame)) return shape;
    if (this.#blend.length !== next.length) this.#blend = new Float32Array(next.length);
    const { positions } = shape;
    for (let c = 0; c < next.length; c++) this.#blend[c] = positions[c] + between * (next[c] - positions[c]);
    return { ...shape, positions: this.#blend };
  }

  #exaggerate(a: Float32Array, b: Float32Array): void {
    const { gain } = this.#studio.state;
    this.#slots.result.actor?.setShape(a.map((x, c) => x + gain * (b[c] - x)));
  }

  /** The maximum of the heat scale: the largest error of the whole motion if it is known. */
  get heatTop(): number {
    const { comparison, live } = this.#studio;
    return (!live && comparison?.max) || this.worst?.distance || 0;
  }

  get isHeat(): boolean {
    const { coloring, view } = this.#studio.state;
    return this.#studio.isComparable && (coloring === 'heat' || view === 'difference');
  }

  #paint(): void {
    for (const side of ['reference', 'result'] as const) {
      const { actor } = this.#slots[side];
      if (!actor) continue;
      if (side === 'result' && this.isHeat && this.worst) {
        actor.setChecker(false);
        actor.setColors(heatOf(this.#distances, this.heatTop));
        actor.mesh.userData.painted = '';
      } else this.#paintPlain(side);
    }
  }

  #paintPlain(side: Side): void {
    const studio = this.#studio;
    const { coloring, bone, lock, hasVirtual } = studio.state;
    const { actor, version } = this.#slots[side];
    if (!actor || !version) return;
    actor.setChecker(coloring === 'checker' && !this.isHeat);
    const skin = version.virtual && hasVirtual ? version.virtual.skin : version.rig?.skin;
    const isSkinned = (coloring === 'weights' || coloring === 'clusters') && skin !== undefined;
    const isSurface = coloring === 'material' && actor.view.look !== undefined;
    if (coloring === 'light' && version.hasLight) {
      this.#askLight({ version: version.id, motion: studio.state.motion, frame: studio.state.frame });
      const lit = this.#lit.get(version.id);
      if (lit) actor.setLit(lit);
      actor.mesh.userData.painted = '';
      if (lit) return;
    }
    const shown = lock >= 0 ? lock : bone;
    const kind = isSkinned ? `${coloring} ${shown} ${hasVirtual}` : isSurface ? 'material' : 'plain';
    const key = `${version.id} ${kind} ${studio.isPair}`;
    if (actor.mesh.userData.painted === key) return;
    actor.mesh.userData.painted = key;
    if (isSkinned) actor.setColors(coloring === 'weights' ? skinColors(skin, shown) : clusterColors(skin));
    else if (isSurface) {
      this.#surface ??= this.#makeSurface();
      actor.showSurface(this.#surface);
    } else {
      const tint = CLAY[side === 'reference' && studio.isPair ? 'reference' : 'result'];
      actor.setColors(plainColorsInto(tint, new Float32Array(actor.positions.length)));
    }
  }
}
