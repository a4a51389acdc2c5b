// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { checkSkeleton, type Skeleton } from '../skin/skeleton.ts';
import { checkSkin, type Skin } from '../skin/skin.ts';
import type { Morphs } from './morphs.ts';

/** What the outputs of a driven bone are: a 3x4 matrix, or translation, rotation vector and scale. */
export const DRIVER_FORMS = ['matrix', 'rotation'] as const;
/** The form of the outputs of a driven bone. */
export type DriverForm = (typeof DRIVER_FORMS)[number];

/** Outputs per bone of each form. */
export const DRIVER_OUTPUTS: Readonly<Record<DriverForm, number>> = { matrix: 12, rotation: 9 };

/** The second factor of a linear term. */
export const NO_FACTOR = 0xffff_ffff;

/** Maximum number of shapes. */
export const MAX_SHAPES = 65_535;

/**
 * Sparse drivers: numbers of every bone from the weights of shapes. A term n is the weight of one shape, or the product of two; x = Σₙ termₙ · rowₙ are the outputs of all bones.
 * With c the origin of a bone's bind matrix, the bone moves a rest point v to
 * - form 'matrix': v + A (v − c) + t, where the outputs are the rows of [A t]: A₀₀ A₀₁ A₀₂ t₀ A₁₀ … t₂;
 * - form 'rotation': c + t + exp(r) F diag(1 + s) Fᵀ (v − c), where the outputs are t, r, s, and F are the axes of the bind matrix.
 * All weights zero give the rest shape.
 */
export interface ShapeDrivers {
  /** Names of the shapes, in the order of the weights. */
  shapes: string[];
  form: DriverForm;
  /** termCount x 2: the shapes of a product; NO_FACTOR as the second for a linear term */
  factors: Uint32Array;
  /** termCount + 1: entries of term n are rowStart[n] up to rowStart[n + 1] */
  rowStart: Uint32Array;
  /** entryCount: bone x outputs + output, ascending within a term */
  columns: Uint32Array;
  /** entryCount, file units and radians */
  values: Float32Array;
}

/** The weights of all shapes during an animation. */
export interface ShapeTrack {
  /** Name of the animation. */
  name: string;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** frameCount x shapeCount */
  weights: Float32Array;
}

/** Drivers of the bones of a rig, and the weights of the shapes in its animations. */
export interface DrivenShapes {
  drivers: ShapeDrivers;
  /** By name of the animation. */
  tracks: ShapeTrack[];
}

/** A plain skin whose bones are driven by the weights of shapes. Some shapes may remain as morph targets: they are added to the rest shape before the skin. */
export interface ShapeDrivenSkin {
  /** Discriminator. */
  kind: 'shape-driven';
  /** The rest shape. */
  mesh: Mesh;
  /**
   * The bones. The drivers are about the origins of their bind matrices. Bones have no parents, except for bones under the joints of a skin: a driven bone then follows its parent, and
   * bones without drivers are the joints.
   */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
  drivers: ShapeDrivers;
  /** Shapes that remain as morph targets, named as in drivers.shapes. */
  kept?: Morphs;
}

/** Throws an InputError unless the drivers are well formed. */
export function checkShapeDrivers(drivers: ShapeDrivers, boneCount: number): void {
  const { shapes, form, factors, rowStart, columns, values } = drivers;
  const fail = (fault: string): never => {
    throw new InputError('shape drivers', fault);
  };
  if (!DRIVER_FORMS.includes(form)) fail(`the form must be ${DRIVER_FORMS.join(' or ')}, got "${form}"`);
  if (shapes.length === 0 || shapes.length > MAX_SHAPES)
    fail(`the number of shapes must be 1 to ${MAX_SHAPES}, got ${shapes.length}`);
  const termCount = rowStart.length - 1;
  if (factors.length !== 2 * termCount || rowStart[0] !== 0 || rowStart[termCount] !== values.length)
    fail('factors, row starts and values disagree in number');
  if (columns.length !== values.length) fail(`there are ${columns.length} columns for ${values.length} values`);
  const width = boneCount * DRIVER_OUTPUTS[form];
  for (let n = 0; n < termCount; n++) {
    const [first, second] = [factors[2 * n], factors[2 * n + 1]];
    if (first >= shapes.length || (second >= shapes.length && second !== NO_FACTOR))
      fail(`term ${n} names a shape that does not exist; there are ${shapes.length}`);
    if (rowStart[n + 1] < rowStart[n] || rowStart[n + 1] > values.length)
      fail(`the row of term ${n} does not lie within the ${values.length} values`);
    for (let e = rowStart[n]; e < rowStart[n + 1]; e++) {
      if (columns[e] >= width) fail(`term ${n} drives output ${columns[e]} of ${width}`);
      if (e > rowStart[n] && columns[e] <= columns[e - 1]) fail(`the columns of term ${n} do not ascend`);
      if (!Number.isFinite(values[e])) fail(`term ${n} has a value that is not finite`);
    }
  }
}

/** Throws an InputError unless the parts of the model match. */
export function checkShapeDrivenSkin({ mesh, skeleton, skin, drivers }: ShapeDrivenSkin): void {
  checkSkeleton(skeleton);
  const vertexCount = mesh.positions.length / 3;
  if (skin.rowStart.length !== vertexCount + 1)
    throw new InputError('shape drivers', `the skin has ${skin.rowStart.length - 1} rows for ${vertexCount} vertices`);
  checkSkin(skin, skeleton.names.length);
  checkShapeDrivers(drivers, skeleton.names.length);
}
