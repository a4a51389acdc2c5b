// SPDX-License-Identifier: MIT
// The weights of the bone under the pointer, and the numbers of the vertex there. A click locks the bone.
import { find } from '../elements/dom.ts';
import type { VersionInfo } from '../messages/views.ts';
import { makeLatest } from '../state/latest.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';

/** Maximum pixels that a click moves. */
const CLICK = 4;
/** Maximum weights of a vertex that are listed. */
const MAX_LISTED = 4;

export function makeHover(studio: Studio, viewport: Viewport): void {
  const hint = find('#hint');
  const isOn = (): boolean => studio.state.coloring === 'weights' || studio.state.coloring === 'clusters';
  const set = (bone: number, text: string): void => {
    hint.hidden = text === '';
    hint.textContent = text;
    if (studio.state.bone !== bone) studio.set({ bone }, 'view');
  };
  const look = makeLatest(async (event: PointerEvent) => {
    // at most one test per drawn frame
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { coloring, hasVirtual, lock } = studio.state;
    const cast = viewport.cast(event);
    const version = cast?.slot.version;
    if (!cast || !version?.rig || !isOn()) return set(-1, '');
    const over = cast.slot.pickBone(cast.raycaster);
    const isVirtual = version.virtual !== undefined && hasVirtual;
    if (over >= 0 && !isVirtual) return set(over, version.rig.names[over]);
    const vertex = cast.slot.pickVertex(cast.raycaster);
    if (vertex < 0) return set(-1, '');
    const { bone, text } = describeVertex(version, vertex, isVirtual, lock);
    set(coloring === 'weights' ? bone : -1, text);
  });
  viewport.canvas.addEventListener('pointermove', (event) => {
    if (event.buttons === 0 && isOn()) look(event);
  });
  viewport.canvas.addEventListener('pointerleave', () => set(-1, ''));
  let down: { x: number; y: number } | undefined;
  viewport.canvas.addEventListener('pointerdown', ({ clientX: x, clientY: y, button }) => {
    down = button === 0 ? { x, y } : undefined;
  });
  viewport.canvas.addEventListener('pointerup', ({ clientX, clientY }) => {
    const isClick = down && Math.hypot(clientX - down.x, clientY - down.y) <= CLICK;
    const { bone, lock, coloring } = studio.state;
    if (!isClick || coloring !== 'weights') return;
    studio.set({ lock: bone === lock ? -1 : bone }, 'view', 'bone');
  });
}

/** The strongest bone of a vertex and its weights in words; with a locked bone, its weight first. */
function describeVertex(
  { rig, virtual }: VersionInfo,
  vertex: number,
  isVirtual: boolean,
  lock: number,
): { bone: number; text: string } {
  const { rowStart, boneIndices, weights } = isVirtual ? virtual!.skin : rig!.skin;
  const nameOf = (bone: number): string => (isVirtual ? `virtual bone ${bone}` : rig!.names[bone]);
  const list = Array.from({ length: rowStart[vertex + 1] - rowStart[vertex] }, (_, n) => {
    const e = rowStart[vertex] + n;
    return { bone: boneIndices[e], weight: weights[e] };
  }).sort((a, b) => b.weight - a.weight);
  const bone = list[0]?.bone ?? -1;
  const shown = list.slice(0, MAX_LISTED).map((one) => `${nameOf(one.bone)} ${one.weight.toFixed(2)}`);
  if (lock < 0 || isVirtual) return { bone, text: list.length > 1 ? shown.join(' · ') : nameOf(bone) };
  const own = list.find((one) => one.bone === lock)?.weight ?? 0;
  return { bone, text: `${nameOf(lock)} ${own.toFixed(2)} at vertex ${vertex} (${shown.join(' · ')})` };
}
