// SPDX-License-Identifier: MIT
// FBX files from and to Blender, compared by the vertices of its evaluated meshes. Skipped where Blender is not installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bakeClip } from '../../../deformers/playback/bake/bake-clip.ts';
import { makePlainContent } from '../../../jobs/shared/output/make-plain-content.ts';
import { readFbx } from '../read-fbx.ts';
import { writeFbx } from '../write/write-fbx.ts';

const hasBlender = spawnSync('blender', ['--version']).status === 0;

/** Scenes of a tube: on three bones, with shape keys, and as scaled objects under one another. Positions are written y up. */
const EXPORT = `
import bpy, json, math, sys, mathutils
out = sys.argv[-1]
def fresh():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    s = bpy.context.scene
    s.render.fps = 24
    s.frame_start, s.frame_end = 1, 6
    return s
def tube(name, rings=5, sides=6):
    v, f = [], []
    for r in range(rings):
        for k in range(sides):
            a = 2 * math.pi * k / sides
            v.append((0.3 * math.cos(a) * (1 + 0.1 * r), 0.3 * math.sin(a), 3 * r / (rings - 1)))
    for r in range(rings - 1):
        for k in range(sides):
            n = (k + 1) % sides
            f.append((r * sides + k, r * sides + n, (r + 1) * sides + n, (r + 1) * sides + k))
    m = bpy.data.meshes.new(name)
    m.from_pydata(v, [], f)
    for p in m.polygons: p.use_smooth = True
    o = bpy.data.objects.new(name, m)
    bpy.context.collection.objects.link(o)
    return o
def save(name, names, scene, **options):
    frames = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        g = bpy.context.evaluated_depsgraph_get()
        row = []
        for n in names:
            e = bpy.data.objects[n].evaluated_get(g)
            for x in e.to_mesh().vertices:
                w = e.matrix_world @ x.co
                row += [w.x, w.z, -w.y]
        frames.append(row)
    json.dump(frames, open(f'{out}/{name}.json', 'w'))
    scene.frame_set(1)
    args = dict(bake_anim_simplify_factor=0.0, bake_anim_use_nla_strips=False, bake_anim_use_all_actions=False, add_leaf_bones=False)
    args.update(options)
    bpy.ops.export_scene.fbx(filepath=f'{out}/{name}.fbx', **args)
def rig():
    s = fresh()
    o = tube('Tube')
    a = bpy.data.armatures.new('Arm')
    r = bpy.data.objects.new('Rig', a)
    bpy.context.collection.objects.link(r)
    bpy.context.view_layer.objects.active = r
    bpy.ops.object.mode_set(mode='EDIT')
    last = None
    for n in range(3):
        b = a.edit_bones.new(f'bone{n}')
        b.head, b.tail, b.roll = (0, 0.02 * n, n), (0, 0.02 * (n + 1), n + 1), 0.4 * n
        if last: b.parent = last
        last = b
    bpy.ops.object.mode_set(mode='OBJECT')
    o.parent = r
    for n in range(3): o.vertex_groups.new(name=f'bone{n}')
    for v in o.data.vertices:
        for n in range(3):
            w = max(0, 1 - abs(v.co.z - (n + 0.5)) / 1.2)
            if w > 0: o.vertex_groups[n].add([v.index], w, 'REPLACE')
    o.modifiers.new('Armature', 'ARMATURE').object = r
    for frame in (1, 4, 6):
        for n in range(3):
            p = r.pose.bones[f'bone{n}']
            p.rotation_quaternion = mathutils.Euler((0.09 * frame * n, 0.05 * frame, -0.07 * frame)).to_quaternion()
            p.keyframe_insert('rotation_quaternion', frame=frame)
            p.scale = [1 + 0.01 * frame] * 3; p.keyframe_insert('scale', frame=frame)
        p = r.pose.bones['bone0']
        p.location = (0.05 * frame, 0, 0.02 * frame); p.keyframe_insert('location', frame=frame)
    r.location = (0.5, 0.25, 0.125); r.rotation_euler = (0.1, 0.2, 0.3)
    return s
save('rig', ['Tube'], rig())
save('rig-z-up', ['Tube'], rig(), axis_forward='Y', axis_up='Z')
save('rig-metres', ['Tube'], rig(), add_leaf_bones=True, primary_bone_axis='X', secondary_bone_axis='Y', apply_scale_options='FBX_SCALE_ALL')
s = fresh()
o = tube('Shaped')
o.shape_key_add(name='Basis')
wide, bent = o.shape_key_add(name='wide'), o.shape_key_add(name='bent')
for x in wide.data: x.co.x *= 1.5
for x in bent.data: x.co.y += 0.1 * x.co.z ** 2
for frame, a, b in ((1, 0, 0), (3, 1, 0.2), (6, 0.3, 0.9)):
    for key, value in ((wide, a), (bent, b)):
        key.value = value; key.keyframe_insert('value', frame=frame)
o.location = (1, 2, 3)
save('shapes', ['Shaped'], s)
s = fresh()
a, b = tube('A'), tube('B', 3)
b.parent = a
a.scale = (2, 2, 2); a.rotation_euler = (0.3, 0.2, 0.1)
b.location = (1, 0, 0.5); b.rotation_mode = 'ZYX'
for j in range(2): b.data.materials.append(bpy.data.materials.new(f'm{j}'))
for frame in (1, 6):
    a.location = (0.1 * frame, 0, 0); a.keyframe_insert('location', frame=frame)
    b.rotation_euler = (0.1 * frame, 0.2, 0.1 * frame); b.keyframe_insert('rotation_euler', frame=frame)
    b.scale = (1, 1 + 0.1 * frame, 0.5); b.keyframe_insert('scale', frame=frame)
save('objects', ['A', 'B'], s)
`;

/** Imports a file and writes what Blender makes of it. */
const IMPORT = `
import bpy, json, sys
path = sys.argv[-1]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.fbx(filepath=path)
s = bpy.context.scene
frames = []
last = max([int(a.frame_range[1]) for a in bpy.data.actions] or [1])
for frame in range(1, last + 1):
    s.frame_set(frame)
    g = bpy.context.evaluated_depsgraph_get()
    row = []
    for o in bpy.data.objects:
        if o.type != 'MESH': continue
        e = o.evaluated_get(g)
        for x in e.to_mesh().vertices:
            w = e.matrix_world @ x.co
            row += [w.x, w.z, -w.y]
    frames.append(row)
bones = [[b.name, b.length, list(b.vector)] for a in bpy.data.armatures for b in a.bones]
json.dump(dict(frames=frames, fps=s.render.fps, actions=[a.name for a in bpy.data.actions], bones=bones), open(path + '.json', 'w'))
`;

let folder = '';

function blender(script: string, argument: string): void {
  const path = join(folder, 'script.py');
  writeFileSync(path, script);
  execFileSync('blender', ['-b', '-noaudio', '--python-exit-code', '1', '--python', path, '--', argument], {
    stdio: 'pipe',
  });
}

/** Largest distance of a vertex from its place in Blender, over all frames. */
function worstOf(positions: Float32Array, frames: number[][]): number {
  let worst = 0;
  frames.flat().forEach((x, c) => {
    worst = Math.max(worst, Math.abs(x - positions[c]));
  });
  return worst;
}

describe.skipIf(!hasBlender)('FBX and Blender (needs Blender)', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ossify-fbx-'));
    blender(EXPORT, folder);
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['rig', 'rig-z-up', 'rig-metres', 'shapes', 'objects'])(
    'reads %s as Blender evaluates it, and writes it so that Blender does again',
    { timeout: 120_000 },
    async (name) => {
      const truth: number[][] = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
      const asset = await readFbx(new Uint8Array(readFileSync(join(folder, `${name}.fbx`))));
      const clip = bakeClip(asset, { fps: 24 });
      expect(clip.times).toHaveLength(truth.length);
      expect(clip.positions).toHaveLength(truth.flat().length);
      expect(worstOf(clip.positions, truth)).toBeLessThan(1e-5);

      const path = join(folder, `${name}-again.fbx`);
      writeFileSync(path, writeFbx(asset, makePlainContent(asset, { kind: 'clip' })));
      blender(IMPORT, path);
      const back = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
      expect(back.fps).toBe(24);
      expect(back.frames).toHaveLength(truth.length);
      expect(worstOf(clip.positions, back.frames)).toBeLessThan(1e-5);
      expect(back.actions.filter((action: string) => action.startsWith('Armature'))).toHaveLength(1);
      if (!name.startsWith('rig')) return;
      // bones of a metre each, along the tube
      for (const bone of ['bone0', 'bone1', 'bone2']) {
        const [, length, vector] = back.bones.find(([own]: [string]) => own === bone);
        expect(length).toBeCloseTo(1, 1);
        expect(Math.hypot(vector[0], vector[1], vector[2])).toBeCloseTo(length, 3);
      }
    },
  );
});
