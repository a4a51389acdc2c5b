// SPDX-License-Identifier: MIT
// Edits the rest shape of a skinned version: a brush on the surface, while every frame follows.
import { Vector3 } from 'three';
import { vertexNormalsInto } from '../../../src/entry/deform.ts';
import { find, h } from '../elements/dom.ts';
import type { VersionInfo } from '../messages/views.ts';
import { makeLatest } from '../state/latest.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { type BrushKind, strokeInto } from './rest-brush.ts';

const KINDS: Record<BrushKind, string> = { inflate: 'Inflate', move: 'Move', scale: 'Scale' };

export interface EditPanel {
  root: HTMLElement;
  open(): void;
  close(): void;
}

export function makeEditPanel(studio: Studio, viewport: Viewport): EditPanel {
  let isOpen = false;
  let kind: BrushKind = 'inflate';
  let target: VersionInfo | undefined;
  /** The edited rest shape, and earlier ones for undo. */
  let rest = new Float32Array(0);
  let past: Float32Array<ArrayBuffer>[] = [];
  const normals = { array: new Float32Array(0) };
  const radius = h('input', {
    type: 'range',
    class: 'wide',
    min: 0.01,
    max: 0.3,
    step: 0.005,
    value: 0.08,
    'aria-label': 'Brush size',
  });
  const strength = h('input', {
    type: 'range',
    class: 'wide',
    min: -1,
    max: 1,
    step: 0.05,
    value: 0.4,
    'aria-label': 'Strength',
  });
  const buttons = Object.entries(KINDS).map(([value, label]) =>
    h(
      'button',
      {
        'data-brush': value,
        onclick: () => {
          kind = value as BrushKind;
          paint();
        },
      },
      label,
    ),
  );
  const undo = h('button', { onclick: () => back() }, 'Undo stroke');
  const keep = h('button', { class: 'primary', id: 'keep-edit', onclick: () => void store() }, 'Keep as a version');
  const warn = h('div', { class: 'warn' }, 'Needs a skinned version; decompose first, or open a rig.');
  const label = (text: string, field: HTMLElement) =>
    h('div', { class: 'field' }, h('span', { class: 'label' }, text), field);
  const root = h(
    'div',
    { class: 'sheet', id: 'edit' },
    h('p', {}, 'Brush over the model: the rest shape changes, and every frame follows its bones. Play while you edit.'),
    warn,
    h('div', { class: 'segments', role: 'group', 'aria-label': 'Brush' }, ...buttons),
    label('Brush size', radius),
    label('Strength', strength),
    h('div', { class: 'row wrap' }, keep, undo),
  );

  const begin = (): boolean => {
    const version = studio.result ?? studio.reference;
    if (!version?.rig) return false;
    if (target?.id !== version.id) {
      target = version;
      rest = version.mesh.positions.slice();
      past = [];
      normals.array = new Float32Array(rest.length);
    }
    return true;
  };
  const paint = (): void => {
    warn.hidden = (studio.result ?? studio.reference)?.rig !== undefined;
    undo.disabled = past.length === 0;
    keep.disabled = past.length === 0;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.brush === kind));
  };
  /** Sends the edited shape, and shows the present frame of it. */
  const send = makeLatest(async (positions: Float32Array) => {
    if (!target) return;
    await studio.assets.call('edit', { version: target.id, positions: positions.slice() });
    await showFrame();
  });
  const showFrame = async (): Promise<void> => {
    if (!target || past.length === 0) return;
    const { motion, frame } = studio.state;
    const positions = await studio.assets.call('editFrame', { motion, frame });
    if (past.length > 0) studio.edited.set(target.id, { positions, frame });
    studio.emit('edit');
  };
  const follow = makeLatest(showFrame);
  const back = (): void => {
    const last = past.pop();
    if (!last || !target) return;
    rest = last;
    if (past.length > 0) send(rest);
    else studio.edited.delete(target.id);
    paint();
    studio.emit('edit');
  };
  const store = async (): Promise<void> => {
    const made = await studio.attempt('Writing the edited shape', () => studio.assets.call('editKeep', {}));
    if (!made || !target) return;
    studio.history.mark('Edited shape');
    studio.versions.set(made.id, made);
    studio.unsaved.add(made.id);
    past = [];
    const parent = target.id;
    target = undefined;
    studio.show({ reference: parent, result: made.id });
    studio.emit('versions');
    paint();
  };

  /** Strokes the surface under the pointer; positions at rest are those of the vertex that is hit. */
  const stroke = (event: PointerEvent, last: { x: number; y: number }): void => {
    const cast = viewport.cast(event);
    if (!cast || !target || cast.slot.version?.id !== target.id) return;
    const vertex = cast.slot.pickVertex(cast.raycaster);
    if (vertex < 0) return;
    const { triangles, normalGroups: pointOfVertex, groupCount: pointCount, positions } = target.mesh;
    vertexNormalsInto(rest, triangles, normals.array, { pointOfVertex, pointCount });
    const size = target.facts.size.diagonal;
    const amount = Number(strength.value);
    strokeInto(rest, normals.array, {
      kind,
      center: [positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]],
      radius: Number(radius.value) * size,
      amount: kind === 'inflate' ? 0.01 * amount * size : 0.1 * amount,
      by: kind === 'move' ? dragOf(viewport, event, last, size) : undefined,
    });
    send(rest);
  };
  let drag: { x: number; y: number } | undefined;
  find('#viewport').addEventListener(
    'pointerdown',
    (event) => {
      if (!isOpen || event.button !== 0 || event.target !== viewport.canvas || !begin()) return;
      const cast = viewport.cast(event);
      if (!cast || cast.slot.version?.id !== target?.id || cast.slot.pickVertex(cast.raycaster) < 0) return;
      viewport.controls.enabled = false;
      past.push(rest.slice());
      drag = { x: event.clientX, y: event.clientY };
      stroke(event, drag);
      paint();
    },
    { capture: true },
  );
  addEventListener('pointermove', (event) => {
    if (!drag) return;
    stroke(event, drag);
    drag = { x: event.clientX, y: event.clientY };
  });
  addEventListener('pointerup', () => {
    if (!drag) return;
    drag = undefined;
    viewport.controls.enabled = true;
  });
  studio.on(['frame'], () => {
    if (past.length > 0) follow(undefined);
  });
  studio.on(['shown', 'versions'], () => {
    past = target && studio.versions.has(target.id) ? past : [];
    paint();
  });
  paint();
  return {
    root,
    open() {
      isOpen = true;
      paint();
    },
    close() {
      isOpen = false;
    },
  };
}

/** The movement of the pointer as a displacement in file space, in the plane of the screen. */
function dragOf(
  viewport: Viewport,
  event: PointerEvent,
  last: { x: number; y: number },
  size: number,
): [number, number, number] {
  const { camera, world } = viewport.stage;
  const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
  const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
  const scale = size / Math.max(1, viewport.canvas.clientHeight);
  const by = right
    .multiplyScalar((event.clientX - last.x) * scale)
    .addScaledVector(up, (last.y - event.clientY) * scale);
  return by.applyQuaternion(world.quaternion.clone().invert()).toArray();
}
