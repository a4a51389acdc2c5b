// SPDX-License-Identifier: MIT
// The weights of the bone under the pointer, and its name.
import { find } from './dom.ts';
import { makeLatest } from './latest.ts';
import type { Studio } from './studio.ts';
import type { Viewport } from './viewport.ts';

export function makeHover(studio: Studio, viewport: Viewport): void {
  const hint = find('#hint');
  const set = (bone: number, text: string): void => {
    hint.hidden = text === '';
    hint.textContent = text;
    if (studio.state.bone !== bone) studio.set({ bone }, 'view');
  };
  const look = makeLatest(async (event: PointerEvent) => {
    // at most one test per drawn frame
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { coloring, hasVirtual } = studio.state;
    const cast = viewport.cast(event);
    const version = cast?.slot.version;
    if (!cast || !version?.rig || (coloring !== 'weights' && coloring !== 'clusters')) return set(-1, '');
    const over = cast.slot.pickBone(cast.raycaster);
    const isVirtual = version.virtual !== undefined && hasVirtual;
    if (over >= 0 && !isVirtual) return set(over, version.rig.names[over]);
    const vertex = cast.slot.pickVertex(cast.raycaster);
    if (vertex < 0) return set(-1, '');
    const skin = isVirtual ? version.virtual!.skin : version.rig.skin;
    const bone = skin.boneIndices[skin.rowStart[vertex]];
    set(coloring === 'weights' ? bone : -1, isVirtual ? `virtual bone ${bone}` : version.rig.names[bone]);
  });
  viewport.canvas.addEventListener('pointermove', (event) => {
    const { coloring } = studio.state;
    if (event.buttons === 0 && (coloring === 'weights' || coloring === 'clusters')) look(event);
  });
  viewport.canvas.addEventListener('pointerleave', () => set(-1, ''));
}
