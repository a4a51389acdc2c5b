// SPDX-License-Identifier: MIT
import { decomposeAffine } from '../../../core/math/decompose-affine.ts';
import { multiplyQuaternions } from '../../../core/math/quaternion.ts';
import type { Scene, SceneCamera, SceneLight } from '../../gltf/index.ts';
import { screenFromLight } from '../fbx-colors.ts';
import { degreesFromQuaternionInto } from '../fbx-degrees.ts';
import { fbxDouble, fbxNode, type PackedNode } from '../syntax/fbx-pack.ts';
import { type FbxBuilder, type FbxProperty, fbxProperties, fbxVector } from './fbx-builder.ts';
import type { FbxPlan, PlannedModel } from './fbx-plan-models.ts';
import { listUserProperties } from './fbx-user-properties.ts';

const DEGREES = 180 / Math.PI;
/** Height of the film of a camera, inches: the angle of view counts. */
const FILM = 0.612;
/** Degrees from the axes of a camera or light of FBX to those of a scene: they look along x and shine along −y. */
const POST_ROTATIONS = { Camera: [0, -90, 0], Light: [-90, 0, 0] } as const;
/** A scale of zero cannot be taken out of a matrix again. */
const LEAST_SCALE = 1e-6;
const LIGHT_TYPES = { point: 0, directional: 1, spot: 2 } as const;

/**
 * Adds the models of a plan with their attributes, and connects them. Matrices multiply as in glTF.
 * @param scale factor on lengths
 * @returns by model: its identifier
 */
export function addFbxModels(builder: FbxBuilder, scene: Scene, plan: FbxPlan, scale: number): number[] {
  const ids: number[] = [];
  for (const model of plan.models) {
    const id = builder.add('Model', model.name, 'Model', model.kind, [
      fbxNode('Version', [232]),
      fbxProperties([
        ['RotationActive', 'bool', '', '', 1],
        ['InheritType', 'enum', '', '', 1],
        ['DefaultAttributeIndex', 'int', 'Integer', '', 0],
        ...listTransform(scene, plan, model, scale),
        ...listUserProperties(model.extras),
      ]),
      fbxNode('Shading', [{ type: 'C', value: 1 }]),
      fbxNode('Culling', ['CullingOff']),
    ]);
    builder.connect(id, model.parent < 0 ? undefined : ids[model.parent]);
    ids.push(id);
    const attribute = addAttribute(builder, scene, model, scale);
    if (attribute !== undefined) builder.connect(attribute, id);
  }
  return ids;
}

function listTransform(
  { nodes }: Scene,
  { frames, signs }: FbxPlan,
  model: PlannedModel,
  scale: number,
): FbxProperty[] {
  const { kind, node } = model;
  const post = kind === 'Camera' || kind === 'Light' ? POST_ROTATIONS[kind] : undefined;
  const turned: FbxProperty[] = post ? [vector('PostRotation', post)] : [];
  if (node < 0 && model.parent >= 0) return [...turned, ...listLocal([0, 0, 0], [0, 0, 0], [1, 1, 1])];
  if (node < 0) {
    // a skinned mesh where it was bound
    const place = decomposeAffine(model.world);
    return listLocal(
      place.translation.map((x) => scale * x),
      degreesOf(place.rotation),
      place.scale,
    );
  }
  const { pre, flip } = frames[node];
  const q = Float64Array.of(-pre[0], -pre[1], -pre[2], pre[3]);
  multiplyQuaternions(q, nodes.rotations.subarray(4 * node, 4 * node + 4), q);
  multiplyQuaternions(q, flip, q);
  const isTurned = pre[3] !== 1;
  const translation = nodes.translations.subarray(3 * node, 3 * node + 3).map((x) => scale * x);
  const scaling = nodes.scales.subarray(3 * node, 3 * node + 3).map((x, c) => signs[node][c] * x || LEAST_SCALE);
  return [
    ...(isTurned ? [vector('PreRotation', degreesOf(pre))] : []),
    ...turned,
    ...listLocal(translation, degreesOf(q), scaling),
  ];
}

function listLocal(
  translation: ArrayLike<number>,
  rotation: ArrayLike<number>,
  scaling: ArrayLike<number>,
): FbxProperty[] {
  return [
    fbxVector('Lcl Translation', translation),
    fbxVector('Lcl Rotation', rotation),
    fbxVector('Lcl Scaling', scaling),
  ];
}

function vector(name: string, values: ArrayLike<number>): FbxProperty {
  return [name, 'Vector3D', 'Vector', '', fbxDouble(values[0]), fbxDouble(values[1]), fbxDouble(values[2])];
}

function degreesOf(q: ArrayLike<number>): Float64Array {
  const out = new Float64Array(3);
  degreesFromQuaternionInto(q, 0, out, 0);
  return out;
}

/** What a model is, apart from its place. Meshes have a geometry instead. */
function addAttribute(
  builder: FbxBuilder,
  { cameras = [], lights = [] }: Scene,
  { kind, name, camera, light }: PlannedModel,
  scale: number,
): number | undefined {
  const add = (type: string, children: PackedNode[]): number =>
    builder.add('NodeAttribute', name, 'NodeAttribute', type, children);
  if (kind === 'LimbNode') return add('LimbNode', [fbxNode('TypeFlags', ['Skeleton'])]);
  if (kind === 'Null') return add('Null', [fbxNode('TypeFlags', ['Null'])]);
  if (camera !== undefined)
    return add('Camera', [
      fbxNode('TypeFlags', ['Camera']),
      fbxNode('GeometryVersion', [124]),
      fbxProperties(listCamera(cameras[camera], scale)),
    ]);
  if (light !== undefined)
    return add('Light', [
      fbxNode('TypeFlags', ['Light']),
      fbxNode('GeometryVersion', [124]),
      fbxProperties(listLight(lights[light], scale)),
    ]);
  return undefined;
}

function listCamera(camera: SceneCamera, scale: number): FbxProperty[] {
  const number = (name: string, value: number): FbxProperty => [name, 'double', 'Number', '', fbxDouble(value)];
  const choice = (name: string, value: number): FbxProperty => [name, 'enum', '', '', value];
  const planes = [
    number('NearPlane', scale * camera.near),
    number('FarPlane', scale * (camera.far ?? Math.max(1000, 1000 * camera.near))),
  ];
  if (camera.kind === 'orthographic')
    return [
      choice('CameraProjectionType', 1),
      number('OrthoZoom', scale * camera.height),
      number('AspectWidth', camera.width),
      number('AspectHeight', camera.height),
      ...planes,
    ];
  const { fieldOfView, aspect = 1 } = camera;
  const across = 2 * Math.atan(Math.tan(fieldOfView / 2) * aspect);
  return [
    choice('CameraProjectionType', 0),
    // the angle is that across the height of the film
    choice('ApertureMode', 2),
    choice('GateFit', 1),
    number('FieldOfView', fieldOfView * DEGREES),
    number('FieldOfViewX', across * DEGREES),
    number('FieldOfViewY', fieldOfView * DEGREES),
    number('FocalLength', (25.4 * FILM) / (2 * Math.tan(fieldOfView / 2))),
    number('FilmWidth', FILM * aspect),
    number('FilmHeight', FILM),
    number('FilmAspectRatio', aspect),
    choice('AspectRatioMode', 2),
    number('AspectWidth', aspect),
    number('AspectHeight', 1),
    ...planes,
  ];
}

function listLight({ kind, color, intensity, range, cone }: SceneLight, scale: number): FbxProperty[] {
  const number = (name: string, value: number): FbxProperty => [name, 'Number', '', 'A', fbxDouble(value)];
  const choice = (name: string, value: number): FbxProperty => [name, 'enum', '', '', value];
  const [red, green, blue] = color.map((x) => fbxDouble(screenFromLight(x)));
  return [
    choice('LightType', LIGHT_TYPES[kind]),
    ['CastLight', 'bool', '', '', 1],
    ['Color', 'Color', '', 'A', red, green, blue],
    number('Intensity', 100 * intensity),
    // as the square of the distance
    choice('DecayType', kind === 'directional' ? 0 : 2),
    ...(cone ? [number('InnerAngle', 2 * cone[0] * DEGREES), number('OuterAngle', 2 * cone[1] * DEGREES)] : []),
    ...(range === undefined
      ? []
      : [['EnableFarAttenuation', 'bool', '', '', 1] as const, number('FarAttenuationEnd', scale * range)]),
  ];
}
