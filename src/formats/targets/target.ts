// SPDX-License-Identifier: MIT
// What the software that plays a file expects of it. `--for` writes files that meet it, and `ossify check --for` says where a file does not (formats/rules).

/** Software that files are made for. */
export type TargetName = 'unreal' | 'unity' | 'godot' | 'blender' | 'web' | 'vrm' | 'ar';

/** A setting, and why the target needs it. */
export interface Setting<T> {
  value: T;
  /** A sentence for `ossify help presets`. */
  reason: string;
  /** Address of the documentation or the source code that shows it. */
  source?: string;
}

/** Names that a target reads without changing them. */
export interface NameRule {
  /** Characters that the target replaces or removes. Matches all of them (flag g). */
  refused: RegExp;
  /** What a refused character becomes: what the target makes of it, if that is known. Default: an underscore. */
  becomes?(character: string): string;
  /** The refused characters, for people. */
  characters: string;
  /** Longest name, bytes of UTF-8. */
  longest: number;
  /** Whether names that differ in upper and lower case are one name. */
  isCaseBlind?: boolean;
}

/** How a GLB may be stored: KHR_mesh_quantization, EXT_meshopt_compression, KHR_draco_mesh_compression. */
export type StoredForm = 'quantize' | 'meshopt' | 'draco';

/** The table of settings of a target. A setting that is absent is left as it is in the input. */
export interface Target {
  name: TargetName;
  /** For people: "Unreal Engine". */
  title: string;
  /** Extensions of outputs that it opens, the best one first. */
  formats: Setting<readonly string[]>;
  /** The axis that points up in formats that declare one. A glTF has y. */
  up?: Setting<'y' | 'z'>;
  /** Unit of the numbers of formats that declare one. A glTF has metres. */
  metresPerUnit?: Setting<number>;
  /** Name of the one root of all bones, unrotated and unscaled. */
  root?: Setting<string>;
  /** Scale of the nodes above and of the joints at rest: 'one' moves it into the mesh. */
  scale?: Setting<'one'>;
  names?: Setting<NameRule>;
  /** Most influences of a vertex. */
  influences?: Setting<number>;
  /** What a bone may do: 'affine' includes shear. */
  bones?: Setting<'rigid' | 'similarity' | 'affine'>;
  /** Animations of one file. */
  takes?: Setting<'all' | 'one'>;
  /** Images inside of the file, or in files beside it. */
  textures?: Setting<'embed' | 'beside'>;
  /** Types of images that it shows. */
  images?: Setting<readonly string[]>;
  /** Keys as they are, or one per frame where the target resamples. */
  keys?: Setting<'keep' | 'every frame'>;
  /** Largest width and height of an image, pixels. */
  imageSize?: Setting<number>;
  /** How a GLB may be stored. */
  stored?: Setting<readonly StoredForm[]>;
}
