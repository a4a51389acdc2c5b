// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import type { Scene } from '../../gltf/index.ts';
import { cutInfluences } from '../cut-influences.ts';
import {
  fitScene,
  measureImage,
  type NameRule,
  placeScene,
  splitTakes,
  TARGET_NAMES,
  TARGETS,
  type TargetName,
} from '../index.ts';
import { bindAtRest } from '../nodes/bind-at-rest.ts';
import { foldAncestors } from '../nodes/fold-ancestors.ts';
import { listJoints } from '../nodes/list-joints.ts';
import { makeOneRoot } from '../nodes/make-one-root.ts';
import { unscaleNodes } from '../nodes/unscale-nodes.ts';
import { settleNames } from '../settle-names.ts';
import { differenceOf, makeCharacter } from './sample-character.ts';

/** Relative to the size of the character. */
const SAME = 1e-6;
const character = makeCharacter();

function ruleOf(name: TargetName): NameRule {
  const { names } = TARGETS[name];
  if (!names) throw new Error(`${name} has no rule of names`);
  return names.value;
}

function weightsOf({ shapes: [{ skin }] }: Scene): Skin {
  if (!skin) throw new Error('the first shape has no skin');
  return skin.weights;
}

describe('scales of nodes', () => {
  it('are moved into the mesh, and the character plays as before', () => {
    const notes: string[] = [];
    const unscaled = unscaleNodes(character, (text) => notes.push(text));
    for (const scale of unscaled.nodes.scales) expect(scale).toBeCloseTo(1, 12);
    expect(differenceOf(character, unscaled)).toBeLessThan(SAME);
    expect(notes).toEqual(['the scales of 2 nodes (up to 150) were moved into the mesh']);
  });

  it('are kept where they differ by axis or are negative, with a note', () => {
    const scales = character.nodes.scales.slice();
    scales.set([1, 2, 1], 3);
    scales.set([-1, -1, -1], 9);
    const notes: string[] = [];
    const odd = { ...character, nodes: { ...character.nodes, scales } };
    const unscaled = unscaleNodes(odd, (text) => notes.push(text));
    expect([...unscaled.nodes.scales.subarray(3, 6)]).toEqual([1, 2, 1]);
    expect(differenceOf(odd, unscaled)).toBeLessThan(SAME);
    expect(notes).toContain(
      '2 nodes, the first of which is "hips", keep scales that are negative, zero or differ by axis',
    );
  });

  it('of meshes are moved to the vertices, so that the bind pose is the pose of the file', () => {
    const bound = bindAtRest(unscaleNodes(character));
    expect(differenceOf(character, bound)).toBeLessThan(SAME);
    const [{ mesh }] = bound.shapes;
    // the vertices are in metres, and their file had centimetres
    expect(Math.max(...mesh.positions)).toBeCloseTo(0.01 * Math.max(...character.shapes[0].mesh.positions), 6);
    expect(bindAtRest(bound)).toBe(bound);
  });
});

describe('the root', () => {
  it('is one bone at the origin, unrotated, and a joint of every skin', () => {
    const notes: string[] = [];
    const rooted = makeOneRoot(unscaleNodes(character), 'root', (text) => notes.push(text));
    const { tops } = listJoints(rooted);
    expect(tops).toEqual([0]);
    expect(rooted.nodes.names[0]).toBe('root');
    expect(rooted.nodes.parents[0]).toBe(-1);
    expect([...rooted.nodes.rotations.subarray(0, 4)]).toEqual([0, 0, 0, 1]);
    expect(rooted.nodes.names).not.toContain('Armature');
    expect(differenceOf(character, rooted)).toBeLessThan(SAME);
    expect(notes).toEqual(['a root bone "root" was added above 2 top bones']);
  });

  it('is not added twice', () => {
    const rooted = makeOneRoot(unscaleNodes(character), 'root');
    const again = makeOneRoot(rooted, 'root');
    expect(again.nodes.names).toEqual(rooted.nodes.names);
  });

  it('takes its name from a bone that is turned', () => {
    const names = character.nodes.names.map((name, n) => (n === 1 ? 'Root' : name));
    const rooted = makeOneRoot({ ...character, nodes: { ...character.nodes, names } }, 'root');
    expect(rooted.nodes.names[0]).toBe('root');
    expect(rooted.nodes.names).toContain('Root_2');
  });

  it('is below nodes that are animated, which stay', () => {
    const [idle, ...others] = character.animations;
    const moved = { ...idle.tracks[0], node: 0, values: Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0) };
    const walking = { ...character, animations: [{ ...idle, tracks: [...idle.tracks, moved] }, ...others] };
    expect(foldAncestors(walking).nodes.names).toContain('Armature');
    const rooted = makeOneRoot(walking, 'root');
    expect(rooted.nodes.parents[rooted.nodes.names.indexOf('Armature')]).toBe(0);
    expect(differenceOf(walking, rooted)).toBeLessThan(SAME);
  });
});

describe('names', () => {
  it('are unique and have no refused characters, and bones keep theirs before other nodes', () => {
    const notes: string[] = [];
    const named = settleNames(character, ruleOf('godot'), 'Godot', (text) => notes.push(text));
    expect(named.nodes.names).toEqual(['Armature', 'hips', 'spine_01', 'head', 'arm', 'prop', 'hat', 'body', 'hips_2']);
    expect(notes).toEqual([
      '2 names were changed, which Godot would change: "spine.01" is "spine_01", "hips" is "hips_2"',
    ]);
    expect(differenceOf(character, named)).toBe(0);
  });

  it('are cut at whole letters', () => {
    const names = character.nodes.names.map((name, n) => (n < 2 ? 'é'.repeat(40) : name));
    const cut = settleNames({ ...character, nodes: { ...character.nodes, names } }, ruleOf('blender'), 'Blender').nodes
      .names;
    expect(cut[1]).toBe('é'.repeat(31));
    expect(cut[0]).toBe(`${'é'.repeat(30)}_2`);
  });

  it('that differ in case alone are told apart for Unreal', () => {
    const names = character.nodes.names.map((name, n) => (n === 3 ? 'ARM' : name));
    const { nodes } = settleNames(
      { ...character, nodes: { ...character.nodes, names } },
      ruleOf('unreal'),
      'Unreal Engine',
    );
    expect(new Set(nodes.names.map((name) => name.toLowerCase())).size).toBe(nodes.names.length);
  });
});

describe('influences', () => {
  it('beyond the limit are dropped, the largest stay, and sums are one', () => {
    const notes: string[] = [];
    const cut = cutInfluences(character, 4, (text) => notes.push(text));
    const { weights, rowStart } = weightsOf(cut);
    expect(maxInfluencesOf(weightsOf(cut))).toBe(4);
    for (let i = 0; i + 1 < rowStart.length; i++)
      expect(weights.subarray(rowStart[i], rowStart[i + 1]).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 6);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(
      /^8 vertices had more than 4 influences and kept the largest, at most 6.7 % of the weight/,
    );
    expect(cutInfluences(character, 8)).toBe(character);
  });
});

describe('axes and units', () => {
  it('are those of the target, without a turned node', () => {
    const placed = placeScene(character, { up: 'y', metresPerUnit: 1 }, { up: 'z', metresPerUnit: 0.01 });
    expect(differenceOf(character, placed, ([x, y, z]) => [100 * x, -100 * z, 100 * y])).toBeLessThan(SAME);
    const back = placeScene(placed, { up: 'z', metresPerUnit: 0.01 }, { up: 'y', metresPerUnit: 1 });
    expect(differenceOf(character, back)).toBeLessThan(SAME);
  });

  it('leave a root bone unrotated, also one that moves', () => {
    const rooted = makeOneRoot(unscaleNodes(character), 'root');
    const [idle, ...others] = rooted.animations;
    const turns = [0, 0.3, 0.6].flatMap((a) => [0, Math.sin(a), 0, Math.cos(a)]);
    const tracks = [
      ...idle.tracks,
      { ...idle.tracks[0], node: 0, values: Float32Array.of(0, 0, 0, 1, 0, 2, 2, 0, 5) },
      { ...idle.tracks[1], node: 0, values: Float32Array.from(turns) },
    ];
    const walking = { ...rooted, animations: [{ ...idle, tracks }, ...others] };
    const placed = placeScene(walking, { up: 'y', metresPerUnit: 1 }, { up: 'z', metresPerUnit: 1 });
    expect([...placed.nodes.rotations.subarray(0, 4)]).toEqual([0, 0, 0, 1]);
    expect(differenceOf(walking, placed, ([x, y, z]) => [x, -z, y])).toBeLessThan(SAME);
  });
});

describe('takes', () => {
  it('are a scene each, and the first is the character', () => {
    const takes = splitTakes(character);
    expect(takes.map(({ suffix }) => suffix)).toEqual(['', 'Run']);
    expect(takes.map(({ scene }) => scene.animations.length)).toEqual([1, 1]);
  });
});

describe.each(TARGET_NAMES)('a character for %s', (name) => {
  it('plays as before but for dropped influences, and is returned as it is the second time', () => {
    const plain = cutInfluences(character, 4);
    const fitted = fitScene(plain, TARGETS[name]);
    expect(differenceOf(plain, fitted)).toBeLessThan(SAME);
    expect(fitScene(fitted, TARGETS[name])).toEqual(fitted);
  });
});

describe('images', () => {
  const png = new Uint8Array(24);
  png.set([0x89, 0x50, 0x4e, 0x47]);
  png.set([0, 0, 16, 0, 0, 0, 8, 0], 16);
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 32, 0, 64, 1, 1, 17, 0);
  const webp = new Uint8Array(30);
  webp.set([...'RIFF    WEBPVP8X'].map((letter) => letter.charCodeAt(0)));
  webp.set([99, 0, 0, 49, 0, 0], 24);

  it('are measured by their heads, and by nothing where these are cut', () => {
    expect(measureImage(png)).toEqual({ type: 'image/png', width: 4096, height: 2048 });
    expect(measureImage(jpeg)).toEqual({ type: 'image/jpeg', width: 64, height: 32 });
    expect(measureImage(webp)).toEqual({ type: 'image/webp', width: 100, height: 50 });
    for (const bytes of [png, jpeg, webp])
      for (let n = 0; n < bytes.length; n++) expect(() => measureImage(bytes.subarray(0, n))).not.toThrow();
  });

  it('that a target does not show, or that are too large, are noted', () => {
    const images = [png, jpeg, webp].map((bytes, n) => ({ bytes, type: '', name: `map ${n}` }));
    const notes: string[] = [];
    fitScene({ ...character, look: { materials: [], images } }, TARGETS.ar, (text) => notes.push(text));
    expect(notes).toContain('the image "map 2" (WEBP) is not shown by AR Quick Look; convert to PNG or JPEG');
    expect(notes.some((note) => note.startsWith('the image "map 0" (4096 x 2048) is larger than 2048 x 2048'))).toBe(
      true,
    );
  });
});

describe('bones whose scale differs by axis', () => {
  it('are noted where bones are below them and the target ignores shear', () => {
    const scales = character.nodes.scales.slice();
    scales.set([1, 2, 1], 3);
    const odd = { ...character, nodes: { ...character.nodes, scales } };
    const notesFor = (name: TargetName): string[] => {
      const notes: string[] = [];
      fitScene(odd, TARGETS[name], (text) => notes.push(text));
      return notes.filter((note) => note.includes('shear'));
    };
    expect(notesFor('unreal')).toHaveLength(1);
    expect(notesFor('unity')).toEqual([]);
  });
});
