// SPDX-License-Identifier: MIT
// A script that sets up drivers in Blender for the helper bones of an imported GLB.
//
// Blender turns glTF's y up into its z up, C: (x, y, z) → (x, −z, y), and may turn the axes of bones. With R the rest orientation of a bone in Blender's
// armature and B its bind orientation in glTF, K = (C B)⁻¹ R takes rotation vectors of Blender's bone to those of the glTF joint: r = K r_b. The helper's own
// channels are N = M₀⁻¹ M seen from Blender's bone: K⁻¹ N K; scales along axes stay scales because importers turn axes by quarter turns only.
import type { HelperBones } from '../../core/model/deformed/helper-bones.ts';
import { bindRotationOf, listControllers } from './list-controllers.ts';

/**
 * The text of a Python script: run it in Blender with the armature of the converted GLB selected.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeBlenderDrivers } from 'ossify';
 *
 * await writeFile('arm.drivers.py', writeBlenderDrivers(helperBones, 'arm.glb'));
 * ```
 */
export function writeBlenderDrivers(model: HelperBones, fileName: string): string {
  const { helpers: all, fadeFrom } = listControllers(model);
  // drivers have no past: delayed helpers keep their keys
  const helpers = all.filter(({ follow }) => !follow);
  const { names } = model.skeleton;
  const binds: Record<string, number[]> = {};
  for (const { name, inputs } of helpers)
    for (const bone of [name, ...inputs.map(({ joint }) => joint)])
      binds[bone] = bindRotationOf(model.skeleton, names.indexOf(bone));
  const data = JSON.stringify({ fadeFrom, binds, helpers });
  return TEMPLATE.replace('@FILE', () => JSON.stringify(fileName)).replace('@DATA', () => JSON.stringify(data));
}

const TEMPLATE = `# SPDX-License-Identifier: MIT
# Drivers for the helper bones of @FILE, made by Ossify.
# In Blender: import that file, select its armature, open this text in the Scripting workspace and run it.
# Keys of the helper bones are removed from the armature's actions, since drivers take their place.
# The script stays in the .blend file and runs when the file is opened, if Preferences > Save & Load > Auto Run Python Scripts is on.
import json
import math
import sys
import zlib

DATA_TEXT = @DATA
DATA = json.loads(DATA_TEXT)
KEY = "ossify_%08x" % zlib.crc32(DATA_TEXT.encode())
FADE = math.radians(DATA["fadeFrom"])


def fade(angle):
    if angle <= FADE:
        return 1.0
    x = min(1.0, (angle - FADE) / (math.pi - FADE))
    return 1.0 - x * x * (3.0 - 2.0 * x)


def rotation_vector(w, x, y, z):
    length = math.sqrt(w * w + x * x + y * y + z * z) or 1.0
    sign = -1.0 if w < 0.0 else 1.0
    w, x, y, z = (sign * c / length for c in (w, x, y, z))
    sine = math.sqrt(x * x + y * y + z * z)
    f = 2.0 * math.atan2(sine, w) / sine if sine > 0.0 else 2.0
    return (f * x, f * y, f * z)


def quaternion(vector):
    angle = math.sqrt(sum(c * c for c in vector))
    f = math.sin(angle / 2.0) / angle if angle > 0.0 else 0.5
    return (math.cos(angle / 2.0), f * vector[0], f * vector[1], f * vector[2])


def turn(matrix, v):
    return tuple(sum(matrix[r][c] * v[c] for c in range(3)) for r in range(3))


def turn_back(matrix, v):
    return tuple(sum(matrix[c][r] * v[c] for c in range(3)) for r in range(3))


def rotate(q, v):
    x, y, z, w = q
    c = (y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2])
    return (v[0] + 2 * (y * c[2] - z * c[1]), v[1] + 2 * (z * c[0] - x * c[2]), v[2] + 2 * (x * c[1] - y * c[0]))


def deltas(helper, vectors):
    """Translation, rotation vector and scale that the polynomial adds."""
    out = {"translation": [0.0] * 3, "rotation": [0.0] * 3, "scale": [0.0] * 3}
    angles = [math.sqrt(sum(c * c for c in v)) for v in vectors]
    for term in helper["terms"]:
        n = term["input"]
        reach = helper["inputs"][n]["reach"]
        shorten = reach / angles[n] if angles[n] > reach else 1.0
        value = fade(angles[n]) if sum(term["powers"]) % 2 else 1.0
        for c in range(3):
            value *= (vectors[n][c] * shorten) ** term["powers"][c]
        for path, sums in out.items():
            for c, k in enumerate(term.get(path, ())):
                sums[c] += k * value
    return out["translation"], out["rotation"], out["scale"]


def channel(helper, frames, name, index, values):
    """One channel of a helper bone from the local quaternions of the joints it reads."""
    vectors = []
    for n in range(len(helper["inputs"])):
        r = rotation_vector(*values[4 * n : 4 * n + 4])
        vectors.append(turn(frames[1 + n], r))
    move, spin, scale = deltas(helper, vectors)
    own = frames[0]
    if name == "location":
        x, y, z, w = helper["rotation"]
        local = rotate((-x, -y, -z, w), move)
        return turn_back(own, [c / s for c, s in zip(local, helper["scale"])])[index]
    if name == "rotation_quaternion":
        return quaternion(turn_back(own, spin))[index]
    factors = [max(0.01, 1.0 + s) for s in scale]
    return sum(own[c][index] ** 2 * factors[c] for c in range(3))


def frames_of(armature):
    """Rotations from each bone of Blender to the glTF joint, for the helpers and the joints that they read."""
    from mathutils import Matrix, Quaternion

    up = Matrix(((1, 0, 0), (0, 0, -1), (0, 1, 0)))

    def frame_of(name):
        x, y, z, w = DATA["binds"][name]
        bind = up @ Quaternion((w, x, y, z)).to_matrix()
        return [list(row) for row in bind.inverted() @ armature.data.bones[name].matrix_local.to_3x3()]

    frames = []
    for helper in DATA["helpers"]:
        names = [helper["name"]] + [one["joint"] for one in helper["inputs"]]
        missing = [name for name in names if name not in armature.data.bones]
        if missing:
            raise RuntimeError("The armature has no bone %r." % missing[0])
        frames.append([frame_of(name) for name in names])
    return frames


def register():
    """Makes the functions of the drivers available again, for the armatures that use them."""
    import bpy

    for armature in bpy.data.objects:
        if armature.type != "ARMATURE" or armature.get("ossify_drivers") != KEY:
            continue
        frames = frames_of(armature)
        bpy.app.driver_namespace[KEY] = lambda h, name, index, *values, frames=frames: channel(
            DATA["helpers"][h], frames[h], ("location", "rotation_quaternion", "scale")[name], index, values
        )
        # A driver that failed before its function was there is not evaluated again until its expression is set.
        for curve in armature.animation_data.drivers if armature.animation_data else ():
            if curve.driver.expression.startswith(KEY):
                curve.driver.expression = curve.driver.expression
        armature.update_tag()


def keep_script():
    """Stores this script in the .blend file and has Blender run it when the file is opened."""
    import os

    import bpy

    text = next((one for one in bpy.data.texts if DATA_TEXT in data_of(one.as_string())), None)
    if text is None and os.path.isfile(__file__):
        text = bpy.data.texts.load(__file__, internal=True)
    if text is None:
        print("Ossify: the script is not in the .blend file; run it again after opening the file")
        return
    if not text.name.endswith(".py"):
        text.name += ".py"
    text.use_module = True


def data_of(source):
    """The value of DATA_TEXT in the source of a script; empty for other texts."""
    import ast

    line = next((one for one in source.split("\\n") if one.startswith("DATA_TEXT = ")), None)
    return ast.literal_eval(line[12:]) if line else ""


def install():
    import bpy

    armature = bpy.context.object
    if armature is None or armature.type != "ARMATURE":
        raise RuntimeError("Select the armature of the imported file first.")
    frames_of(armature)
    armature["ossify_drivers"] = KEY
    register()
    keep_script()

    prefixes = ['pose.bones["%s"]' % helper["name"] for helper in DATA["helpers"]]
    for action in bpy.data.actions:
        for curve in list(getattr(action, "fcurves", [])):
            if any(curve.data_path.startswith(prefix) for prefix in prefixes):
                action.fcurves.remove(curve)

    for h, helper in enumerate(DATA["helpers"]):
        bone = armature.pose.bones[helper["name"]]
        bone.rotation_mode = "QUATERNION"
        for p, (path, count) in enumerate((("location", 3), ("rotation_quaternion", 4), ("scale", 3))):
            for index in range(count):
                driver = bone.driver_add(path, index).driver
                driver.type = "SCRIPTED"
                arguments = []
                for n, one in enumerate(helper["inputs"]):
                    for c in "WXYZ":
                        variable = driver.variables.new()
                        variable.name = "%s%d" % (c.lower(), n)
                        variable.type = "TRANSFORMS"
                        target = variable.targets[0]
                        target.id = armature
                        target.bone_target = one["joint"]
                        target.transform_type = "ROT_" + c
                        target.rotation_mode = "QUATERNION"
                        target.transform_space = "LOCAL_SPACE"
                        arguments.append(variable.name)
                driver.expression = "%s(%d, %d, %d, %s)" % (KEY, h, p, index, ", ".join(arguments))
    print("Ossify: %d helper bones are driven" % len(DATA["helpers"]))


if __name__ == "__main__":
    install()
elif "bpy" in sys.modules:
    # Blender imports the script as a module when it opens the file.
    register()
`;
