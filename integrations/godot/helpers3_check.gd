# SPDX-License-Identifier: MIT
# Run by godot3.test.ts: the helper bones of model.glb by their keys and by their controllers, and the largest difference of the two.
extends SceneTree

const Kind = preload("res://find_kind.gd")


func _init():
	var root = load("res://model.glb").instance()
	get_root().add_child(root)
	var player = Kind.find(root, "AnimationPlayer")
	var skeleton = Kind.find(root, "Skeleton")
	var helpers = load("res://ossify_helpers3.gd").new()
	var file = File.new()
	file.open("res://controllers.json", File.READ)
	helpers.model.read(JSON.parse(file.get_as_text()).result)
	player.play(player.get_animation_list()[0])
	var worst = 0.0
	var moved = 0.0
	for k in range(12):
		player.seek(k / 24.0, true)
		var keyed = []
		for helper in helpers.model.helpers:
			keyed.append(skeleton.get_bone_global_pose(helpers.find_bone(skeleton, helper["name"])))
		helpers.apply(skeleton)
		for n in range(keyed.size()):
			var bone = helpers.find_bone(skeleton, helpers.model.helpers[n]["name"])
			var computed = skeleton.get_bone_global_pose(bone)
			worst = max(worst, difference(keyed[n], computed))
			moved = max(moved, difference(skeleton.get_bone_rest(bone), skeleton.get_bone_rest(bone) * skeleton.get_bone_pose(bone)))
	print("HELPERS %d difference %.9f moved %.6f" % [helpers.model.helpers.size(), worst, moved])
	helpers.free()
	quit()


func difference(a, b):
	var most = (a.origin - b.origin).length()
	for c in range(3):
		most = max(most, (a.basis[c] - b.basis[c]).length())
	return most
