# SPDX-License-Identifier: MIT
# Godot 4: moves the helper bones of a Skeleton3D by their controllers. Make it a child of the Skeleton3D and set `controllers` to the JSON file.
extends Node

@export_file("*.json") var controllers := ""
var model = preload("ossify_controllers.gd").new()


func _ready() -> void:
	model.read(JSON.parse_string(FileAccess.get_file_as_string(controllers)))


func _process(_delta: float) -> void:
	var skeleton: Skeleton3D = get_parent()
	for helper in model.helpers:
		var rotations := []
		for input in helper["inputs"]:
			var turn := skeleton.get_bone_global_pose(skeleton.find_bone(input["joint"])).basis.get_rotation_quaternion()
			if input.has("parent"):
				var above := skeleton.get_bone_global_pose(skeleton.find_bone(input["parent"]))
				turn = above.basis.get_rotation_quaternion().inverse() * turn
			rotations.append([turn.x, turn.y, turn.z, turn.w])
		var placed: Array = model.evaluate(helper, rotations)
		var bone := skeleton.find_bone(helper["name"])
		skeleton.set_bone_pose_position(bone, Vector3(placed[0][0], placed[0][1], placed[0][2]))
		skeleton.set_bone_pose_rotation(bone, Quaternion(placed[1][0], placed[1][1], placed[1][2], placed[1][3]))
		skeleton.set_bone_pose_scale(bone, Vector3(placed[2][0], placed[2][1], placed[2][2]))
