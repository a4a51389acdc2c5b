# SPDX-License-Identifier: MIT
"""Frames of an evaluated object, as OBJ and PC2 with y up, in world space."""

import os
import struct

import bpy
import numpy as np


def evaluate(obj):
    """Positions of the evaluated vertices in world space, count x 3."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    return (points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def sample(obj, start, end):
    """Positions of every frame, frames x count x 3. Frames are visited in order, as simulations need."""
    scene = bpy.context.scene
    before = scene.frame_current
    frames = []
    for frame in range(start, end + 1):
        scene.frame_set(frame)
        frames.append(evaluate(obj))
        if len(frames[-1]) != len(frames[0]):
            raise RuntimeError(
                "Frame %d of %s has %d vertices, frame %d has %d. Remove modifiers that change the topology."
                % (frame, obj.name, len(frames[-1]), start, len(frames[0]))
            )
    scene.frame_set(before)
    return np.stack(frames)


def copy_mesh(obj, frame):
    """The evaluated mesh of a frame in world space: polygons, UVs and materials as they are drawn."""
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=depsgraph)
    mesh.transform(evaluated.matrix_world)
    mesh.name = "%s ossified" % obj.name
    return mesh


def turn_up(points):
    """Blender's z up to glTF's y up."""
    return np.ascontiguousarray(np.stack((points[..., 0], points[..., 2], -points[..., 1]), axis=-1), dtype="<f4")


def write(folder, mesh, frames):
    """Writes rest.obj, the mesh, and motion.pc2; vertices are neither split nor reordered. Returns the input as ossify reads it."""
    rest, motion = os.path.join(folder, "rest.obj"), os.path.join(folder, "motion.pc2")
    with open(rest, "w", encoding="ascii") as file:
        points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        for point in turn_up(points.reshape(-1, 3)):
            file.write("v %.9g %.9g %.9g\n" % tuple(point))
        for polygon in mesh.polygons:
            file.write("f %s\n" % " ".join(str(index + 1) for index in polygon.vertices))
    with open(motion, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames)))
        file.write(turn_up(frames).tobytes())
    return "%s+%s" % (rest, motion)
