// SPDX-License-Identifier: MIT

import type { UpAxis } from '../core/model/asset.ts';
import { UsageError } from '../core/model/errors.ts';
import { type Rgb, THEMES, type ThemeName } from './image/color.ts';
import { type Image, makeImage } from './image/image.ts';
import { ambientOcclusion } from './scene/ambient-occlusion.ts';
import { type Camera, depthOf, fitCamera, projectInto, type View } from './scene/camera.ts';
import { cornerNormals } from './scene/corner-normals.ts';
import { groundShadow } from './scene/ground-shadow.ts';
import type { HeatScale } from './scene/heat-colors.ts';
import { drawLines, drawPoints, type SceneLine, type ScenePoint } from './scene/overlay.ts';
import { type Raster, rasterize } from './scene/rasterize.ts';
import { makeShader, type Shader } from './scene/shade.ts';
import type { SceneLooks } from './texture/texture.ts';

/** What a picture shows. */
export interface Scene {
  /** vertexCount x 3, file units */
  positions: ArrayLike<number>;
  /** triangleCount x 3 */
  triangles: ArrayLike<number>;
  /** vertexCount x 3, unit length. Default: smooth but for creases, computed here. */
  normals?: ArrayLike<number>;
  /** vertexCount x 3, 0 to 1, as shown. Default: clay. */
  colors?: ArrayLike<number>;
  /**
   * Values to colour (from heatColors), instead of colors. They are mapped at every pixel, so that a large triangle shows the colours of the scale
   * instead of a mix of the colours of its corners.
   */
  heat?: { values: ArrayLike<number>; scale: HeatScale };
  /** Materials of the triangles, without colors and heat: a colour, perhaps a texture. Triangles without one are clay. */
  looks?: SceneLooks;
  /** Light that the colours contain: of the surroundings (hollows are not darkened again), or all (they are drawn as they are). Default: none. */
  bakedLight?: 'ambient' | 'all';
  /** Lines on top of the mesh. */
  lines?: SceneLine[];
  /** Points on top of the mesh. */
  points?: ScenePoint[];
}

/** Options of renderView. */
export interface RenderOptions {
  /** Width in pixels. Default 640. */
  width?: number;
  /** Height in pixels. Default 480. */
  height?: number;
  /** Samples along each side of a pixel, 1 to 4. Default 2. */
  supersample?: number;
  /** Default 'three-quarter'. */
  view?: View;
  /** Axis of the model that points up. Default 'y'. */
  up?: UpAxis;
  /** A camera from fitCamera, in place of view and up; keep one to hold still over frames. */
  camera?: Camera;
  /** Points to fit the camera to (pointCount x 3), such as a clip's positions. Default: the scene's. */
  fit?: ArrayLike<number>;
  /** Default 'light'. */
  theme?: ThemeName;
  /** Leaves the background transparent. Default false. */
  transparent?: boolean;
  /** Colour of a mesh without colours. Default: the theme's clay. */
  color?: Rgb;
  /** Draws the triangles' edges. Default false. */
  wireframe?: boolean;
  /** One normal per triangle. Default false. */
  flat?: boolean;
  /** Opacity of the mesh, 0 to 1; below one, bones inside are visible. Default 1. */
  opacity?: number;
  /** Darkens hollows. Default true. */
  occlusion?: boolean;
  /** A soft shadow on the ground. Default true. */
  ground?: boolean;
}

export const RENDER_DEFAULTS = {
  width: 640,
  height: 480,
  supersample: 2,
  view: 'three-quarter',
  up: 'y',
  theme: 'light',
  transparent: false,
  wireframe: false,
  flat: false,
  opacity: 1,
  occlusion: true,
  ground: true,
} as const satisfies RenderOptions;

/** How far hollows are looked for, as a share of the shape's radius. */
const OCCLUSION_REACH = 0.16;

/**
 * Draws a scene. The same scene and options give the same bytes. Triangles with corners that are not finite, or that name missing
 * vertices, are left out; an empty scene gives an empty picture.
 * @example
 * ```ts
 * import { renderView, writePng } from 'ossify/draw';
 *
 * const image = renderView({ positions, triangles }, { view: 'front', width: 800, height: 600, transparent: true });
 * const png = writePng(image);
 * ```
 */
export function renderView(scene: Scene, options: RenderOptions = {}): Image {
  const width = options.width ?? RENDER_DEFAULTS.width;
  const height = options.height ?? RENDER_DEFAULTS.height;
  const supersample = options.supersample ?? RENDER_DEFAULTS.supersample;
  if (!(Number.isInteger(supersample) && supersample >= 1 && supersample <= 4)) {
    throw new UsageError('renderView', `supersample must be 1, 2, 3 or 4, got ${supersample}`);
  }
  const opacity = options.opacity ?? RENDER_DEFAULTS.opacity;
  if (!(opacity >= 0 && opacity <= 1))
    throw new UsageError('renderView', `opacity must be from 0 to 1, got ${opacity}`);
  const theme = THEMES[options.theme ?? RENDER_DEFAULTS.theme];
  const isTransparent = options.transparent ?? RENDER_DEFAULTS.transparent;
  const image = makeImage(width, height, theme.background, isTransparent ? 0 : 1);
  const camera =
    options.camera ??
    fitCamera(options.fit ?? scene.positions, {
      width,
      height,
      view: options.view,
      up: options.up ?? RENDER_DEFAULTS.up,
    });

  const points = projectPoints(camera, scene.positions, supersample);
  const raster = rasterize(points, scene.triangles, width * supersample, height * supersample);
  const shader = makeShader({
    camera,
    points,
    triangles: scene.triangles,
    colors: scene.colors,
    heat: scene.heat,
    looks: scene.looks,
    color: options.color ?? theme.clay,
    normals: scene.normals,
    cornerNormals: scene.normals
      ? undefined
      : cornerNormals(scene.positions, scene.triangles, options.flat ? 2 : undefined),
    isUnlit: scene.bakedLight === 'all',
    wireWidth: options.wireframe ? 0.7 * supersample : 0,
  });
  const isOccluded = !scene.bakedLight && (options.occlusion ?? RENDER_DEFAULTS.occlusion);
  const light = isOccluded ? occlude(camera, raster, shader, supersample) : undefined;
  const shadow =
    (options.ground ?? RENDER_DEFAULTS.ground)
      ? groundShadow(camera, scene.positions, scene.triangles, width, height)
      : undefined;
  resolve(image, raster, shader, { supersample, opacity, light, shadow, shade: theme.shadow });
  if (scene.lines) drawLines(image, camera, scene.lines);
  if (scene.points) drawPoints(image, camera, scene.points, theme);
  return image;
}

/** vertexCount x 3: sample x, sample y, nearness. */
function projectPoints(camera: Camera, positions: ArrayLike<number>, supersample: number): Float64Array {
  const points = new Float64Array(Math.floor(positions.length / 3) * 3);
  for (let o = 0; o < points.length; o += 3) {
    projectInto(camera, positions[o], positions[o + 1], positions[o + 2], points, o);
    points[o] *= supersample;
    points[o + 1] *= supersample;
  }
  return points;
}

/** Ambient light per pixel, from one sample of each. */
function occlude(camera: Camera, raster: Raster, shader: Shader, supersample: number): Float32Array {
  const width = raster.width / supersample;
  const height = raster.height / supersample;
  const surface = new Float32Array(width * height * 6);
  const normal = new Float64Array(3);
  const { right, up, toward } = camera;
  const middle = supersample >> 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const o = (y * width + x) * 6;
      const sx = x * supersample + middle;
      const sy = y * supersample + middle;
      const sample = sy * raster.width + sx;
      const f = raster.triangleOf[sample];
      if (f < 0) {
        surface[o] = Number.NaN;
        continue;
      }
      const near = raster.nearness[sample];
      const unit = 1 / (camera.scale * (camera.distance === Infinity ? 1 : 1 + near));
      surface[o] = ((sx + 0.5) / supersample - camera.offsetX) * unit;
      surface[o + 1] = (camera.offsetY - (sy + 0.5) / supersample) * unit;
      surface[o + 2] = depthOf(camera, near);
      shader.normalInto(f, sx + 0.5, sy + 0.5, normal);
      surface[o + 3] = normal[0] * right[0] + normal[1] * right[1] + normal[2] * right[2];
      surface[o + 4] = normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2];
      surface[o + 5] = normal[0] * toward[0] + normal[1] * toward[1] + normal[2] * toward[2];
    }
  }
  return ambientOcclusion({ width, height, surface }, OCCLUSION_REACH * camera.radius, camera.scale);
}

interface Layers {
  supersample: number;
  opacity: number;
  /** height x width, ambient light */
  light?: Float32Array;
  /** height x width, shadow on the ground */
  shadow?: Float32Array;
  shade: number;
}

/** Shades the samples of each pixel and lays their mean over the background. */
function resolve(image: Image, raster: Raster, shader: Shader, layers: Layers): void {
  const { supersample, opacity, light, shadow } = layers;
  const { pixels, width, height } = image;
  const color = new Float64Array(3);
  const share = 1 / (supersample * supersample);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const pixel = y * width + x;
      const ambient = light ? light[pixel] : 1;
      let r = 0;
      let g = 0;
      let b = 0;
      let count = 0;
      const whole = shader.isSmooth ? triangleOfPixel(raster, x, y, supersample) : -1;
      if (whole >= 0) {
        // One triangle fills the pixel: its middle stands for all samples.
        shader.shadeInto(whole, (x + 0.5) * supersample, (y + 0.5) * supersample, ambient, color);
        count = supersample * supersample;
        r = color[0] * count;
        g = color[1] * count;
        b = color[2] * count;
      } else {
        for (let sy = y * supersample; sy < (y + 1) * supersample; sy++) {
          for (let sx = x * supersample; sx < (x + 1) * supersample; sx++) {
            const f = raster.triangleOf[sy * raster.width + sx];
            if (f < 0) continue;
            shader.shadeInto(f, sx + 0.5, sy + 0.5, ambient, color);
            r += color[0];
            g += color[1];
            b += color[2];
            count++;
          }
        }
      }
      const cover = count * share * opacity;
      const dark = shadow ? shadow[pixel] * layers.shade : 0;
      if (cover === 0 && dark === 0) continue;
      // The ground's shadow is black of opacity dark over the background; the mesh lies over both.
      const o = pixel * 4;
      const under = (pixels[o + 3] / 255) * (1 - dark);
      const backAlpha = under + dark;
      const alpha = cover + backAlpha * (1 - cover);
      const back = (under * (1 - cover)) / (alpha * 255 * 255);
      const front = count > 0 ? cover / (count * alpha) : 0;
      pixels[o] = encode(r * front + pixels[o] * pixels[o] * back);
      pixels[o + 1] = encode(g * front + pixels[o + 1] * pixels[o + 1] * back);
      pixels[o + 2] = encode(b * front + pixels[o + 2] * pixels[o + 2] * back);
      pixels[o + 3] = Math.round(255 * alpha);
    }
  }
}

/** The triangle that all samples of a pixel show, or -1. */
function triangleOfPixel(raster: Raster, x: number, y: number, supersample: number): number {
  const { triangleOf, width } = raster;
  const first = triangleOf[y * supersample * width + x * supersample];
  for (let sy = y * supersample; sy < (y + 1) * supersample; sy++) {
    for (let sx = x * supersample; sx < (x + 1) * supersample; sx++) {
      if (triangleOf[sy * width + sx] !== first) return -1;
    }
  }
  return first;
}

/** Light to a byte as shown; NaN, which no input should reach this far, gives 0. */
function encode(light: number): number {
  return Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, light))));
}
