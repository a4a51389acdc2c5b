# SPDX-License-Identifier: MIT
"""Run by shapes.test.ts in Blender: imports a face of driven bones, runs its script, and compares what Blender evaluates with expected positions. Prints a line of JSON per face."""

import json
import os
import sys

import bpy
import numpy as np

# the glTF importer of Blender 3.4 uses this alias, which newer versions of numpy do not have
if not hasattr(np, "bool"):
    np.bool = bool


def positions_of(obj):
    """World positions with y up, as in the file."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    flat = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", flat)
    world = np.array(evaluated.matrix_world)
    evaluated.to_mesh_clear()
    points = flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return np.stack((points[:, 0], points[:, 2], -points[:, 1]), axis=1)


def check_face(folder, name):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
        cases = json.load(file)
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, name + ".glb"))
    armature = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    face = next(obj for obj in bpy.data.objects if obj.type == "MESH" and obj.vertex_groups)
    bpy.context.view_layer.objects.active = armature
    path = os.path.join(folder, name + ".blender.py")
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})
    off, motion = 0.0, 0.0
    rest = np.array(cases["rest"]).reshape(-1, 3)
    for n, case in enumerate(cases["poses"]):
        for shape, weight in case["weights"].items():
            armature[shape] = weight
        bpy.context.scene.frame_set(n + 2)
        bpy.context.view_layer.update()
        expected = np.array(case["positions"]).reshape(-1, 3)
        off = max(off, float(np.abs(positions_of(face) - expected).max()))
        motion = max(motion, float(np.abs(expected - rest).max()))
    print("CASE " + json.dumps({"name": name, "off": off, "motion": motion, "shapes": len(cases["shapes"])}))


folder, *names = sys.argv[sys.argv.index("--") + 1 :]
for name in names:
    check_face(folder, name)
