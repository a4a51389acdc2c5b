# SPDX-License-Identifier: MIT
# Godot 3: prints the matrices that skin a mesh, rest to posed, at the frames of a file. Copy it and find_kind.gd into the
# project: godot3-server --path PROJECT -s res://play3.gd
extends SceneTree

const Kind = preload("res://find_kind.gd")


func _init():
	var root = load("res://model.glb").instance()
	get_root().add_child(root)
	var player = Kind.find(root, "AnimationPlayer")
	var skeleton = Kind.find(root, "Skeleton")
	var mesh = Kind.find(root, "MeshInstance")
	var name = player.get_animation_list()[0]
	player.play(name)
	var fps = float(OS.get_environment("OSSIFY_FPS"))
	var frames = int(OS.get_environment("OSSIFY_FRAMES"))
	for k in range(frames):
		player.seek(k / fps, true)
		var skin = mesh.skin
		for b in range(skin.get_bind_count()):
			var bone = skin.get_bind_bone(b)
			if bone < 0 or skin.get_bind_name(b) != "":
				bone = skeleton.find_bone(skin.get_bind_name(b))
			var m = place(skeleton, root) * skeleton.get_bone_global_pose(bone) * skin.get_bind_pose(b)
			var x = m.basis.x
			var y = m.basis.y
			var z = m.basis.z
			var o = m.origin
			print("BONE %d %s " % [k, skeleton.get_bone_name(bone)], [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, o.x, o.y, o.z])
	quit()


# The transform of a node relative to the root: nodes are not in the tree of a running scene yet.
func place(node, root):
	var transform = Transform()
	while node != root:
		transform = node.transform * transform
		node = node.get_parent()
	return transform
