// SPDX-License-Identifier: MIT
// The large view: one renderer, one camera, one or two shapes; side by side, wiped, or as a difference. It draws only when something changed.
import {
  Box3,
  NeutralToneMapping,
  type Object3D,
  PCFShadowMap,
  Raycaster,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { colorOf } from '../elements/theme.ts';
import type { Studio } from '../state/studio.ts';
import { lookAlong, orbitBy, type Standpoint, zoomBy } from './camera-moves.ts';
import { Slot } from './comparison-side.ts';
import { Painter } from './painter.ts';
import { frameBox, makeScene, type StageColors } from './scene.ts';

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Pass {
  slot: 'reference' | 'result';
  view: Rectangle;
  scissor: Rectangle;
}

export class Viewport {
  readonly studio: Studio;
  readonly canvas: HTMLCanvasElement;
  readonly renderer: WebGLRenderer;
  readonly stage = makeScene(listColors());
  readonly controls: OrbitControls;
  readonly slots = { reference: new Slot(), result: new Slot() };
  /** Objects of tools, shown with the result. */
  readonly tools: Object3D[] = [];
  readonly painter: Painter;
  #isDirty = true;
  #project = -1;
  /** Whether the camera has not moved since it was set to show everything. */
  #isHome = true;
  #shape = '';
  #drawn: (() => void)[] = [];
  frameMilliseconds = 0;
  /** Whether something else is drawn in place of the viewport. */
  isCovered = false;

  constructor(studio: Studio, canvas: HTMLCanvasElement) {
    this.studio = studio;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.controls = new OrbitControls(this.stage.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => {
      this.#isHome = false;
    });
    this.renderer.toneMapping = NeutralToneMapping;
    this.painter = new Painter(studio, this.slots, () => this.invalidate());
    for (const slot of Object.values(this.slots)) this.stage.world.add(slot.group);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement as HTMLElement);
    addEventListener('themechange', () => {
      this.stage.paint(listColors());
      this.invalidate();
    });
    studio.on(['shown', 'versions'], () => this.#takeVersions());
    studio.on(['frame', 'view', 'shown', 'comparison', 'live', 'pose', 'edit'], () => this.refresh());
  }

  invalidate(): void {
    this.#isDirty = true;
  }

  /** Calls a function after every drawing, to update overlays. */
  onDrawn(listener: () => void): void {
    this.#drawn.push(listener);
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement as HTMLElement;
    this.renderer.setSize(Math.max(1, clientWidth), Math.max(1, clientHeight), false);
    this.invalidate();
  }

  /** The outermost points of the shape over its whole motion. */
  get #reach(): Vector3[] {
    const { actor, group, version } = this.slots.reference;
    group.updateWorldMatrix(true, false);
    const moving = version?.reach[this.studio.state.motion];
    const points = moving?.length ? moving : (actor?.view.positions ?? new Float32Array(0));
    return Array.from({ length: points.length / 3 }, (_, i) =>
      new Vector3().fromArray(points, 3 * i).applyMatrix4(group.matrixWorld),
    );
  }

  /** The box of the shape over its whole motion. */
  get box(): Box3 {
    const box = new Box3().setFromPoints(this.#reach);
    return box.isEmpty() ? new Box3(new Vector3(-1, 0, -1), new Vector3(1, 2, 1)) : box;
  }

  /** Moves the camera to show everything. */
  home(): void {
    const { camera } = this.stage;
    const [pass] = this.passes();
    camera.aspect = pass.view.width / Math.max(1, pass.view.height);
    camera.updateProjectionMatrix();
    frameBox(camera, this.controls, this.box, this.#reach);
    this.#isHome = true;
    this.invalidate();
  }

  /** Moves the camera to the locked bone, or to show everything. */
  focus(): void {
    const { lock } = this.studio.state;
    const heads = this.slots.result.bones?.heads;
    if (lock < 0 || !heads || 3 * lock + 3 > heads.length) {
      this.home();
      return;
    }
    const head = new Vector3().fromArray(heads, 3 * lock).applyMatrix4(this.stage.world.matrixWorld);
    const size = this.box.getSize(new Vector3()).length() / 12;
    frameBox(this.stage.camera, this.controls, new Box3(head.clone().subScalar(size), head.clone().addScalar(size)));
    this.#isHome = false;
    this.invalidate();
  }

  /** Position and target of the camera, to store them. */
  get cameraNumbers(): number[] {
    return [...this.stage.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  setCamera(numbers: readonly number[]): void {
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.#move(() => {
      this.stage.camera.position.fromArray(numbers);
      this.controls.target.fromArray(numbers, 3);
      this.controls.update();
    });
  }

  lookFrom(standpoint: Standpoint): void {
    this.#move(() => lookAlong(this.stage.camera, this.controls, standpoint));
  }

  orbit(azimuth: number, elevation: number): void {
    this.#move(() => orbitBy(this.stage.camera, this.controls, azimuth, elevation));
  }

  zoom(factor: number): void {
    this.#move(() => zoomBy(this.stage.camera, this.controls, factor));
  }

  #move(change: () => void): void {
    change();
    this.#isHome = false;
    this.invalidate();
  }

  #takeVersions(): void {
    const { studio, slots } = this;
    slots.reference.setVersion(studio.reference);
    slots.result.setVersion(studio.result ?? studio.reference);
    const project = studio.reference?.project ?? -1;
    if (project === this.#project) return;
    this.#project = project;
    if (!studio.reference) return;
    const up = studio.reference.facts.size.up;
    this.stage.world.rotation.set(up === 'z' ? -Math.PI / 2 : 0, 0, up === 'x' ? Math.PI / 2 : 0);
    this.stage.world.updateMatrixWorld(true);
    this.stage.fit(this.box);
    this.home();
  }

  /** Updates shapes and colours from the state. */
  refresh(): void {
    this.painter.refresh();
    this.invalidate();
  }

  get worst(): { vertex: number; distance: number } | undefined {
    return this.painter.worst;
  }

  /** The drawn passes and their rectangles, in CSS pixels from the lower left. */
  passes(): Pass[] {
    const { width, height } = this.renderer.getSize(new Vector2());
    const { view, wipe } = this.studio.state;
    const whole = { x: 0, y: 0, width, height };
    if (!this.studio.isPair) return [{ slot: 'result', view: whole, scissor: whole }];
    if (view === 'side' && height > width) {
      // on a narrow screen, one above the other
      const half = Math.floor(height / 2);
      const upper = { x: 0, y: height - half, width, height: half };
      const lower = { x: 0, y: 0, width, height: height - half };
      return [
        { slot: 'reference', view: upper, scissor: upper },
        { slot: 'result', view: lower, scissor: lower },
      ];
    }
    if (view === 'side') {
      const half = Math.floor(width / 2);
      const left = { x: 0, y: 0, width: half, height };
      const right = { x: half, y: 0, width: width - half, height };
      return [
        { slot: 'reference', view: left, scissor: left },
        { slot: 'result', view: right, scissor: right },
      ];
    }
    if (view === 'wipe') {
      const at = Math.round(width * wipe);
      return [
        { slot: 'reference', view: whole, scissor: { ...whole, width: at } },
        { slot: 'result', view: whole, scissor: { ...whole, x: at, width: width - at } },
      ];
    }
    return [{ slot: view === 'reference' ? 'reference' : 'result', view: whole, scissor: whole }];
  }

  /** Draws if something changed. */
  draw(isForced = false): void {
    if ((!this.#isDirty && !isForced) || this.isCovered) return;
    this.#isDirty = false;
    const [{ view: first }] = this.passes();
    const shape = `${first.width} ${first.height}`;
    if (this.#isHome && shape !== this.#shape) this.home();
    this.#shape = shape;
    const start = performance.now();
    const { renderer, slots } = this;
    const { scene, camera } = this.stage;
    renderer.setScissorTest(true);
    for (const { slot, view, scissor } of this.passes()) {
      slots.reference.group.visible = slot === 'reference';
      slots.result.group.visible = slot === 'result';
      this.stage.light(slots[slot].actor?.hasSurface === true);
      for (const tool of this.tools) tool.visible = slot === 'result' && tool.userData.isOn === true;
      renderer.setViewport(view.x, view.y, view.width, view.height);
      renderer.setScissor(scissor.x, scissor.y, scissor.width, scissor.height);
      camera.aspect = view.width / Math.max(1, view.height);
      camera.updateProjectionMatrix();
      renderer.clear();
      renderer.render(scene, camera);
    }
    this.frameMilliseconds = performance.now() - start;
    for (const listener of this.#drawn) listener();
  }

  /** Position in a pass of a point in file space, in CSS pixels from the upper left; undefined if it is behind the camera or outside. */
  project(x: number, y: number, z: number, slot: 'reference' | 'result'): { x: number; y: number } | undefined {
    const pass = this.passes().find((one) => one.slot === slot);
    if (!pass) return undefined;
    const { camera, world } = this.stage;
    const point = new Vector3(x, y, z).applyMatrix4(world.matrixWorld);
    camera.aspect = pass.view.width / Math.max(1, pass.view.height);
    camera.updateProjectionMatrix();
    point.project(camera);
    if (point.z > 1) return undefined;
    const left = pass.view.x + ((point.x + 1) / 2) * pass.view.width;
    const { height } = this.renderer.getSize(new Vector2());
    if (left < pass.scissor.x || left > pass.scissor.x + pass.scissor.width) return undefined;
    return { x: left, y: height - (pass.view.y + ((point.y + 1) / 2) * pass.view.height) };
  }

  /** The ray under a pointer, and the side of the comparison it hits. */
  cast(event: { clientX: number; clientY: number }): { slot: Slot; raycaster: Raycaster } | undefined {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = box.bottom - event.clientY;
    const pass = this.passes().find(
      ({ scissor: s }) => x >= s.x && x < s.x + s.width && y >= s.y && y < s.y + s.height,
    );
    if (!pass) return undefined;
    const { camera } = this.stage;
    camera.aspect = pass.view.width / Math.max(1, pass.view.height);
    camera.updateProjectionMatrix();
    const raycaster = new Raycaster();
    const ndc = new Vector2(
      (2 * (x - pass.view.x)) / pass.view.width - 1,
      (2 * (y - pass.view.y)) / pass.view.height - 1,
    );
    raycaster.setFromCamera(ndc, camera);
    return { slot: this.slots[pass.slot], raycaster };
  }
}

function listColors(): StageColors {
  return {
    top: colorOf('--stage-edge'),
    horizon: colorOf('--stage-center'),
    bottom: colorOf('--stage'),
    grid: colorOf('--grid'),
    axis: colorOf('--axis'),
  };
}
