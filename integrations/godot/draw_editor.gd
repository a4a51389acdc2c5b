# SPDX-License-Identifier: MIT
# Godot 3, an editor plugin for scripts/draw/engines.mjs: shows the import settings of model.glb and the scene stage.tscn, and saves a picture of the window.
tool
extends EditorPlugin

var ticks = 0


func _process(_delta):
	if get_editor_interface().get_resource_filesystem().is_scanning():
		return
	ticks += 1
	var base = get_editor_interface().get_base_control()
	if ticks == 60:
		get_editor_interface().select_file("res://model.glb")
	elif ticks == 70:
		# the dock fills its fields when a file is clicked
		for tree in list_kind(list_kind(base, "FileSystemDock")[0], "Tree"):
			var item = tree.get_next_selected(null)
			if item:
				tree.emit_signal("multi_selected", item, 0, true)
	elif ticks == 80:
		var dock = list_kind(base, "ImportDock")[0]
		dock.get_parent().current_tab = dock.get_index()
		dock.get_parent().get_parent().split_offset = 260
	elif ticks == 90:
		get_editor_interface().open_scene_from_path("res://stage.tscn")
	elif ticks == 130:
		# down to the settings of animations
		for inspector in list_kind(list_kind(base, "ImportDock")[0], "EditorInspector"):
			inspector.scroll_vertical = 560
	elif ticks == 170:
		var image = base.get_viewport().get_texture().get_data()
		image.flip_y()
		image.save_png("res://editor.png")
		get_tree().quit()


func list_kind(node, kind):
	var found = [node] if node.get_class() == kind else []
	for child in node.get_children():
		found += list_kind(child, kind)
	return found
