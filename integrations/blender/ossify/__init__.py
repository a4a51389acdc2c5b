# SPDX-License-Identifier: MIT
"""Object > Ossify: bones, skeletons, weights and helper bones for the selected mesh, by the ossify command."""

bl_info = {
    "name": "Ossify",
    "author": "The Ossify contributors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Object > Ossify, and Sidebar > Ossify",
    "description": "Gives bones to anything that moves",
    "doc_url": "https://github.com/ossify/ossify",
    "category": "Animation",
}

from . import operators, panel, preferences  # noqa: E402

MODULES = (preferences, operators, panel)


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
