# SPDX-License-Identifier: MIT
"""Run by blender.test.ts in a Blender with windows: Esc while a command runs. Prints a line of JSON.
LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -s "-screen 0 800x600x24" blender --factory-startup --enable-event-simulate --python test_cancel.py
"""

import json
import os
import sys
import time

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ossify  # noqa: E402
from ossify import operators  # noqa: E402

SECONDS = 60
state = {"step": 0, "processes": [], "started": time.time()}


class Watched(operators.Process):
    """Keeps the process of the operator, to see its progress."""

    def __init__(self, line, folder):
        state["processes"].append(self)
        super().__init__(line, folder)


def make_wave():
    """A sheet whose waves need many bones, so that the solve takes some seconds."""
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    bpy.context.scene.frame_end = 40
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=2)
    obj = bpy.context.object
    obj.name = "sheet"
    obj.modifiers.new("Wave", "WAVE").height = 0.3
    return obj


def tick():
    window = bpy.context.window_manager.windows[0]
    area = next(one for one in window.screen.areas if one.type == "VIEW_3D")
    region = next(one for one in area.regions if one.type == "WINDOW")
    if time.time() - state["started"] > SECONDS:
        print("CASE " + json.dumps({"case": "late", "step": state["step"]}))
        bpy.ops.wm.quit_blender()
        return None
    with bpy.context.temp_override(window=window, area=area, region=region):
        if state["step"] == 0:
            make_wave()
            state["status"] = list(bpy.ops.object.ossify_decompose("EXEC_DEFAULT", bones=80))
            state["step"] = 1
        elif state["step"] == 1 and state["processes"][0].error is not None:
            state["seen"] = state["processes"][0].describe()
            window.event_simulate(type="ESC", value="PRESS", x=400, y=300)
            window.event_simulate(type="ESC", value="RELEASE", x=400, y=300)
            state["step"] = 2
        elif state["step"] == 2 and not state["processes"][0].is_running() and bpy.data.objects["sheet"].hide_get():
            armature = bpy.context.view_layer.objects.active
            report = json.loads(armature["ossify_report"])
            facts = {
                "status": state["status"],
                "seen": state["seen"],
                "exit": state["processes"][0].child.returncode,
                "solve": report["result"]["status"],
                "bones": len(armature.data.bones),
                "reportMax": report["metrics"]["max"],
                "folderLeft": os.path.isdir(os.path.dirname(state["processes"][0].report_path)),
            }
            print("CASE " + json.dumps({"case": "cancel", **facts}))
            bpy.ops.wm.quit_blender()
            return None
    return 0.05


bpy.context.preferences.view.show_splash = False
operators.Process = Watched
ossify.register()
bpy.app.timers.register(tick, first_interval=1)
