// SPDX-License-Identifier: MIT
// Light, ground and camera of the viewport.
import {
  Box3,
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  Fog,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShaderChunk,
  ShadowMaterial,
  Vector3,
} from 'three';
import type { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { type BackdropColors, makeBackdrop } from './backdrop.ts';

/** Colours of the background (at the top, at the horizon and at the bottom), and of the lines of the ground and its axes. */
export interface StageColors extends BackdropColors {
  grid: string;
  axis: string;
}

const DARK: StageColors = {
  top: '#1b1d22',
  horizon: '#333a45',
  bottom: '#23262c',
  grid: '#4a515c',
  axis: '#79838f',
};

export interface StageScene {
  scene: Scene;
  camera: PerspectiveCamera;
  /** Objects in file coordinates, rotated so that y is up. */
  world: Group;
  /** Light and ground for shapes of this size. */
  fit(box: Box3): void;
  /** Changes the colours around the model. */
  paint(colors: StageColors): void;
  /** Light for materials, which are also lit by the environment, or for plain colours. */
  light(hasEnvironment: boolean): void;
}

export function makeScene(colors = DARK): StageScene {
  smoothShadows();
  const scene = new Scene();
  let backdrop = makeBackdrop(colors);
  scene.background = backdrop;
  const haze = new Color(colors.horizon);
  const camera = new PerspectiveCamera(35, 1, 0.01, 100);
  const world = new Group();
  const key = new DirectionalLight(0xfff3e2, 2.6);
  key.castShadow = true;
  key.shadow.mapSize.set(1024, 1024);
  key.shadow.bias = -0.0008;
  key.shadow.radius = 2.2;
  const rim = new DirectionalLight(0x9cc4ff, 1.1);
  const floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.32, depthWrite: false }));
  floor.rotation.x = -Math.PI / 2;
  floor.receiveShadow = true;
  let present = { square: 1, colors };
  let grid = makeGrid(present);
  const changeGrid = (change: Partial<typeof present>): void => {
    present = { ...present, ...change };
    const next = makeGrid(present);
    next.position.copy(grid.position);
    scene.remove(grid);
    grid.geometry.dispose();
    grid.material.dispose();
    grid = next;
    scene.add(grid);
  };
  /** A light background reflects more light onto plain colours, which would look muddy before it. */
  const skyOf = ({ r, g, b }: Color): number => (r + g + b > 1.5 ? 1.95 : 1.35);
  const sky = new HemisphereLight(0xdfe8f5, 0x3a342c, skyOf(haze));
  scene.add(world, sky, key, key.target, rim, floor, grid);
  return {
    scene,
    camera,
    world,
    paint(next) {
      backdrop.dispose();
      backdrop = makeBackdrop(next);
      scene.background = backdrop;
      haze.set(next.horizon);
      scene.fog?.color.copy(haze);
      changeGrid({ colors: next });
    },
    light(hasEnvironment) {
      sky.intensity = hasEnvironment ? 0 : skyOf(haze);
      key.intensity = hasEnvironment ? 1.5 : 2.6;
      rim.intensity = hasEnvironment ? 0.5 : 1.1;
    },
    fit(box) {
      const size = box.getSize(new Vector3());
      const center = box.getCenter(new Vector3());
      const radius = size.length() / 2 || 1;
      const ground = box.min.y;
      key.position.copy(center).add(new Vector3(0.7, 1.5, 1).setLength(4 * radius));
      key.target.position.copy(center);
      key.shadow.normalBias = 0.015 * radius;
      const half = 1.6 * radius;
      Object.assign(key.shadow.camera, {
        left: -half,
        right: half,
        top: half,
        bottom: -half,
        near: radius,
        far: 8 * radius,
      });
      key.shadow.camera.updateProjectionMatrix();
      rim.position.copy(center).add(new Vector3(-1, 0.7, -1.2).setLength(4 * radius));
      floor.position.set(center.x, ground, center.z);
      floor.scale.setScalar(16 * radius);
      // squares with a round size of about a quarter of the shape
      const step = 10 ** Math.floor(Math.log10(radius / 2));
      const square = radius / 2 / step > 5 ? 5 * step : radius / 2 / step > 2 ? 2 * step : step;
      changeGrid({ square });
      grid.position.set(center.x, ground - 0.002 * radius, center.z);
      scene.fog = new Fog(haze, 7 * radius, 26 * radius);
      camera.near = radius / 50;
      camera.far = radius * 60;
      camera.updateProjectionMatrix();
    },
  };
}

/** Shadows are sampled by the same pattern in every pixel: turned by noise, as three.js does it, the pattern is seen as stipple. */
function smoothShadows(): void {
  ShaderChunk.shadowmap_pars_fragment = ShaderChunk.shadowmap_pars_fragment.replaceAll(
    'interleavedGradientNoise( gl_FragCoord.xy ) * PI2',
    '0.0',
  );
}

/** Number of squares to either side of the middle. */
const REACH = 24;

/** A grid that fades with the distance from the middle. It consists of short lines: software renderers drop lines that pass behind the camera. */
function makeGrid({
  square,
  colors: stage,
}: {
  square: number;
  colors: StageColors;
}): LineSegments<BufferGeometry, LineBasicMaterial> {
  const positions: number[] = [];
  const colors: number[] = [];
  const [line, axis] = [stage.grid, stage.axis].map((one) => new Color(one));
  const add = (x: number, z: number, isAxis: boolean): void => {
    positions.push(x * square, 0, z * square);
    const fade = Math.max(0, 1 - Math.hypot(x, z) / REACH) ** 1.5;
    const { r, g, b } = isAxis ? axis : line;
    colors.push(r, g, b, fade);
  };
  for (let a = -REACH; a <= REACH; a++) {
    for (let b = -REACH; b < REACH; b++) {
      add(a, b, a === 0);
      add(a, b + 1, a === 0);
      add(b, a, a === 0);
      add(b + 1, a, a === 0);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(colors, 4));
  const material = { vertexColors: true, transparent: true, depthWrite: false, fog: false, toneMapped: false };
  return new LineSegments(geometry, new LineBasicMaterial(material));
}

/** Distance of the camera relative to the one at which a point touches the edge of the view. */
const MARGIN = 1.12;

/**
 * Places the camera so that points fill the view, from the front left and slightly above.
 * @param points by default the corners of the box
 */
export function frameBox(
  camera: PerspectiveCamera,
  controls: OrbitControls,
  box: Box3,
  points: readonly Vector3[] = listCorners(box),
): void {
  const center = box.getCenter(new Vector3());
  const size = box.getSize(new Vector3());
  const toCamera = new Vector3(0.75, 0.32, 0.9).normalize();
  const right = new Vector3(0, 1, 0).cross(toCamera).normalize();
  const up = toCamera.clone().cross(right);
  const tallest = Math.tan((camera.fov * Math.PI) / 360);
  const widest = tallest * Math.max(0.1, camera.aspect);
  const from = new Vector3();
  let distance = size.length() / 4;
  for (const point of points) {
    from.subVectors(point, center);
    const beside = Math.max(Math.abs(from.dot(right)) / widest, Math.abs(from.dot(up)) / tallest);
    distance = Math.max(distance, from.dot(toCamera) + beside);
  }
  camera.position.copy(center).addScaledVector(toCamera, MARGIN * distance);
  controls.target.copy(center);
  controls.minDistance = size.length() / 100;
  controls.maxDistance = size.length() * 12;
  controls.update();
}

function listCorners({ min, max }: Box3): Vector3[] {
  return Array.from(
    { length: 8 },
    (_, n) => new Vector3(n & 1 ? max.x : min.x, n & 2 ? max.y : min.y, n & 4 ? max.z : min.z),
  );
}

/** The bounding box of points transformed by a matrix. */
export function boxOf(positions: Float32Array, matrix = new Matrix4()): Box3 {
  const box = new Box3();
  const point = new Vector3();
  for (let c = 0; c < positions.length; c += 3) box.expandByPoint(point.fromArray(positions, c).applyMatrix4(matrix));
  return box;
}
