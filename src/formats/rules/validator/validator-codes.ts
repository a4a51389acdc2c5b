// SPDX-License-Identifier: MIT
import type { Severity } from '../finding.ts';

/** What a message of the Khronos validator means for a user. */
export interface CodeMeaning {
  rule: string;
  /** Default: that of the validator. */
  severity?: Severity;
  /** Default: the message. */
  fault?: string;
  remedy: string;
  canFix: boolean;
  /** Rules that find the same: if one did, the message is left out. */
  same?: readonly string[];
}

const AGAIN = 'write the file again';
const NUMBERS = [
  ...['weight-number', 'normal-direction', 'tangent-direction', 'position-finite', 'number-finite', 'morph-finite'],
  ...['bind-missing', 'key-broken', 'track-broken', 'unreadable'],
];

const LIST: Readonly<Record<string, CodeMeaning>> = {
  ACCESSOR_WEIGHTS_NON_NORMALIZED: {
    ...{ rule: 'weight-sum', severity: 'warning', fault: 'weights of vertices do not sum to one', canFix: true },
    ...{ remedy: 'scale the weights of each vertex to a sum of one', same: ['weight-number', 'weight-missing'] },
  },
  ACCESSOR_WEIGHTS_NEGATIVE: {
    ...{ rule: 'weight-number', fault: 'weights are negative', remedy: 'paint the vertices anew', canFix: true },
  },
  ACCESSOR_JOINTS_INDEX_OOB: {
    ...{ rule: 'joint-index', fault: 'vertices follow joints that the skin does not have', canFix: false },
    ...{ remedy: 'bind the mesh again', same: ['unreadable'] },
  },
  ACCESSOR_JOINTS_INDEX_DUPLICATE: {
    ...{ rule: 'joint-twice', severity: 'warning', fault: 'vertices follow one joint twice', canFix: true },
    remedy: 'add up the two weights',
  },
  ACCESSOR_JOINTS_USED_ZERO_WEIGHT: {
    ...{ rule: 'joint-zero', severity: 'note', fault: 'joints are named for weights of zero', canFix: true },
    remedy: 'name joint 0 there, which packs better',
  },
  ACCESSOR_INVALID_FLOAT: {
    ...{
      rule: 'number-finite',
      fault: 'numbers are not finite',
      remedy: 'set the numbers',
      canFix: true,
      same: NUMBERS,
    },
  },
  ACCESSOR_VECTOR3_NON_UNIT: {
    ...{ rule: 'normal-length', severity: 'warning', fault: 'directions are not of unit length', canFix: true },
    remedy: 'scale them to unit length',
    same: ['normal-direction', 'tangent-direction', 'tangent-length', 'number-finite'],
  },
  ACCESSOR_INVALID_SIGN: {
    ...{ rule: 'tangent-sign', severity: 'warning', fault: 'the side of tangents is neither 1 nor -1', canFix: true },
    ...{ remedy: 'compute the tangents anew', same: ['tangent-direction'] },
  },
  ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION: {
    ...{
      rule: 'rotation-length',
      severity: 'warning',
      fault: 'rotations of keys are not of unit length',
      canFix: true,
    },
    ...{ remedy: 'scale them to unit length', same: ['key-broken', 'track-broken'] },
  },
  ROTATION_NON_UNIT: {
    ...{ rule: 'rotation-unit', severity: 'warning', fault: 'its rotation is not of unit length', canFix: true },
    ...{ remedy: 'scale it to unit length', same: ['rotation-zero'] },
  },
  ACCESSOR_ANIMATION_INPUT_NEGATIVE: {
    ...{ rule: 'animation-start', fault: 'it has keys before time zero', canFix: true },
    remedy: 'move the keys so that the first is at zero',
  },
  ACCESSOR_ANIMATION_INPUT_NON_INCREASING: {
    ...{ rule: 'key-broken', fault: 'the times of its keys do not rise', canFix: true, same: ['key-jump'] },
    remedy: 'remove the keys, or move them',
  },
  ACCESSOR_INVALID_IBM: {
    ...{ rule: 'bind-singular', fault: 'an inverse bind matrix is no affine matrix', canFix: true },
    ...{ remedy: 'compute it from the rest pose', same: ['bind-missing'] },
  },
  INVALID_IBM_ACCESSOR_COUNT: {
    ...{ rule: 'bind-missing', fault: 'inverse bind matrices are missing', canFix: true },
    remedy: 'compute them from the rest pose',
  },
  NODE_SKINNED_MESH_LOCAL_TRANSFORMS: {
    ...{ rule: 'skinned-node', fault: 'it draws a skinned mesh and has a transform', canFix: true },
    remedy: 'clear it: players ignore it, and some programs do not',
  },
  NODE_SKINNED_MESH_NON_ROOT: {
    ...{ rule: 'skinned-parent', severity: 'note', fault: 'it draws a skinned mesh below another node', canFix: true },
    ...{ remedy: 'place it at the top: the transforms above it have no effect', same: ['skinned-node'] },
  },
  ANIMATION_CHANNEL_TARGET_NODE_SKIN: {
    ...{ rule: 'skinned-node', fault: 'an animation moves it, and it draws a skinned mesh', canFix: true },
    remedy: 'remove the track: it has no effect',
  },
  SKIN_NO_COMMON_ROOT: {
    ...{ rule: 'skeleton-roots', fault: 'the joints of a skin are below several roots', canFix: true },
    remedy: 'place them below one root',
  },
  SKIN_SKELETON_INVALID: {
    ...{
      rule: 'skeleton-node',
      severity: 'warning',
      fault: 'the node that is named as the root of the skin is not above its joints',
    },
    ...{ remedy: 'name the node above all joints, or none', canFix: true, same: ['reference', 'skeleton-roots'] },
  },
  NODE_SKIN_NO_SCENE: {
    ...{ rule: 'joint-scene', fault: 'its joints are not in the scene', canFix: true },
    remedy: 'add the root of the joints to the scene',
  },
  IMAGE_UNRECOGNIZED_FORMAT: {
    ...{ rule: 'image-damaged', fault: 'its bytes are of no image format', remedy: 'replace it', canFix: true },
    same: ['image-type'],
  },
  IMAGE_DATA_INVALID: { rule: 'image-data', remedy: 'save the image again', canFix: false, same: ['image-damaged'] },
  IMAGE_UNEXPECTED_EOS: {
    ...{ rule: 'image-data', fault: 'its bytes end too early', remedy: 'save the image again', canFix: false },
    same: ['image-damaged'],
  },
  IMAGE_FEATURES_UNSUPPORTED: {
    ...{ rule: 'image-profile', severity: 'note', canFix: false },
    ...{ fault: 'it has a colour profile, pixels that are not square, or frames' },
    remedy: 'save it again as sRGB: players take the pixels as they are',
  },
  // VRM 0 is named so
  INVALID_EXTENSION_NAME_FORMAT: { rule: 'extension-name', severity: 'note', remedy: 'keep it', canFix: false },
  IMAGE_MIME_TYPE_INVALID: {
    ...{
      rule: 'image-named',
      fault: 'its bytes are of another type than the file states',
      remedy: AGAIN,
      canFix: true,
    },
  },
  IMAGE_NON_ENABLED_MIME_TYPE: {
    ...{ rule: 'image-extension', remedy: 'convert it to PNG or JPEG, or declare its extension', canFix: true },
  },
  TEXTURE_INVALID_IMAGE_MIME_TYPE: {
    ...{ rule: 'image-extension', remedy: 'convert it to PNG or JPEG, or declare its extension', canFix: true },
  },
  IO_ERROR: {
    ...{ rule: 'file-missing', fault: 'a file that it names could not be read', canFix: true },
    ...{ remedy: 'place the file in the folder of this one', same: ['image-missing', 'unreadable'] },
  },
  NON_RELATIVE_URI: {
    ...{ rule: 'file-path', fault: 'it names a file by an absolute address', canFix: true },
    ...{ remedy: 'name it by a relative path', same: ['image-missing', 'unreadable'] },
  },
  INVALID_URI: {
    ...{ rule: 'file-path', fault: 'it names a file by an address that is none', canFix: true },
    ...{ remedy: 'name it by a relative path', same: ['image-missing', 'unreadable'] },
  },
  MESH_PRIMITIVE_TOO_FEW_TEXCOORDS: {
    ...{ rule: 'uv-missing', severity: 'warning', fault: 'its texture reads UVs that it does not have', canFix: false },
    remedy: 'unwrap the mesh, or take the texture from the material',
  },
  MESH_PRIMITIVE_NO_TANGENT_SPACE: {
    ...{
      rule: 'tangent-missing',
      severity: 'warning',
      remedy: 'export tangents, or give it UVs and normals',
      canFix: false,
    },
    same: ['uv-missing', 'normal-missing'],
  },
  VALUE_NOT_IN_RANGE: { rule: 'value-range', remedy: 'correct the value', canFix: true, same: ['material-range'] },
  ACCESSOR_NON_CLAMPED: {
    ...{ rule: 'color-range', severity: 'warning', fault: 'colours are not from 0 to 1', canFix: false },
    remedy: 'bring them into the range',
  },
  NODE_LOOP: {
    ...{ rule: 'node-loop', fault: 'it is its own ancestor', remedy: 'correct the hierarchy', canFix: false },
    same: ['unreadable'],
  },
  NODE_PARENT_OVERRIDE: {
    ...{ rule: 'node-parents', fault: 'it has two parents', remedy: 'correct the hierarchy', canFix: false },
    same: ['unreadable'],
  },
  MESH_PRIMITIVE_GENERATED_TANGENT_SPACE: {
    ...{ rule: 'tangent-missing', severity: 'note', fault: 'its normal map needs tangents', canFix: false },
    remedy: 'export tangents: players compute them in different ways',
  },
};

/** Codes about what only a person can correct. Others are about how a file is stored, and are gone once it is written again. */
const CONTENT = /^(KHR_|CAMERA_|MATERIAL_|IMAGE_|UNKNOWN_ASSET|ASSET_|MULTIPLE_EXTENSIONS)/;

/** What a code of the Khronos validator means. */
export function findCodeMeaning(code: string): CodeMeaning {
  if (Object.hasOwn(LIST, code)) return LIST[code];
  const remedy = CONTENT.test(code) ? 'correct it in the program that wrote the file' : AGAIN;
  return { rule: `gltf-${code.toLowerCase().replaceAll('_', '-')}`, remedy, canFix: !CONTENT.test(code) };
}
