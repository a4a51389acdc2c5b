# SPDX-License-Identifier: MIT
"""Object > Ossify. Each operator writes files, runs one command and shows its result beside the hidden original."""

import json
import os
import shutil
import tempfile

import bpy

from . import frames, glb, preferences, scene
from .process import Process

TARGETS = (
    ("BONES", "Bones", "A number of bones"),
    ("ERROR", "Error", "The fewest bones that keep every vertex within a distance"),
    ("SIZE", "Size", "As many bones as a file of this size holds"),
)


def bones_for(size, mesh, frame_count):
    """Bones that fit into a GLB of this many bytes: 44 bytes per vertex, indices, and 28 per bone and frame."""
    corners = sum(len(polygon.vertices) - 2 for polygon in mesh.polygons) * 3
    fixed = 44 * len(mesh.vertices) + (2 if len(mesh.vertices) < 65536 else 4) * corners + 4096
    return max(1, int((size - fixed) / (28 * frame_count)))


class OssifyOperator:
    """Runs a command without blocking Blender; Esc cancels."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH" and context.mode == "OBJECT"

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        line = preferences.find_command()
        if line is None:
            self.report({"ERROR"}, "The ossify command was not found. Install it with npm, or set its path in the preferences of the add-on.")
            return {"CANCELLED"}
        self.source = context.object
        self.folder = tempfile.mkdtemp(prefix="ossify-")
        self.output = os.path.join(self.folder, "result.glb")
        try:
            self.process = Process([*line, *self.write(context)], self.folder)
        except Exception as error:
            return self.fail(error)
        if bpy.app.background:
            return self.finish(context)
        self.timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.progress_begin(0, 100)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.process.stop()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.workspace.status_text_set("Ossify: %s (Esc: stop and keep the best result so far)" % self.process.describe())
        context.window_manager.progress_update(100 * self.process.ratio)
        if self.process.is_running():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return self.finish(context)

    def finish(self, context):
        try:
            report = self.process.finish()
            armature, obj = self.show(context)
        except Exception as error:
            return self.fail(error)
        self.source.hide_set(True)
        self.source.hide_render = True
        for one in (armature, obj):
            one["ossify_report"] = json.dumps(report)
        context.view_layer.objects.active = armature
        metrics, result = report["metrics"], report["result"]
        if self.drivers():
            with open(self.drivers(), encoding="utf-8") as file:
                text = file.read()
            exec(compile(text, self.drivers(), "exec"), {"__name__": "__main__", "__file__": self.drivers()})
        self.report({"INFO"}, "Ossify: %s bones, maximum error %.4g" % (result.get("bones", "?"), metrics.get("max", 0)))
        shutil.rmtree(self.folder, ignore_errors=True)
        return {"FINISHED"}

    def fail(self, error):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def drivers(self):
        return None


class ClipOperator(OssifyOperator):
    """A command on the frames of the selected mesh."""

    paint: bpy.props.BoolProperty(name="Error as colours", description="Add the largest error of each vertex as a colour layer")

    def sample(self, context):
        self.start = context.scene.frame_start
        self.frames = frames.sample(self.source, self.start, context.scene.frame_end)
        self.mesh = frames.copy_mesh(self.source, self.start)
        self.fps = context.scene.render.fps
        return frames.write(self.folder, self.mesh, self.frames)

    def show(self, context):
        armature, skinned = scene.import_glb(self.output)
        obj = scene.dress(skinned, self.mesh)
        scene.shift(scene.actions_of(armature, obj), self.start)
        armature.name = "%s armature" % self.source.name
        if self.paint:
            scene.paint(obj, scene.measure(obj, self.frames, self.start))
        return armature, obj


class OSSIFY_OT_decompose(ClipOperator, bpy.types.Operator):
    """Bones and weights for anything that moves: simulations, caches, shape keys, modifiers"""

    bl_idname = "object.ossify_decompose"
    bl_label = "Bones from Motion"

    target: bpy.props.EnumProperty(name="Target", items=TARGETS)
    bones: bpy.props.IntProperty(name="Bones", default=20, min=1, max=1000)
    max_error: bpy.props.FloatProperty(name="Maximum error", default=0.005, min=1e-6, precision=4, subtype="DISTANCE")
    size: bpy.props.IntProperty(name="Size (kB)", default=500, min=10)
    influences: bpy.props.IntProperty(name="Bones per vertex", default=4, min=1, max=32)
    corrections: bpy.props.IntProperty(name="Corrective shapes", default=0, min=0, max=64)

    def draw(self, context):
        layout = self.layout
        layout.prop(self, "target", expand=True)
        layout.prop(self, {"BONES": "bones", "ERROR": "max_error", "SIZE": "size"}[self.target])
        for name in ("influences", "corrections", "paint"):
            layout.prop(self, name)

    def write(self, context):
        line = ["decompose", self.sample(context), self.output, "--fps", str(self.fps), "--influences", str(self.influences)]
        if self.target == "ERROR":
            line += ["--max-error", repr(self.max_error)]
        else:
            count = self.bones if self.target == "BONES" else bones_for(1000 * self.size, self.mesh, len(self.frames))
            line += ["--bones", str(count)]
        if self.corrections:
            line += ["--corrections", str(self.corrections), "--corrections-as", "morphs"]
        return line


class OSSIFY_OT_skeleton(ClipOperator, bpy.types.Operator):
    """A skeleton with joints and weights from the motion of a creature"""

    bl_idname = "object.ossify_skeleton"
    bl_label = "Skeleton from Motion"

    bones: bpy.props.IntProperty(name="Bones", default=20, min=1, max=500)

    def write(self, context):
        return ["skeleton", self.sample(context), self.output, "--fps", str(self.fps), "--bones", str(self.bones)]


class RigOperator(OssifyOperator):
    """A command on a skinned mesh, which travels as GLB."""

    @classmethod
    def poll(cls, context):
        return super().poll(context) and context.object.find_armature() is not None

    def export(self, context):
        path = os.path.join(self.folder, "rig.glb")
        armature = self.source.find_armature()
        bpy.ops.object.select_all(action="DESELECT")
        for one in (self.source, armature):
            one.select_set(True)
        wanted = {"export_all_influences": True, "export_apply": False, "export_yup": True, "export_frame_range": True}
        known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
        bpy.ops.export_scene.gltf(
            filepath=path, export_format="GLB", use_selection=True, **{k: v for k, v in wanted.items() if k in known}
        )
        glb.start_at_zero(path)
        self.start = context.scene.frame_start
        return path

    def show(self, context):
        armature, skinned = scene.import_glb(self.output)
        scene.shift(scene.actions_of(armature, skinned), self.start)
        for slot in range(min(len(skinned.material_slots), len(self.source.material_slots))):
            skinned.material_slots[slot].material = self.source.material_slots[slot].material
        self.source.find_armature().hide_set(True)
        return armature, skinned


class OSSIFY_OT_reduce(RigOperator, bpy.types.Operator):
    """Fewer bones per vertex with the same appearance"""

    bl_idname = "object.ossify_reduce"
    bl_label = "Reduce Weights"

    influences: bpy.props.IntProperty(name="Bones per vertex", default=4, min=1, max=16)

    def write(self, context):
        return ["reduce", self.export(context), self.output, "--influences", str(self.influences)]


class FramesOnRig(RigOperator):
    """A command on the frames of a rigged mesh, with all of its modifiers, and the bones that move it."""

    helpers: bpy.props.IntProperty(name="Helper bones", default=4, min=0, max=100)

    def write(self, context):
        rig = self.export(context)
        moved = frames.sample(self.source, self.start, context.scene.frame_end)
        armature = self.source.find_armature().data
        position, armature.pose_position = armature.pose_position, "REST"
        self.mesh = frames.copy_mesh(self.source, self.start)
        armature.pose_position = position
        clip = frames.write(self.folder, self.mesh, moved)
        line = ["convert", clip, self.output, "--skeleton", rig, "--fps", str(context.scene.render.fps)]
        return [*line, "--helpers", str(self.helpers), *self.extra_words()]

    def extra_words(self):
        return []

    def show(self, context):
        armature, skinned = scene.import_glb(self.output)
        obj = scene.dress(skinned, self.mesh)
        scene.shift(scene.actions_of(armature, obj), self.start)
        self.source.find_armature().hide_set(True)
        return armature, obj


class OSSIFY_OT_convert(FramesOnRig, bpy.types.Operator):
    """Plain bones and helper bones with drivers instead of corrective shapes and other deformers"""

    bl_idname = "object.ossify_convert"
    bl_label = "Convert Rig to Helper Bones"

    def extra_words(self):
        return ["--drivers", "blender"]

    def drivers(self):
        path = self.output.replace(".glb", ".blender.py")
        return path if os.path.isfile(path) else None


class OSSIFY_OT_mush(FramesOnRig, bpy.types.Operator):
    """Plain bones and keyed helper bones instead of a Corrective Smooth modifier"""

    bl_idname = "object.ossify_mush"
    bl_label = "Delta Mush to Plain Bones"


OPERATORS = (OSSIFY_OT_decompose, OSSIFY_OT_skeleton, OSSIFY_OT_reduce, OSSIFY_OT_convert, OSSIFY_OT_mush)


def register():
    for one in OPERATORS:
        bpy.utils.register_class(one)


def unregister():
    for one in reversed(OPERATORS):
        bpy.utils.unregister_class(one)
