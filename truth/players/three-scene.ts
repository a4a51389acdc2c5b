// SPDX-License-Identifier: MIT
// three.js plays a loaded scene on the CPU.
import {
  type AnimationAction,
  type AnimationClip,
  AnimationMixer,
  type Bone,
  LoopOnce,
  type Material,
  Mesh,
  type Object3D,
  Quaternion,
  SkinnedMesh,
  Texture,
} from 'three';
import { MeshPlayer } from './mesh-player.ts';
import type { Inventory, PlayedClip, PlayedCounts, PlayedPart, PlayedScene } from './played-scene.ts';

export interface ThreeSettings {
  /** Use all weights of the file, where three.js uses four. For sources: their own software uses all of them. */
  allInfluences?: boolean;
  /** Further counts of what the loader keeps as it is in the file. */
  countsOf?: (meshes: readonly Mesh[]) => PlayedCounts;
  /** Clips that play at once: a loader made one animation of the file into several clips. Default: each alone. */
  groups?: readonly (readonly AnimationClip[])[];
  /** Names of joints in the file, by those of bones. */
  jointNames?: ReadonlyMap<string, string>;
  metresPerUnit?: number;
  scale?: number;
  inventory?: Partial<Inventory>;
}

export class ThreeScene implements PlayedScene {
  readonly parts: readonly PlayedPart[];
  readonly clips: readonly PlayedClip[];
  readonly counts: PlayedCounts;
  readonly inventory: Inventory;
  readonly jointNames: readonly string[];
  readonly metresPerUnit?: number;
  readonly scale: number;
  readonly #root: Object3D;
  readonly #meshes: readonly Mesh[];
  readonly #players: readonly MeshPlayer[];
  readonly #bones: readonly Bone[];
  readonly #mixer: AnimationMixer;
  readonly #groups: readonly (readonly AnimationClip[])[];
  readonly #nameOf: (bone: Bone) => string;

  constructor(root: Object3D, animations: readonly AnimationClip[], settings: ThreeSettings = {}) {
    this.#root = root;
    this.#meshes = listMeshes(root);
    this.#bones = [...new Set(this.#meshes.flatMap((mesh) => (isSkinned(mesh) ? mesh.skeleton.bones : [])))];
    this.#mixer = new AnimationMixer(root);
    this.#groups = settings.groups ?? animations.map((animation) => [animation]);
    this.#players = this.#meshes.map((mesh) => new MeshPlayer(mesh, settings.allInfluences ?? false));
    this.parts = this.#meshes.map(describePart);
    this.clips = this.#groups.map(describeClip);
    this.#nameOf = ({ name }) => settings.jointNames?.get(name) ?? name;
    this.jointNames = this.#bones.map(this.#nameOf);
    this.inventory = {
      ...countScene(root, this.#meshes, this.#bones),
      animations: this.clips.length,
      ...settings.inventory,
    };
    const { triangles, joints } = this.inventory;
    this.counts = { triangles, joints, animations: this.clips.length, ...settings.countsOf?.(this.#meshes) };
    this.metresPerUnit = settings.metresPerUnit;
    this.scale = settings.scale ?? 1;
  }

  play(clip: number | undefined, time: number): Float64Array {
    this.#mixer.stopAllAction();
    const actions = clip === undefined ? [] : this.#groups[clip].map((one) => this.#start(one, time));
    if (actions.length > 0) this.#mixer.update(0);
    return this.#positions();
  }

  turn(turns: ReadonlyMap<string, readonly number[]>): Float64Array {
    this.#mixer.stopAllAction();
    const before = this.#bones.map(({ quaternion }) => quaternion.clone());
    for (const bone of this.#bones) {
      const turn = turns.get(this.#nameOf(bone));
      if (turn) bone.quaternion.multiply(new Quaternion(...turn));
    }
    const positions = this.#positions();
    this.#bones.forEach((bone, b) => {
      bone.quaternion.copy(before[b]);
    });
    return positions;
  }

  #start(clip: AnimationClip, time: number): AnimationAction {
    const action = this.#mixer.clipAction(clip);
    action.reset().setLoop(LoopOnce, 1).play();
    // the file says what is shown at the end, not the loop
    action.clampWhenFinished = true;
    action.time = time;
    return action;
  }

  #positions(): Float64Array {
    this.#root.updateMatrixWorld(true);
    const out = new Float64Array(3 * this.parts.reduce((sum, { vertexCount }) => sum + vertexCount, 0));
    let at = 0;
    for (const player of this.#players) {
      player.playInto(out, at);
      at += 3 * player.vertexCount;
    }
    return out;
  }
}

const isSkinned = (mesh: Object3D): mesh is SkinnedMesh => mesh instanceof SkinnedMesh;

function listMeshes(root: Object3D): Mesh[] {
  const meshes: Mesh[] = [];
  root.traverse((object) => {
    if (object instanceof Mesh && object.geometry.attributes.position) meshes.push(object);
  });
  return meshes;
}

/** Vertices, and the maximum number of weights of one that are not zero, in all sets. */
export function countVertices(meshes: readonly Mesh[]): Required<Pick<PlayedCounts, 'vertices' | 'influences'>> {
  let [vertices, influences] = [0, 0];
  for (const { geometry } of meshes) {
    const { attributes } = geometry;
    const { count } = attributes.position;
    vertices += count;
    const sets = ['skinWeight', 'weights_1', 'weights_2', 'weights_3'].flatMap((name) => attributes[name] ?? []);
    for (let i = 0; i < count; i++) {
      let own = 0;
      for (const set of sets) for (let c = 0; c < 4; c++) if (set.getComponent(i, c) !== 0) own++;
      influences = Math.max(influences, own);
    }
  }
  return { vertices, influences };
}

function describePart(mesh: Mesh): PlayedPart {
  const { index, attributes } = mesh.geometry;
  const vertexCount = attributes.position.count;
  const corners = index ? Uint32Array.from(index.array) : Uint32Array.from({ length: vertexCount }, (_, i) => i);
  return { name: mesh.name, vertexCount, corners };
}

function describeClip(group: readonly AnimationClip[]): PlayedClip {
  const times = new Set<number>();
  for (const { tracks } of group) for (const track of tracks) for (const time of track.times) times.add(time);
  const keys = [...times].sort((a, b) => a - b);
  return { name: group[0].name, start: keys[0] ?? 0, end: keys.at(-1) ?? 0, keys };
}

function countScene(root: Object3D, meshes: readonly Mesh[], bones: readonly Bone[]): Omit<Inventory, 'animations'> {
  const materials = new Set(meshes.flatMap(({ material }): Material[] => [material].flat()));
  const objects: Object3D[] = [];
  root.traverse((object) => {
    if (object !== root) objects.push(object);
  });
  const has = (pattern: RegExp) =>
    Math.max(
      0,
      ...meshes.map(({ geometry }) => Object.keys(geometry.attributes).filter((key) => pattern.test(key)).length),
    );
  const targets = meshes.flatMap(({ morphTargetDictionary }) => Object.keys(morphTargetDictionary ?? {}));
  return {
    parts: meshes.reduce((sum, { material }) => sum + [material].flat().length, 0),
    triangles: meshes.reduce(
      (sum, { geometry: { index, attributes } }) => sum + (index ?? attributes.position).count / 3,
      0,
    ),
    materials: materials.size,
    textures: countTextures([...materials]),
    uvSets: has(/^(uv\d?|texcoord_\d+)$/),
    colourSets: has(/^color(_\d+)?$/),
    tangents: has(/^tangent$/),
    morphTargets: Math.max(0, ...meshes.map(({ geometry }) => geometry.morphAttributes.position?.length ?? 0)),
    joints: bones.length,
    cameras: objects.filter((object) => 'isCamera' in object).length,
    lights: objects.filter((object) => 'isLight' in object).length,
    names: listNames([...meshes, ...materials]),
    nodeNames: listNames(objects.filter((object) => !(object instanceof Mesh))),
    morphNames: [...new Set(targets)],
    // loaders note names there
    extras: [...new Set(objects.flatMap(({ userData }) => Object.keys(userData)))].filter(
      (key) => key !== 'name' && key !== 'targetNames',
    ),
  };
}

const listNames = (named: readonly { name: string }[]): string[] => [
  ...new Set(named.map(({ name }) => name).filter(Boolean)),
];

function countTextures(materials: readonly Material[]): number {
  const textures = materials.flatMap((material) => Object.values(material).filter((value) => value instanceof Texture));
  return new Set(textures.map(({ source }) => source.uuid)).size;
}
