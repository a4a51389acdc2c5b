// SPDX-License-Identifier: MIT
// A script that sets up a driven face in Blender: a property per shape on the armature, and a handler that poses the bones from them.
//
// Blender turns glTF's y up into its z up, C: (x, y, z) → (x, −z, y). A pose bone's matrix in armature space is C M B C⁻¹ K, where M is the driven matrix (rest to posed), B the bind matrix
// and K takes Blender's axes of the bone to those of the glTF joint; so with R the rest matrix of Blender's bone it is (C M C⁻¹) R. Matrices with shear need two bones: importers make
// "<name> stretch" and its child "<name>" of them, and the script gives U Σ to the first and Vᵀ to the second.
import { DRIVER_OUTPUTS, type ShapeDrivenSkin, type ShapeDrivers } from '../../core/model/deformed/shape-drivers.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';

/**
 * The text of a Python script: run it in Blender with the armature of the converted GLB selected. Then move the properties "shapes" of the armature, or animate them.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeBlenderShapes } from 'ossify';
 *
 * await writeFile('face.blender.py', writeBlenderShapes(face, 'face.glb'));
 * ```
 */
export function writeBlenderShapes({ drivers, skeleton }: ShapeDrivenSkin, fileName: string): string {
  const { shapes, form, factors, rowStart, columns, values } = drivers;
  const data = JSON.stringify({
    ...{ shapes, form, names: skeleton.names, binds: [...skeleton.bindMatrices].map((x) => Number(x.toPrecision(9))) },
    ...{ factors: [...factors], rowStart: [...rowStart], columns: [...columns] },
    values: [...values].map((x) => Number(x.toPrecision(8))),
    driven: listDriven(drivers, skeleton),
  });
  return TEMPLATE.replace('@FILE', () => JSON.stringify(fileName)).replace('@DATA', () => JSON.stringify(data));
}

/** Bones that the script poses: all, or only those that drivers move if they follow joints. */
function listDriven({ columns, form }: ShapeDrivers, { names, parents }: Skeleton): number[] {
  const all = Array.from(names.keys());
  if (!parents.some((parent) => parent >= 0)) return all;
  const moved = new Set(Array.from(columns, (column) => Math.floor(column / DRIVER_OUTPUTS[form])));
  return all.filter((j) => moved.has(j));
}

const TEMPLATE = `# SPDX-License-Identifier: MIT
# Driven bones of @FILE, made by Ossify.
# In Blender: import that file, select its armature, open this text in the Scripting workspace and run it.
# The armature gets a custom property per shape, from 0 to 1; the bones follow them.
# Keys of the driven bones are removed from the armature's actions.
import json

import numpy as np

DATA = json.loads(@DATA)
NO_FACTOR = 0xFFFFFFFF
SIZE = 12 if DATA["form"] == "matrix" else 9


def outputs(weights):
    out = np.zeros(SIZE * len(DATA["names"]))
    for n in range(len(DATA["rowStart"]) - 1):
        a, b = DATA["factors"][2 * n], DATA["factors"][2 * n + 1]
        term = weights[a] * (1.0 if b == NO_FACTOR else weights[b])
        if term == 0.0:
            continue
        for e in range(DATA["rowStart"][n], DATA["rowStart"][n + 1]):
            out[DATA["columns"][e]] += term * DATA["values"][e]
    return out.reshape(-1, SIZE)


def rotation(r):
    angle = np.linalg.norm(r)
    k = np.array(((0, -r[2], r[1]), (r[2], 0, -r[0]), (-r[1], r[0], 0)))
    if angle < 1e-9:
        return np.eye(3) + k
    return np.eye(3) + np.sin(angle) / angle * k + (1 - np.cos(angle)) / angle**2 * k @ k


def matrices(weights):
    """Rest to posed of every bone, 4x4, in the space of the file."""
    made = []
    for j, x in enumerate(outputs(weights)):
        bind = np.array(DATA["binds"][16 * j : 16 * j + 16]).reshape(4, 4).T
        center = bind[:3, 3]
        if SIZE == 12:
            rows = x.reshape(3, 4)
            linear, move = np.eye(3) + rows[:, :3], rows[:, 3]
        else:
            axes = bind[:3, :3]
            linear, move = rotation(x[3:6]) @ axes @ np.diag(1 + x[6:9]) @ axes.T, x[:3]
        m = np.eye(4)
        m[:3, :3] = linear
        m[:3, 3] = center + move - linear @ center
        made.append(m)
    return made


def install():
    import bpy
    from mathutils import Matrix

    armature = bpy.context.object
    if armature is None or armature.type != "ARMATURE":
        raise RuntimeError("Select the armature of the imported file first.")
    missing = [name for name in DATA["names"] if name not in armature.pose.bones]
    if missing:
        raise RuntimeError("The armature has no bone %r." % missing[0])
    up = np.array(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)), float)
    for name in DATA["shapes"]:
        if name not in armature:
            armature[name] = 0.0
        armature.id_properties_ui(name).update(min=0.0, max=1.0, soft_min=0.0, soft_max=1.0)
    moved_names = [DATA["names"][j] for j in DATA["driven"]]
    driven = set(moved_names) | {name + " stretch" for name in moved_names}
    prefixes = ['pose.bones["%s"]' % name for name in driven]
    for action in bpy.data.actions:
        for curve in list(getattr(action, "fcurves", [])):
            if any(curve.data_path.startswith(prefix) for prefix in prefixes):
                action.fcurves.remove(curve)

    last = []

    def pose(scene, *_):
        weights = [float(armature.get(name, 0.0)) for name in DATA["shapes"]]
        if weights == last:
            return
        last[:] = weights
        made = matrices(weights)
        for j in DATA["driven"]:
            name = DATA["names"][j]
            moved = up @ made[j] @ up.T
            bone = armature.pose.bones[name]
            outer = armature.pose.bones.get(name + " stretch")
            if outer is None:
                # relative to its parent, which may be a joint in any pose
                rest = np.array(bone.bone.matrix_local)
                bone.matrix_basis = Matrix((np.linalg.inv(rest) @ moved @ rest).tolist())
                continue
            rest = np.array(outer.bone.matrix_local)
            local = np.linalg.inv(rest) @ moved @ np.array(bone.bone.matrix_local)
            u, s, vt = np.linalg.svd(local[:3, :3])
            # proper rotations: a mirroring matrix has a negative scale
            if np.linalg.det(u) < 0:
                u[:, 2], s[2] = -u[:, 2], -s[2]
            if np.linalg.det(vt) < 0:
                vt[2], s[2] = -vt[2], -s[2]
            outer.rotation_mode = bone.rotation_mode = "QUATERNION"
            outer.rotation_quaternion = Matrix(u.tolist()).to_quaternion()
            outer.location = local[:3, 3].tolist()
            outer.scale = s.tolist()
            inner = np.linalg.inv(rest) @ np.array(bone.bone.matrix_local)
            bone.rotation_quaternion = Matrix((np.linalg.inv(inner[:3, :3]) @ vt).tolist()).to_quaternion()

    for handlers in (bpy.app.handlers.frame_change_post, bpy.app.handlers.depsgraph_update_post):
        for old in [h for h in handlers if getattr(h, "__name__", "") == "ossify_pose"]:
            handlers.remove(old)
        pose.__name__ = "ossify_pose"
        handlers.append(pose)
    pose(bpy.context.scene)
    print("Ossify: %d bones follow %d shapes" % (len(DATA["driven"]), len(DATA["shapes"])))


if __name__ == "__main__":
    install()
`;
