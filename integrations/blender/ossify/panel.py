# SPDX-License-Identifier: MIT
"""The menu Object > Ossify and the tab Ossify of the sidebar."""

import json

import bpy

from . import preferences
from .operators import OPERATORS

ICONS = {
    "object.ossify_decompose": "MOD_ARMATURE",
    "object.ossify_skeleton": "ARMATURE_DATA",
    "object.ossify_reduce": "MOD_VERTEX_WEIGHT",
    "object.ossify_convert": "BONE_DATA",
    "object.ossify_mush": "MOD_SMOOTH",
}


def draw_operators(layout):
    layout.operator_context = "INVOKE_DEFAULT"
    for one in OPERATORS:
        layout.operator(one.bl_idname, icon=ICONS[one.bl_idname])


class OSSIFY_MT_object(bpy.types.Menu):
    bl_idname = "OSSIFY_MT_object"
    bl_label = "Ossify"

    def draw(self, context):
        draw_operators(self.layout)


class OSSIFY_PT_sidebar(bpy.types.Panel):
    bl_idname = "OSSIFY_PT_sidebar"
    bl_label = "Ossify"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Ossify"

    def draw(self, context):
        layout = self.layout
        if preferences.find_command() is None:
            layout.label(text="The ossify command was not found", icon="ERROR")
            layout.label(text="Set its path in the preferences of the add-on")
        column = layout.column(align=True)
        draw_operators(column)
        obj = context.object
        if obj is not None and "ossify_report" in obj:
            report = json.loads(obj["ossify_report"])
            layout.label(text="%s bones" % report["result"].get("bones", "?"))
            layout.label(text="Maximum error: %.4g" % report["metrics"].get("max", 0))


def draw_menu(self, context):
    self.layout.separator()
    self.layout.menu(OSSIFY_MT_object.bl_idname)


def register():
    bpy.utils.register_class(OSSIFY_MT_object)
    bpy.utils.register_class(OSSIFY_PT_sidebar)
    bpy.types.VIEW3D_MT_object.append(draw_menu)


def unregister():
    bpy.types.VIEW3D_MT_object.remove(draw_menu)
    bpy.utils.unregister_class(OSSIFY_PT_sidebar)
    bpy.utils.unregister_class(OSSIFY_MT_object)
