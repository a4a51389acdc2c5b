// SPDX-License-Identifier: MIT
// Flip-books that Blender exports, compared with the vertices of its meshes. Skipped where Blender is not installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGltf } from '../../read-gltf.ts';

const hasBlender =
  spawnSync('blender', ['--background', '--python-exit-code', '1', '--python-expr', 'import numpy']).status === 0;

/** A waving grid, an object per frame: switched by scale or place, or only named as frames. Positions are written y up. */
const EXPORT = `
import bpy, math, sys, json
out = sys.argv[-1]
FRAMES = 8
def build(how, smooth, uv):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_start, scene.frame_end = 1, FRAMES
    truth = []
    for k in range(FRAMES):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6, size=2)
        o = bpy.context.object
        o.name = f'frame_{k+1:03d}'
        if not uv:
            o.data.uv_layers.remove(o.data.uv_layers[0])
        for v in o.data.vertices:
            v.co.z = 0.3 * math.sin(2 * v.co.x + 0.7 * k) + 0.1 * v.co.y * k
        for p in o.data.polygons: p.use_smooth = smooth
        truth.append([[v.co.x, v.co.z, -v.co.y] for v in o.data.vertices])
        if how == 'names': continue
        for f in range(1, FRAMES + 1):
            shown = f == k + 1
            if how == 'scale':
                o.scale = (1, 1, 1) if shown else (0, 0, 0)
                o.keyframe_insert('scale', frame=f)
            else:
                o.location = (0, 0, 0) if shown else (0, 0, -500)
                o.keyframe_insert('location', frame=f)
        for c in o.animation_data.action.fcurves:
            for key in c.keyframe_points: key.interpolation = 'CONSTANT'
    scene.frame_set(1)
    name = f'{how}-{"smooth" if smooth else "flat"}'
    json.dump(truth, open(f'{out}/{name}.json', 'w'))
    bpy.ops.export_scene.gltf(filepath=f'{out}/{name}.glb', export_format='GLB')
build('scale', True, True)
build('scale', False, True)
build('place', True, False)
build('names', False, False)
`;

describe.skipIf(!hasBlender)(
  'flip-books of Blender (needs blender with numpy on the path)',
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossify-flip-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    beforeAll(() => {
      writeFileSync(join(folder, 'export.py'), EXPORT);
      const line = ['-b', '--factory-startup', '--python-exit-code', '7', '--python', join(folder, 'export.py')];
      const { status, stdout } = spawnSync('blender', [...line, '--', folder], { encoding: 'utf8' });
      expect(status, stdout).toBe(0);
    }, 120_000);

    it.each(['scale-smooth', 'scale-flat', 'place-smooth', 'names-flat'])('are clips: %s', async (name) => {
      const { mesh, clips } = await readGltf(readFileSync(join(folder, `${name}.glb`)));
      const truth = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as number[][][];
      const [{ positions, times }] = clips;
      expect([...times].map((time) => Math.round(24 * time))).toEqual(truth.map((_, k) => k));
      const distance = (point: readonly number[], i: number) =>
        Math.hypot(...point.map((x, c) => x - positions[3 * i + c]));
      const vertexCount = mesh.positions.length / 3;
      // The exporter splits vertices; the point of each is that of its place in the first frame.
      const pointOf = Array.from({ length: vertexCount }, (_, i) =>
        truth[0].findIndex((point) => distance(point, i) < 1e-5),
      );
      expect(new Set(pointOf).size).toBe(truth[0].length);
      const off = truth.flatMap((points, k) => pointOf.map((v, i) => distance(points[v], k * vertexCount + i)));
      expect(Math.max(...off)).toBeLessThan(1e-5);
    });
  },
);
