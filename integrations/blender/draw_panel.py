# SPDX-License-Identifier: MIT
"""Draws docs/images/blender-panel.png and blender-dialog.png. Without a display:
LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -s "-screen 0 1000x640x24" blender --factory-startup --enable-event-simulate -p 0 0 1000 640 --python draw_panel.py -- FOLDER
"""

import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
FOLDER = sys.argv[sys.argv.index("--") + 1]
import ossify  # noqa: E402

bpy.context.preferences.view.show_splash = False
ossify.register()
state = {"step": 0}


def make_cloth():
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    bpy.context.scene.frame_end = 24
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=24, size=2, rotation=(1.57, 0, 0))
    obj = bpy.context.object
    obj.name = "curtain"
    group = obj.vertex_groups.new(name="pin")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.99 and abs(v.co.x) > 0.7], 1.0, "REPLACE")
    obj.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "pin"


def click(window, x, y):
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)


def tick():
    window = bpy.context.window_manager.windows[0]
    area = next(one for one in window.screen.areas if one.type == "VIEW_3D")
    region = next(one for one in area.regions if one.type == "WINDOW")
    state["step"] += 1
    step = state["step"]
    with bpy.context.temp_override(window=window, area=area, region=region):
        if step == 1:
            make_cloth()
            area.spaces[0].show_region_ui = True
        elif step == 3:
            # the tab of the add-on, the last one of the sidebar
            sidebar = next(one for one in area.regions if one.type == "UI")
            click(window, sidebar.x + sidebar.width - 10, sidebar.y + sidebar.height - 160)
        elif step == 5:
            bpy.ops.object.ossify_decompose("EXEC_DEFAULT", bones=8, paint=True)
        elif step == 30:
            armature = bpy.context.view_layer.objects.active
            armature.show_in_front = True
            area.spaces[0].shading.color_type = "VERTEX"
            bpy.context.scene.frame_set(20)
            bpy.ops.view3d.view_all()
            mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.find_armature() == armature)
            bpy.context.view_layer.objects.active = mesh
        elif step == 34:
            bpy.ops.screen.screenshot_area(filepath=os.path.join(FOLDER, "blender-panel.png"))
            curtain = bpy.data.objects["curtain"]
            curtain.hide_set(False)
            bpy.context.view_layer.objects.active = curtain
            window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=400, y=400)
        elif step == 36:
            bpy.ops.object.ossify_decompose("INVOKE_DEFAULT")
        elif step == 40:
            bpy.ops.screen.screenshot_area(filepath=os.path.join(FOLDER, "blender-dialog.png"))
            bpy.ops.wm.quit_blender()
            return None
    return 0.3


bpy.app.timers.register(tick, first_interval=2)
