// SPDX-License-Identifier: MIT
// Forty files of users: those of the data folder, and of public repositories, in a folder with a checkout of each (or of the files alone).
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Files of the data folder. */
const OWN = [
  'animals/Alpaca.glb',
  'animals/Wasp.glb',
  'characters/avatars/100Avatars_013_Mint.vrm',
  'characters/avatars/100Avatars_031_Devil.vrm',
  'characters/avatars/KayKit_Knight.glb',
  'characters/fbx/100Avatars_013_Mint.fbx',
  'characters/fbx/100Avatars_031_Devil.fbx',
  'characters/fbx/archer/ArcherRi01.fbx',
  'characters/fbx/rocketbox_goose/Bird_Goose_Grey_01.fbx',
  'characters/usd/AnimatedCube.usdz',
  'characters/usd/CesiumMan.usdz',
  'characters/usd/RiggedFigure.usdz',
  'creatures/fox-animations.glb',
  'faces/Male_Child_01_facial.fbx',
  'faces/ict-face.glb',
  'formats/Bone_Skin.fbx',
  'formats/MVPCloth.abc',
  'formats/MorphStressTest.glb',
  'rigs/Michelle.glb',
  'rigs/RobotExpressive.glb',
  'rigs/Xbot.glb',
] as const;

/** Files of KhronosGroup/glTF-Sample-Assets, ufbx/ufbx and usd-wg/assets. */
const PUBLIC = [
  'glTF-Sample-Assets/Models/BrainStem/glTF-Binary/BrainStem.glb',
  'glTF-Sample-Assets/Models/CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb',
  'glTF-Sample-Assets/Models/DamagedHelmet/glTF-Binary/DamagedHelmet.glb',
  'glTF-Sample-Assets/Models/InterpolationTest/glTF-Binary/InterpolationTest.glb',
  'glTF-Sample-Assets/Models/MorphPrimitivesTest/glTF-Binary/MorphPrimitivesTest.glb',
  'glTF-Sample-Assets/Models/MultiUVTest/glTF-Binary/MultiUVTest.glb',
  'glTF-Sample-Assets/Models/TextureTransformMultiTest/glTF-Binary/TextureTransformMultiTest.glb',
  'glTF-Sample-Assets/Models/VertexColorTest/glTF-Binary/VertexColorTest.glb',
  'glTF-Sample-Assets/Models/VirtualCity/glTF-Binary/VirtualCity.glb',
  'ufbx/data/blender_293_barbarian_7400_binary.fbx',
  'ufbx/data/max_gltf_material_7700_binary.fbx',
  'ufbx/data/maya_game_sausage_7500_binary_combined.fbx',
  'ufbx/data/blender_282_suzanne_and_transform_7400_binary.fbx',
  'ufbx/data/maya_kenney_character_7700_binary.fbx',
  'ufbx/data/maya_uv_and_color_sets_7500_binary.fbx',
  'usd-assets/full_assets/Teapot/Teapot.usd',
  'usd-assets/test_assets/NormalsTextureBiasAndScale/NormalsTextureBiasAndScale.usdz',
  'usd-assets/test_assets/RoughnessTest/RoughnessTest.usdz',
  'usd-assets/test_assets/USDZ/BrainStem/BrainStem.usdz',
] as const;

/** A file that is written in every format and read back. */
export interface TripFile {
  /** As in the table. */
  name: string;
  path: string;
}

/** Those of the forty that are there. */
export function listTripFiles(data: string, publicFolder: string | undefined): TripFile[] {
  const own = OWN.map((name) => ({ name, path: join(data, name) }));
  const others = publicFolder === undefined ? [] : PUBLIC.map((name) => ({ name, path: join(publicFolder, name) }));
  return [...own, ...others]
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }) => ({ name: name.split('/').at(-1) ?? name, path }));
}
