# SPDX-License-Identifier: MIT
"""Results in the scene: an armature with actions, and a mesh with vertex groups and shape keys."""

import bpy
import numpy as np

from . import frames


def import_glb(path):
    """Imports a file; the armature and the mesh that it skins."""
    # NumPy 1.24 removed numpy.bool, which the importer of Blender 3.4 uses.
    had_bool = "bool" in vars(np)
    if not had_bool:
        np.bool = bool
    try:
        before = set(bpy.data.objects)
        bpy.ops.import_scene.gltf(filepath=path)
    finally:
        if not had_bool:
            del np.bool
    added = [one for one in bpy.data.objects if one not in before]
    armature = next((one for one in added if one.type == "ARMATURE"), None)
    skinned = next((one for one in added if one.type == "MESH" and one.find_armature() == armature), None)
    if armature is None or skinned is None:
        raise RuntimeError("The result has no skinned mesh.")
    for one in added:
        if one.type == "MESH" and one is not skinned and one.find_armature() is None:
            bpy.data.objects.remove(one)  # the shape that Blender draws bones with
    return armature, skinned


def dress(skinned, mesh):
    """Gives an imported skin the polygons, UVs and materials of a mesh with the same vertices. Returns the new object."""
    plain = skinned.data
    if len(plain.vertices) != len(mesh.vertices):
        raise RuntimeError("The result has %d vertices, the mesh has %d." % (len(plain.vertices), len(mesh.vertices)))
    points = np.empty(len(plain.vertices) * 3, dtype=np.float32)
    plain.vertices.foreach_get("co", points)
    mesh.vertices.foreach_set("co", points)
    if mesh.shape_keys:
        raise RuntimeError("The evaluated mesh has shape keys.")
    obj = bpy.data.objects.new(mesh.name, mesh)
    for collection in skinned.users_collection:
        collection.objects.link(obj)
    obj.vertex_groups.clear()
    groups = [obj.vertex_groups.new(name=group.name) for group in skinned.vertex_groups]
    for vertex in plain.vertices:
        for element in vertex.groups:
            groups[element.group].add([vertex.index], element.weight, "REPLACE")
    if plain.shape_keys:
        copy_keys(plain.shape_keys, obj)
    armature = skinned.find_armature()
    obj.parent = armature
    obj.modifiers.new("Armature", "ARMATURE").object = armature
    mesh.update()
    bpy.data.objects.remove(skinned)
    bpy.data.meshes.remove(plain)
    return obj


def copy_keys(keys, obj):
    points = np.empty(len(obj.data.vertices) * 3, dtype=np.float32)
    for block in keys.key_blocks:
        key = obj.shape_key_add(name=block.name)
        block.data.foreach_get("co", points)
        key.data.foreach_set("co", points)
        key.value = block.value
    if keys.animation_data and keys.animation_data.action:
        obj.data.shape_keys.animation_data_create().action = keys.animation_data.action


def actions_of(armature, obj):
    owners = [armature] + ([obj.data.shape_keys] if obj.data.shape_keys else [])
    return {one.animation_data.action for one in owners if one.animation_data and one.animation_data.action}


def shift(actions, offset):
    """Moves keys in time: files start at frame 0."""
    for action in actions:
        for curve in curves_of(action):
            for point in curve.keyframe_points:
                for handle in (point.co, point.handle_left, point.handle_right):
                    handle.x += offset
            curve.update()


def curves_of(action):
    """The curves of an action; Blender 4.4 stores them in layers."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [
        curve
        for layer in action.layers
        for strip in layer.strips
        for bag in strip.channelbags
        for curve in bag.fcurves
    ]


def measure(obj, source, start):
    """Distances to the source, frames x count."""
    scene = bpy.context.scene
    before = scene.frame_current
    distances = np.empty(source.shape[:2])
    for k, points in enumerate(source):
        scene.frame_set(start + k)
        distances[k] = np.linalg.norm(frames.evaluate(obj).astype(np.float64) - points, axis=1)
    scene.frame_set(before)
    return distances


def paint(obj, distances):
    """The largest distance of each vertex as a colour layer, from blue (none) over green to red (the maximum)."""
    worst = distances.max(axis=0)
    ratio = worst / (worst.max() or 1.0)
    colors = np.ones((len(worst), 4), dtype=np.float32)
    colors[:, 0] = np.clip(2 * ratio - 1, 0, 1)
    colors[:, 1] = 1 - np.abs(2 * ratio - 1)
    colors[:, 2] = np.clip(1 - 2 * ratio, 0, 1)
    layer = obj.data.color_attributes.new("Ossify error", "FLOAT_COLOR", "POINT")
    layer.data.foreach_set("color", colors.ravel())
