# SPDX-License-Identifier: MIT
# Godot 3: moves the helper bones of a Skeleton by their controllers. Make it a child of the Skeleton and set `controllers` to the JSON file.
extends Node

export(String, FILE, "*.json") var controllers = ""
var model = preload("ossify_controllers.gd").new()
var bones = {}


func _ready():
	var file = File.new()
	if file.open(controllers, File.READ) == OK:
		model.read(JSON.parse(file.get_as_text()).result)


func _process(_delta):
	apply(get_parent())


func apply(skeleton):
	for helper in model.helpers:
		var rotations = []
		for input in helper["inputs"]:
			var bone = find_bone(skeleton, input["joint"])
			var turn = skeleton.get_bone_global_pose(bone).basis.get_rotation_quat()
			if input.has("parent"):
				var above = find_bone(skeleton, input["parent"])
				turn = skeleton.get_bone_global_pose(above).basis.get_rotation_quat().inverse() * turn
			rotations.append([turn.x, turn.y, turn.z, turn.w])
		var placed = model.evaluate(helper, rotations)
		var q = placed[1]
		var basis = Basis(Quat(q[0], q[1], q[2], q[3]))
		basis.x *= placed[2][0]
		basis.y *= placed[2][1]
		basis.z *= placed[2][2]
		var local = Transform(basis, Vector3(placed[0][0], placed[0][1], placed[0][2]))
		var bone = find_bone(skeleton, helper["name"])
		# poses of Godot 3 are relative to the rest
		skeleton.set_bone_pose(bone, skeleton.get_bone_rest(bone).affine_inverse() * local)


# The importer of Godot 3 changes names: "upperArm helper 01" becomes "upper_arm_helper_1".
func find_bone(skeleton, name):
	if not bones.has(name):
		bones[name] = skeleton.find_bone(name)
		for bone in range(skeleton.get_bone_count()):
			if bones[name] < 0 and plain(skeleton.get_bone_name(bone)) == plain(name):
				bones[name] = bone
	return bones[name]


# Letters and numbers, in lower case; numbers without leading zeros.
func plain(name):
	var text = ""
	var number = ""
	for letter in name.to_lower() + " ":
		if letter >= "0" and letter <= "9":
			number += letter
			continue
		if number != "":
			text += str(int(number))
			number = ""
		if letter >= "a" and letter <= "z":
			text += letter
	return text
