# SPDX-License-Identifier: MIT
# Run by godot3.test.ts: prints the virtual bones of model.json for the bones in pose.json.
extends SceneTree


func _init():
	var two_layer = load("res://ossify_two_layer.gd").new()
	print("VIRTUAL ", to_json(two_layer.virtual_bones(read("res://model.json"), read("res://pose.json"))))
	quit()


func read(path):
	var file = File.new()
	file.open(path, File.READ)
	return JSON.parse(file.get_as_text()).result
