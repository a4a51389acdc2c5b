// SPDX-License-Identifier: MIT
// The table of presets. Each fact has the place where the maker of the software states it, or the source that does it.

import type { Target, TargetName } from './target.ts';

const EPIC = 'https://dev.epicgames.com/documentation/en-us/unreal-engine';
const EPIC_SOURCE = 'https://github.com/EpicGames/UnrealEngine/blob/release/Engine/Source';
const UNITY = 'https://docs.unity3d.com/6000.1/Documentation';
const GODOT = 'https://docs.godotengine.org/en/stable';
const BLENDER = 'https://docs.blender.org/manual/en/latest';
const USD = 'https://openusd.org/release';

const UNREAL: Target = {
  name: 'unreal',
  title: 'Unreal Engine',
  formats: {
    value: ['.fbx', '.glb', '.gltf'],
    reason: 'The FBX importer is the one for characters; Interchange opens glTF from 5.3 on.',
    source: `${EPIC}/fbx-skeletal-mesh-pipeline-in-unreal-engine`,
  },
  up: {
    value: 'z',
    reason: 'The importer turns a file whose y axis points up by a rotation of its root bone.',
    source: `${EPIC}/fbx-import-options-reference-in-unreal-engine`,
  },
  metresPerUnit: {
    value: 0.01,
    reason: 'A unit is a centimetre. Other units become a scale of the root bone.',
    source: `${EPIC}/fbx-import-options-reference-in-unreal-engine`,
  },
  root: {
    value: 'root',
    reason:
      'A skinned mesh cannot have several root bones, and root motion is read from the one above all others, unrotated at the ground.',
    source: `${EPIC}/root-motion-in-unreal-engine`,
  },
  scale: {
    value: 'one',
    reason: 'Sockets, physics bodies and retargeting use the scale of bones.',
    source: `${EPIC}/fbx-import-options-reference-in-unreal-engine`,
  },
  names: {
    value: {
      refused: /[\s.,/`%:]/g,
      becomes: (character) => (character === ' ' ? '-' : '_'),
      characters: 'spaces . , / ` % :',
      longest: 255,
      isCaseBlind: true,
    },
    reason:
      'The importer makes hyphens of spaces in names of bones, underscores of . , / ` %, and removes what is before a colon; a skeleton with two bones of one name is an error, in upper or lower case.',
    source: `${EPIC_SOURCE}/Editor/UnrealEd/Private/Fbx/FbxMainImport.cpp`,
  },
  influences: {
    value: 8,
    reason: 'A vertex has 4, 8 or 12 influences. The renderer blends 8; 12 need Unlimited Bone Influences.',
    source: `${EPIC_SOURCE}/Runtime/Engine/Public/GPUSkinPublicDefs.h`,
  },
  bones: {
    value: 'similarity',
    reason: 'A bone has rotation, translation and scale; shear is ignored.',
    source: `${EPIC}/API/Runtime/Core/FTransform`,
  },
  takes: {
    value: 'one',
    reason: 'The FBX importer before Interchange reads one animation of a file.',
    source: 'https://docs.unrealengine.com/4.27/en-US/WorkingWithContent/Importing/FBX/SkeletalMeshes/',
  },
  textures: { value: 'embed', reason: 'Images inside of an FBX are imported with its materials.' },
  images: { value: ['image/png', 'image/jpeg'], reason: 'WebP is not imported.' },
  keys: { value: 'keep', reason: 'The importer samples curves at the frame rate of the file.' },
  stored: {
    value: ['quantize', 'draco'],
    reason: 'Interchange reads these two extensions of glTF; it does not read meshopt.',
    source: `${EPIC}/API/Plugins/GLTFCore/GLTF__EExtension`,
  },
};

const UNITY_ENGINE: Target = {
  name: 'unity',
  title: 'Unity',
  formats: {
    value: ['.fbx', '.glb', '.gltf'],
    reason: 'Unity imports FBX by itself, and glTF with the package glTFast.',
    source: `${UNITY}/Manual/3D-formats.html`,
  },
  up: { value: 'y', reason: 'The y axis points up in Unity.' },
  metresPerUnit: {
    value: 0.01,
    reason: 'The file scale of an FBX is the factor from its unit to metres, and Convert Units applies it.',
    source: `${UNITY}/ScriptReference/ModelImporter-fileScale.html`,
  },
  scale: {
    value: 'one',
    reason: 'Colliders and physics use the scale of the nodes above them.',
    source: `${UNITY}/Manual/FBXImporter-Model.html`,
  },
  names: {
    value: { refused: /\//g, characters: '/', longest: 255 },
    reason: 'Clips name a bone by its path, whose parts are divided by slashes; bones of one name have one path.',
    source: `${UNITY}/ScriptReference/AnimationClip.SetCurve.html`,
  },
  influences: {
    value: 4,
    reason: 'Skin Weights is 4 by default, and the lowest weights of a vertex are dropped. Custom reads 1 to 255.',
    source: `${UNITY}/ScriptReference/ModelImporter-maxBonesPerVertex.html`,
  },
  bones: {
    value: 'affine',
    reason: 'A skin uses the world matrices of its bones, which hold the shear of two nodes.',
    source: `${UNITY}/ScriptReference/Transform-lossyScale.html`,
  },
  takes: {
    value: 'all',
    reason: 'All animations of a file are imported, a clip each.',
    source: `${UNITY}/Manual/class-AnimationClip.html`,
  },
  textures: {
    value: 'beside',
    reason: 'Materials find images in a folder beside the model; embedded ones must be extracted by hand.',
    source: `${UNITY}/ScriptReference/ModelImporter.ExtractTextures.html`,
  },
  images: {
    value: ['image/png', 'image/jpeg'],
    reason: 'WebP is not imported.',
    source: `${UNITY}/Manual/ImportingTextures.html`,
  },
  keys: { value: 'keep', reason: 'Resample Curves makes quaternions at the frames of the file.' },
  stored: {
    value: ['quantize'],
    reason: 'glTFast reads it alone; Draco and meshopt need further packages.',
    source: 'https://docs.unity3d.com/Packages/com.unity.cloud.gltfast@6.9/manual/features.html',
  },
};

const GODOT_ENGINE: Target = {
  name: 'godot',
  title: 'Godot',
  formats: {
    value: ['.glb', '.gltf', '.fbx'],
    reason: 'glTF is recommended; FBX is read by ufbx from 4.3 on.',
    source: `${GODOT}/tutorials/assets_pipeline/importing_3d_scenes/available_formats.html`,
  },
  up: { value: 'y', reason: 'The y axis points up in Godot.' },
  metresPerUnit: {
    value: 1,
    reason: 'A unit is a metre; other units of an FBX are moved into the mesh.',
    source: 'https://godotengine.org/article/introducing-the-improved-ufbx-importer-in-godot-4-3/',
  },
  scale: {
    value: 'one',
    reason: 'A root scaled by 100 breaks levels of detail after retargeting.',
    source: 'https://github.com/godotengine/godot/issues/76892',
  },
  names: {
    value: { refused: /[.:@/"%]/g, characters: '. : @ / " %', longest: 255 },
    reason:
      'Godot replaces these characters in names of nodes and bones, and numbers names that occur twice; animations of other files then do not fit.',
    source: `${GODOT}/classes/class_string.html`,
  },
  influences: {
    value: 8,
    reason: 'A surface has 4 or 8 influences.',
    source: `${GODOT}/classes/class_mesh.html`,
  },
  bones: {
    value: 'similarity',
    reason: 'A pose is rotation, position and scale; the scale of a parent does not always shear its child.',
    source: `${GODOT}/classes/class_skeleton3d.html`,
  },
  takes: {
    value: 'all',
    reason: 'All animations are imported; those of an FBX are trimmed to the range in its header.',
    source: 'https://godotengine.org/article/introducing-the-improved-ufbx-importer-in-godot-4-3/',
  },
  textures: {
    value: 'embed',
    reason: 'Images are extracted on import.',
    source: `${GODOT}/tutorials/assets_pipeline/importing_3d_scenes/available_formats.html`,
  },
  images: {
    value: ['image/png', 'image/jpeg', 'image/webp'],
    reason: 'These three are read, WebP from glTF only.',
    source: `${GODOT}/tutorials/assets_pipeline/importing_images.html`,
  },
  keys: {
    value: 'keep',
    reason: 'The importer samples at 30 frames per second unless its setting says otherwise.',
    source: `${GODOT}/classes/class_resourceimporterscene.html`,
  },
  stored: {
    value: [],
    reason:
      'A file that requires an extension that Godot does not know is not opened, and its list has none of the three compressions.',
    source: 'https://github.com/godotengine/godot/pull/120205',
  },
};

const BLENDER_APP: Target = {
  name: 'blender',
  title: 'Blender',
  formats: {
    value: ['.glb', '.gltf', '.fbx', '.usdc', '.usdz', '.usda'],
    reason: 'The importer of glTF reads most of a character.',
    source: `${BLENDER}/addons/import_export/scene_gltf2.html`,
  },
  up: {
    value: 'z',
    reason: 'The importer of FBX turns the armature of a file whose y axis points up; z points up in Blender.',
    source: `${BLENDER}/addons/import_export/scene_fbx.html`,
  },
  metresPerUnit: {
    value: 1,
    reason: 'A unit is a metre; another unit of an FBX becomes a scale of the armature.',
    source: `${BLENDER}/addons/import_export/scene_fbx.html`,
  },
  root: {
    value: 'root',
    reason:
      'Nodes above the bones become transforms of the armature, and each bone without a parent moves by itself; one unrotated root keeps both apart.',
    source: `${BLENDER}/addons/import_export/scene_gltf2.html`,
  },
  scale: {
    value: 'one',
    reason: 'Constraints and physics use the scale of the armature.',
    source: `${BLENDER}/scene_layout/object/editing/apply.html`,
  },
  names: {
    value: { refused: /(?!)/g, characters: '', longest: 63 },
    reason: 'Names of bones have at most 63 bytes, those of objects too before version 5; longer ones are cut.',
    source: 'https://projects.blender.org/blender/blender/src/branch/main/source/blender/makesdna/DNA_armature_types.h',
  },
  bones: {
    value: 'similarity',
    reason: 'The pose of a bone is location, rotation and scale; importers ignore shear.',
    source: `${BLENDER}/addons/import_export/scene_fbx.html`,
  },
  takes: {
    value: 'all',
    reason: 'Every animation becomes an action.',
    source: `${BLENDER}/addons/import_export/scene_gltf2.html`,
  },
  textures: { value: 'embed', reason: 'Images are packed into the scene.' },
  images: {
    value: ['image/png', 'image/jpeg', 'image/webp'],
    reason: 'These three are read.',
    source: `${BLENDER}/files/media/image_formats.html`,
  },
  keys: { value: 'keep', reason: 'Keys keep their times and their interpolation.' },
  stored: {
    value: ['quantize', 'draco'],
    reason: 'The importer reads these two extensions; it does not read meshopt before version 5.',
    source: `${BLENDER}/addons/import_export/scene_gltf2.html`,
  },
};

const WEB: Target = {
  name: 'web',
  title: 'three.js',
  formats: {
    value: ['.glb', '.gltf'],
    reason: 'glTF is the format of the web; GLB is one request.',
    source: 'https://threejs.org/docs/#examples/en/loaders/GLTFLoader',
  },
  names: {
    value: {
      refused: /[[\].:/\s]/g,
      becomes: (character) => (/\s/.test(character) ? '_' : ''),
      characters: 'spaces [ ] . : /',
      longest: 255,
    },
    reason: 'three.js removes these characters from names; a page finds nodes by what is left.',
    source: 'https://github.com/mrdoob/three.js/blob/dev/src/animation/PropertyBinding.js',
  },
  influences: {
    value: 4,
    reason: 'Viewers need to read one set of four; three.js reads no second one.',
    source: 'https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html#skinned-mesh-attributes',
  },
  bones: {
    value: 'affine',
    reason: 'A node has no shear, but the matrices of a pair of nodes hold it.',
    source: 'https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html#transformations',
  },
  takes: { value: 'all', reason: 'A page chooses from the animations of one file.' },
  textures: { value: 'embed', reason: 'One file is one request.' },
  images: {
    value: ['image/png', 'image/jpeg', 'image/webp'],
    reason: 'Browsers decode these three; WebP needs EXT_texture_webp.',
    source: 'https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_texture_webp',
  },
  keys: { value: 'keep', reason: 'Keys are interpolated when they are played.' },
  stored: {
    value: ['quantize', 'meshopt', 'draco'],
    reason: 'three.js reads all three; the last two with a decoder that the page sets.',
    source: 'https://threejs.org/docs/#examples/en/loaders/GLTFLoader',
  },
};

const VRM: Target = {
  name: 'vrm',
  title: 'VRM',
  formats: {
    value: ['.vrm'],
    reason: 'An avatar is a GLB with the data of VRM. Its 15 required bones are unique and have a positive scale.',
    source: 'https://github.com/vrm-c/vrm-specification/blob/master/specification/VRMC_vrm-1.0/humanoid.md',
  },
  influences: {
    value: 4,
    reason: 'UniVRM, which most programs use, reads one set of four.',
    source: 'https://github.com/vrm-c/UniVRM/issues/1476',
  },
  bones: {
    value: 'similarity',
    reason: 'Poses of an avatar are rotations of its bones; scale is kept positive and uniform.',
    source: 'https://github.com/vrm-c/vrm-specification/blob/master/specification/VRMC_vrm-1.0/humanoid.md',
  },
  takes: {
    value: 'all',
    reason: 'Avatars are moved by the program; animations of the file are kept and mostly not played.',
  },
  textures: { value: 'embed', reason: 'An avatar is one file.' },
  images: {
    value: ['image/png', 'image/jpeg'],
    reason: 'These two are the types of plain glTF.',
    source: 'https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html#images',
  },
  keys: { value: 'keep', reason: 'Keys are interpolated when they are played.' },
  stored: {
    value: [],
    reason: 'Programs for avatars read plain glTF and the extensions of VRM.',
    source: 'https://github.com/vrm-c/vrm-specification/blob/master/specification/VRMC_vrm-1.0/README.md',
  },
};

const AR: Target = {
  name: 'ar',
  title: 'AR Quick Look',
  formats: {
    value: ['.usdz'],
    reason:
      'Quick Look opens USDZ: an archive without compression, aligned to 64 bytes, whose first file is a binary USD.',
    source: `${USD}/spec_usdz.html`,
  },
  up: {
    value: 'y',
    reason: 'Objects stand on the ground in y up, and face +z.',
    source: 'https://developer.apple.com/videos/play/wwdc2018/603/',
  },
  metresPerUnit: {
    value: 1,
    reason: 'The stage states its unit; one without it is in centimetres.',
    source: `${USD}/api/group___usd_geom_linear_units__group.html`,
  },
  influences: {
    value: 4,
    reason: 'Apple states no limit; four influences play everywhere.',
  },
  bones: {
    value: 'similarity',
    reason: 'A joint of UsdSkel is animated by translation, rotation and scale.',
    source: `${USD}/api/_usd_skel__schemas.html`,
  },
  takes: {
    value: 'one',
    reason: 'A stage plays one animation, in a loop.',
    source: 'https://github.com/google/usd_from_gltf#compatibility',
  },
  textures: { value: 'embed', reason: 'A package holds its images.', source: `${USD}/spec_usdz.html` },
  images: {
    value: ['image/png', 'image/jpeg'],
    reason: 'A package may hold these types.',
    source: `${USD}/spec_usdz.html`,
  },
  keys: { value: 'keep', reason: 'Joints are sampled once per frame of the stage.' },
  imageSize: {
    value: 2048,
    reason: 'Apple recommends one set of 2048 x 2048; larger images are reduced on small devices.',
    source: 'https://developer.apple.com/forums/thread/693867',
  },
};

/** The settings of every target. */
export const TARGETS: Readonly<Record<TargetName, Target>> = {
  unreal: UNREAL,
  unity: UNITY_ENGINE,
  godot: GODOT_ENGINE,
  blender: BLENDER_APP,
  web: WEB,
  vrm: VRM,
  ar: AR,
};

/** Names of the targets, in the order of help pages. */
export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[];
