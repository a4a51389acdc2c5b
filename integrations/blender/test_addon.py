# SPDX-License-Identifier: MIT
"""Run by blender.test.ts in Blender: results of the add-on, evaluated by Blender, compared with the reports. Prints a line of JSON per case."""

import json
import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ossify  # noqa: E402
from ossify import frames, scene  # noqa: E402

FRAMES = 24


def start_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.frame_start = 1
    bpy.context.scene.frame_end = FRAMES
    bpy.context.scene.render.fps = 24


def make_cloth():
    """A curtain of 15 x 15 quads, pinned at one edge, in the wind."""
    start_scene()
    bpy.ops.object.effector_add(type="WIND", location=(0, -2, 0), rotation=(-1.57, 0, 0))
    bpy.context.object.field.strength = 300
    bpy.context.object.field.noise = 3
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=15, y_subdivisions=15, size=2, rotation=(1.57, 0, 0))
    obj = bpy.context.object
    obj.name = "curtain"
    for name in ("red", "blue"):
        obj.data.materials.append(bpy.data.materials.new(name))
    for polygon in obj.data.polygons:
        polygon.material_index = polygon.index % 2
    group = obj.vertex_groups.new(name="pin")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.99], 1.0, "REPLACE")
    cloth = obj.modifiers.new("Cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "pin"
    return obj


def make_arm():
    """A cylinder on two bones with a Corrective Smooth modifier that bends."""
    start_scene()
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    upper = armature.data.edit_bones[0]
    upper.name, upper.tail = "upper", (0, 0, 1)
    lower = armature.data.edit_bones.new("lower")
    lower.head, lower.tail, lower.parent = (0, 0, 1), (0, 0, 2), upper
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=20, size=2)
    obj = bpy.context.object
    for vertex in obj.data.vertices:
        x, y = vertex.co.x, vertex.co.y
        vertex.co = (0.25 * np.cos(np.pi * x), 0.25 * np.sin(np.pi * x), y + 1)
    for name in ("upper", "lower"):
        group = obj.vertex_groups.new(name=name)
        for vertex in obj.data.vertices:
            weight = min(1.0, max(0.0, 0.5 + 3 * (vertex.co.z - 1)))
            group.add([vertex.index], weight if name == "lower" else 1 - weight, "REPLACE")
    obj.parent = armature
    obj.modifiers.new("Armature", "ARMATURE").object = armature
    smooth = obj.modifiers.new("Delta Mush", "CORRECTIVE_SMOOTH")
    smooth.iterations = 10
    bone = armature.pose.bones["lower"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (FRAMES // 2, 1.5), (FRAMES, -1.0)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    return obj


def result():
    armature = bpy.context.view_layer.objects.active
    obj = next(one for one in bpy.data.objects if one.type == "MESH" and one.find_armature() == armature)
    return armature, obj, json.loads(obj["ossify_report"])


def facts(armature, obj, report):
    lengths = sorted(bone.length for bone in armature.data.bones)
    return {
        "bones": report["result"].get("bones"),
        "boneLengths": [lengths[0], lengths[-1]],
        "materials": [slot.material.name for slot in obj.material_slots],
        "polygonCorners": max(len(polygon.vertices) for polygon in obj.data.polygons),
        "empties": [one.name for one in bpy.data.objects if one.type == "EMPTY" and one.field.type == "NONE"],
        "reportMax": report["metrics"]["max"],
        "bytes": report["bytes"]["file"],
    }


def compare_clip(name, source, operator, **options):
    frames_before = frames.sample(source, 1, FRAMES)
    status = operator(**options)
    armature, obj, report = result()
    distances = scene.measure(obj, frames_before, 1)
    per_frame = report["metrics"]["perFrame"]
    print_case(
        name,
        status=list(status),
        hidden=source.hide_get(),
        colors=[one.name for one in obj.data.color_attributes],
        motion=float(np.abs(frames_before - frames_before[0]).max()),
        maxOff=float(np.abs(distances.max(axis=1) - per_frame["max"]).max()),
        rmsOff=float(np.abs(np.sqrt((distances**2).mean(axis=1)) - per_frame["rms"]).max()),
        children=sum(1 for bone in armature.data.bones if bone.parent),
        keyed=len({curve.data_path for action in scene.actions_of(armature, obj) for curve in scene.curves_of(action)}),
        **facts(armature, obj, report),
    )


def compare_arm(name, operator, **options):
    source = make_arm()
    frames_before = frames.sample(source, 1, FRAMES)
    status = operator(**options)
    armature, obj, report = result()
    drivers = armature.animation_data.drivers if armature.animation_data else []
    print_case(
        name,
        status=list(status),
        drivers=len(drivers),
        influences=max(len(v.groups) for v in obj.data.vertices),
        motion=float(np.abs(frames_before - frames_before[0]).max()),
        shownMax=shown_max(obj, frames_before),
        **facts(armature, obj, report),
    )


def compare_reduced(name, **options):
    """The plain skin of the arm. The result has vertices of a GLB, which are matched by their place at rest."""
    source = make_arm()
    source.modifiers.remove(source.modifiers["Delta Mush"])
    before = frames.sample(source, 1, FRAMES)
    rest = np.array([vertex.co[:] for vertex in source.data.vertices])
    status = bpy.ops.object.ossify_reduce(**options)
    armature, obj, report = result()
    points = np.array([(obj.matrix_world @ vertex.co)[:] for vertex in obj.data.vertices])
    gaps = np.linalg.norm(points[:, None] - rest[None], axis=2)
    after = frames.sample(obj, 1, FRAMES)
    distances = np.linalg.norm(after.astype(np.float64) - before[:, gaps.argmin(axis=1)], axis=2)
    print_case(
        name,
        status=list(status),
        influences=max(len(v.groups) for v in obj.data.vertices),
        unmatched=float(gaps.min(axis=1).max()),
        motion=float(np.abs(before - before[0]).max()),
        maxOff=float(abs(distances.max() - report["metrics"]["max"])),
        **facts(armature, obj, report),
    )


def shown_max(obj, source):
    """The largest distance to the source; None if the result has split vertices, as those of GLB files."""
    return float(scene.measure(obj, source, 1).max()) if len(obj.data.vertices) == source.shape[1] else None


def print_case(name, **values):
    print("CASE " + json.dumps({"case": name, **values}))


def save(folder, obj):
    """Saves the scene and the vertices that it shows, to compare them after it was opened again."""
    np.save(os.path.join(folder, "shown.npy"), frames.sample(obj, 1, FRAMES))
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "arm.blend"))


def compare_reopened(folder):
    obj = next(one for one in bpy.data.objects if "ossify_report" in one and one.type == "MESH")
    shown = np.load(os.path.join(folder, "shown.npy"))
    off = float(np.abs(frames.sample(obj, 1, FRAMES) - shown).max())
    print_case("reopened", off=off, motion=float(np.abs(shown - shown[0]).max()))


ossify.register()
wanted, temporary = sys.argv[sys.argv.index("--") + 1 :]
if wanted == "cloth":
    decompose = bpy.ops.object.ossify_decompose
    compare_clip("bones", make_cloth(), decompose, bones=8, paint=True)
    compare_clip("error", make_cloth(), decompose, target="ERROR", max_error=0.02)
    compare_clip("size", make_cloth(), decompose, target="SIZE", size=20)
    compare_clip("corrections", make_cloth(), decompose, bones=4, corrections=3)
if wanted == "skeleton":
    compare_clip("skeleton", make_arm(), bpy.ops.object.ossify_skeleton, bones=4)
if wanted == "rig":
    compare_reduced("reduce", influences=1)
    compare_arm("mush", bpy.ops.object.ossify_mush, helpers=1)
    compare_arm("convert", bpy.ops.object.ossify_convert, helpers=1)
    save(temporary, result()[1])
if wanted == "reopened":
    compare_reopened(temporary)
