// SPDX-License-Identifier: MIT
// Poses joints: a click selects one, its ring or the sliders rotate it, and dragging a hand or foot bends the limb above it.
import { Matrix4, Object3D, Plane, Quaternion, Vector3 } from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import { chainOf, mirrorPose, PoseEditor, twoBoneIk } from '../../../src/entry/deform.ts';
import { find, h } from '../elements/dom.ts';
import type { RigView } from '../messages/views.ts';
import type { StoredPose } from '../state/project-file.ts';
import { listShapes } from '../state/shape-weights.ts';
import type { Studio } from '../state/studio.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { makePoseFields } from './pose-fields.ts';
import { makePoseLibrary } from './pose-library.ts';
import { makeShapeSliders } from './shape-sliders.ts';

/** Minimum pixels of a drag; shorter ones are clicks. */
const DRAG = 4;

export interface PosePanel {
  root: HTMLElement;
  open(): void;
  close(): void;
}

/** @param poses saved poses */
export function makePosePanel(studio: Studio, viewport: Viewport, poses: StoredPose[]): PosePanel {
  let isOpen = false;
  /** Whether bones were shown before the panel was opened. */
  let hadBones = false;
  let selected = -1;
  let model: PoseEditor<RigView> | undefined;
  const proxy = new Object3D();
  const gizmo = new TransformControls(viewport.stage.camera, viewport.canvas);
  gizmo.setMode('rotate');
  gizmo.setSpace('local');
  gizmo.size = 0.75;
  const helper = gizmo.getHelper();
  viewport.stage.world.add(proxy);
  viewport.stage.scene.add(helper);
  viewport.tools.push(helper);
  gizmo.addEventListener('change', () => viewport.invalidate());
  gizmo.addEventListener('dragging-changed', ({ value }) => {
    viewport.controls.enabled = value !== true;
  });
  gizmo.addEventListener('objectChange', () => {
    if (!model || selected < 0) return;
    model.setRotation(selected, proxy.quaternion.toArray());
    send();
  });

  const fields = makePoseFields((axis, angle) => {
    if (!model || selected < 0) return;
    const angles = model.anglesOf(selected);
    angles[axis] = angle;
    model.setAngles(selected, angles);
    send();
  });
  const bones = h('select', {
    class: 'wide',
    'aria-label': 'Bone',
    id: 'bone',
    onchange: () => select(Number(bones.value)),
  });
  const reset = h('button', { onclick: () => studio.setFrame(studio.state.frame) }, 'Back to the animation');
  const resetBone = h('button', { id: 'reset-bone', onclick: () => restore() }, 'Reset bone');
  const mirror = h(
    'button',
    {
      id: 'mirror-pose',
      title: 'Left and right by the names of bones',
      onclick: () => {
        if (!begin() || !model) return;
        mirrorPose(model);
        send();
      },
    },
    'Mirror',
  );
  const warn = h('div', { class: 'warn', hidden: true }, 'Needs a model with bones; decompose first, or open a rig.');
  const root = h(
    'div',
    { class: 'sheet', id: 'pose' },
    h(
      'p',
      {},
      'Click a joint and turn it by its rings or the sliders. Drag a hand or foot: the limb above it bends. Joints stay within their ranges of motion; every version of the same bones follows. The sliders of shapes move both versions.',
    ),
    warn,
    h('div', { class: 'field' }, h('span', { class: 'label' }, 'Bone'), bones),
    fields.root,
    h('div', { class: 'row wrap' }, mirror, resetBone, reset),
    makeShapeSliders(studio, () => begin() && show()),
    makePoseLibrary(studio, poses),
  );

  const rig = () => viewport.slots.result.version?.rig;

  /** Starts from the pose that is shown. Returns false if there is none. */
  const begin = (): boolean => {
    const own = rig();
    const now = studio.shapeOf('result')?.bones;
    if (!own || !now || now.length !== 16 * own.names.length) return false;
    if (model?.rig !== own) model = new PoseEditor(own);
    model.take(studio.pose ?? now);
    return true;
  };
  const send = (): void => {
    if (!model) return;
    studio.posing.set(model.bones());
    show();
  };
  /** Gives the selected bone the angles of the animation. */
  const restore = (): void => {
    const now = studio.frames.get(studio.shown?.id ?? -1, studio.state.motion, studio.state.frame)?.bones;
    if (!model || selected < 0 || now?.length !== 16 * model.rig.names.length) return;
    const plain = new PoseEditor(model.rig);
    plain.take(now);
    model.setAngles(selected, plain.anglesOf(selected));
    send();
  };
  const select = (bone: number): void => {
    if (!begin()) return;
    selected = bone;
    if (bone >= 0) studio.state.isPlaying = false;
    viewport.slots.result.bones?.select(bone);
    show();
    viewport.refresh();
  };
  const show = (): void => {
    const own = rig();
    const isOn = isOpen && model !== undefined && own !== undefined && selected >= 0 && selected < own.names.length;
    fields.root.hidden = !isOn;
    resetBone.disabled = !isOn || studio.pose === undefined;
    helper.userData.isOn = isOn;
    gizmo.enabled = isOn;
    if (!isOn || !model) {
      gizmo.detach();
      viewport.invalidate();
      return;
    }
    bones.value = String(selected);
    fields.show(model, selected);
    const turn = new Quaternion();
    new Matrix4().fromArray(model.frameOf(selected)).decompose(proxy.position, turn, new Vector3());
    proxy.quaternion.copy(turn);
    proxy.scale.setScalar(1);
    if (gizmo.object !== proxy) gizmo.attach(proxy);
    viewport.invalidate();
  };
  const list = (): void => {
    const own = rig();
    warn.hidden = own !== undefined || (studio.shown !== undefined && listShapes(studio.shown).length > 0);
    bones.replaceChildren(
      h('option', { value: -1 }, 'none'),
      ...(own?.names ?? []).map((one, j) => h('option', { value: j }, one)),
    );
    bones.value = String(selected);
    if (!own || selected >= own.names.length) selected = -1;
    show();
  };

  makeDrag(viewport, {
    isOn: () => isOpen && !gizmo.dragging && gizmo.axis === null,
    pick(bone) {
      return begin() && model !== undefined && bone >= 0;
    },
    click: select,
    move(bone, target) {
      if (!model || !chainOf(model.rig.parents, bone)) return;
      twoBoneIk(model, bone, target.toArray());
      send();
    },
    headOf: (bone) => new Vector3(...(model?.headOf(bone) ?? [])),
  });
  studio.on(['shown', 'versions', 'view'], list);
  studio.on(['pose'], () => {
    if (!studio.pose && begin()) show();
  });
  studio.on(['frame'], () => {
    if (isOpen && !studio.pose && selected >= 0 && begin()) show();
  });
  return {
    root,
    open() {
      isOpen = true;
      const { view: now } = studio.state;
      const view = (now === 'side' || now === 'difference') && !hasSharedShapes(studio) ? 'result' : now;
      hadBones = studio.state.hasBones;
      studio.set({ hasBones: true, view }, 'view', 'frame');
    },
    close() {
      isOpen = false;
      if (!hadBones) studio.set({ hasBones: false }, 'view');
      show();
    },
  };
}

/** Whether the sliders of shapes move both versions. */
function hasSharedShapes({ reference, result }: Studio): boolean {
  if (!reference || !result) return false;
  const names = new Set(listShapes(reference));
  return listShapes(result).some((name) => names.has(name));
}

interface Drag {
  isOn(): boolean;
  /** Whether a bone can be dragged. */
  pick(bone: number): boolean;
  click(bone: number): void;
  move(bone: number, target: Vector3): void;
  headOf(bone: number): Vector3;
}

/** Drags joints under the pointer; these events do not reach the camera. */
function makeDrag(viewport: Viewport, drag: Drag): void {
  const area = find('#viewport');
  let taken: { bone: number; x: number; y: number; plane: Plane; hasMoved: boolean } | undefined;
  area.addEventListener(
    'pointerdown',
    (event) => {
      if (!drag.isOn() || event.button !== 0 || event.target !== viewport.canvas) return;
      const cast = viewport.cast(event);
      if (!cast || cast.slot !== viewport.slots.result) return;
      const bone = cast.slot.pickBone(cast.raycaster);
      if (!drag.pick(bone)) return;
      const { camera, world } = viewport.stage;
      const head = drag.headOf(bone).applyMatrix4(world.matrixWorld);
      const plane = new Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), head);
      taken = { bone, x: event.clientX, y: event.clientY, plane, hasMoved: false };
      viewport.controls.enabled = false;
    },
    { capture: true },
  );
  addEventListener('pointermove', (event) => {
    if (!taken) return;
    if (Math.hypot(event.clientX - taken.x, event.clientY - taken.y) > DRAG) taken.hasMoved = true;
    if (!taken.hasMoved) return;
    const cast = viewport.cast(event);
    const hit = cast?.raycaster.ray.intersectPlane(taken.plane, new Vector3());
    if (hit) drag.move(taken.bone, viewport.stage.world.worldToLocal(hit));
  });
  addEventListener('pointerup', () => {
    if (!taken) return;
    viewport.controls.enabled = true;
    if (!taken.hasMoved) drag.click(taken.bone);
    taken = undefined;
  });
}
