# SPDX-License-Identifier: MIT
"""Where the ossify command is. Nothing is installed: the command is found on the path, or its place is given here."""

import os
import shutil

import bpy


class OssifyPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: bpy.props.StringProperty(
        name="Ossify",
        description="The ossify command, or dist/cli/main.js of a checkout. Empty: found on the path",
        subtype="FILE_PATH",
    )
    node: bpy.props.StringProperty(
        name="Node",
        description="Node.js 20.12 or later, to run a .js file. Empty: found on the path",
        subtype="FILE_PATH",
    )

    def draw(self, context):
        self.layout.prop(self, "command")
        self.layout.prop(self, "node")
        line = find_command()
        text = " ".join(line) if line else "Not found. Install it with: npm install --global ossify"
        self.layout.label(text=text, icon="CHECKMARK" if line else "ERROR")


def find_command():
    """The words that start the command, or None. The environment variable OSSIFY has the same meaning as the preference."""
    addon = bpy.context.preferences.addons.get(__package__)
    given = addon.preferences if addon else None
    command = bpy.path.abspath(given.command) if given and given.command else os.environ.get("OSSIFY", "")
    node = bpy.path.abspath(given.node) if given and given.node else shutil.which("node")
    if command.endswith((".js", ".mjs")):
        return [node, command] if node and os.path.isfile(command) else None
    if command:
        return [command] if shutil.which(command) else None
    found = shutil.which("ossify")
    return [found] if found else None


def register():
    bpy.utils.register_class(OssifyPreferences)


def unregister():
    bpy.utils.unregister_class(OssifyPreferences)
