// SPDX-License-Identifier: MIT

import type { UpAxis } from '../core/model/asset.ts';
import { InputError } from '../core/model/errors.ts';
import { makeContactSheet } from './contact-sheet.ts';
import type { ThemeName } from './image/color.ts';
import type { ColorMapName } from './image/color-maps.ts';
import type { Image } from './image/image.ts';
import { renderView } from './render.ts';
import { fitCamera, suggestHeight, type View } from './scene/camera.ts';
import { formatNumber, heatColors } from './scene/heat-colors.ts';
import type { SceneLooks } from './texture/texture.ts';

/** Two shapes with the same vertices. */
export interface Comparison {
  /** vertexCount x 3: the expected shape */
  reference: ArrayLike<number>;
  /** vertexCount x 3: the shape that is measured */
  result: ArrayLike<number>;
  /** triangleCount x 3 */
  triangles: ArrayLike<number>;
  /** Materials of the triangles, in the pictures of the reference and of the result. Default: clay. */
  looks?: SceneLooks;
  /** vertexCount: error of each vertex, in the unit. Default: the distance, in file units. */
  errors?: ArrayLike<number>;
}

/** Options of renderComparison. */
export interface RenderComparisonOptions {
  /** A line above the pictures. */
  title?: string;
  /** A line under the title, for files and figures. */
  subtitle?: string;
  /** Name above the picture of the reference. */
  referenceName?: string;
  /** Name above the picture of the result. */
  resultName?: string;
  /** Error at the top of the scale; give one to compare frames. Default: the largest here. */
  max?: number;
  /** Unit of the errors. */
  unit?: string;
  /** Colour map of the errors. */
  map?: ColorMapName;
  /** Direction of the view. Default 'three-quarter'. */
  view?: View;
  /** Axis of the model that points up. Default 'y'. */
  up?: UpAxis;
  /** Points to fit the camera to (pointCount x 3). Default: the reference. */
  fit?: ArrayLike<number>;
  /** Default 'light'. */
  theme?: ThemeName;
  /** Width of each picture in pixels. Default 340. */
  width?: number;
  /** Height of each picture in pixels. Default: from the proportions of the shape. */
  height?: number;
}

/**
 * Three pictures in a row: the reference, the result, and the result coloured by its error, with a scale and a ring at the worst vertex.
 * @example
 * ```ts
 * import { renderComparison, writePng } from 'ossify/draw';
 *
 * const { triangles } = clip.mesh;
 * const image = renderComparison({ reference: clip.mesh.positions, result: positions, triangles }, { unit: 'm' });
 * const png = writePng(image);
 * ```
 */
export function renderComparison(comparison: Comparison, options: RenderComparisonOptions = {}): Image {
  const { reference, result, triangles, looks } = comparison;
  if (reference.length !== result.length) {
    throw new InputError(
      'renderComparison',
      `${reference.length / 3} vertices cannot be compared with ${result.length / 3}`,
    );
  }
  const { width = 340, theme, unit = '' } = options;
  const fit = options.fit ?? reference;
  const height = options.height ?? suggestHeight(fit, [options.view ?? 'three-quarter'], width, options.up);
  const errors = comparison.errors ?? measureDistances(reference, result);
  const heat = heatColors(errors, { max: options.max, map: options.map, unit, label: 'error' });
  const camera = fitCamera(fit, { width, height, view: options.view, up: options.up });
  const shared = { width, height, camera, theme };
  let worst = -1;
  for (let i = 0; i < errors.length; i++) if (errors[i] > (worst < 0 ? 0 : errors[worst])) worst = i;
  const ring =
    worst < 0
      ? undefined
      : [
          {
            position: [result[3 * worst], result[3 * worst + 1], result[3 * worst + 2]] as const,
            color: [0.1, 0.45, 0.9] as const,
            radius: 8,
            shape: 'ring' as const,
          },
        ];
  // Without an error there is no length for the top of the scale.
  const isScaled = worst >= 0 || options.max !== undefined;
  const worstText = worst < 0 ? 'no error' : `largest error ${formatNumber(errors[worst])}${unit && ` ${unit}`}`;
  return makeContactSheet(
    [
      {
        image: renderView({ positions: reference, triangles, looks }, shared),
        caption: options.referenceName ?? 'reference',
      },
      { image: renderView({ positions: result, triangles, looks }, shared), caption: options.resultName ?? 'result' },
      {
        image: renderView({ positions: result, triangles, heat, points: ring }, shared),
        caption: worstText,
      },
    ],
    { title: options.title, subtitle: options.subtitle, scale: isScaled ? heat.scale : undefined, theme, columns: 3 },
  );
}

function measureDistances(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const out = new Float64Array(a.length / 3);
  for (let i = 0; i < out.length; i++) {
    const x = a[3 * i] - b[3 * i];
    const y = a[3 * i + 1] - b[3 * i + 1];
    const z = a[3 * i + 2] - b[3 * i + 2];
    out[i] = Math.sqrt(x * x + y * y + z * z);
  }
  return out;
}
