# SPDX-License-Identifier: MIT
# Godot 3, for scripts/draw/engines.mjs: plays model.glb in the scene stage.tscn and saves one picture of several times, side by side
extends SceneTree

const Kind = preload("res://find_kind.gd")


func _init():
	call_deferred("draw")


func draw():
	var stage = load("res://stage.tscn").instance()
	get_root().add_child(stage)
	var player = Kind.find(stage, "AnimationPlayer")
	player.play(player.get_animation_list()[0])
	player.playback_active = false
	var times = OS.get_environment("OSSIFY_TIMES").split(",")
	var all = Image.new()
	for n in range(times.size()):
		player.seek(float(times[n]), true)
		for _wait in range(3):
			yield(self, "idle_frame")
			VisualServer.force_draw()
		var image = get_root().get_texture().get_data()
		image.flip_y()
		var size = image.get_size()
		if n == 0:
			all.create(int(size.x) * times.size(), int(size.y), false, image.get_format())
		all.blit_rect(image, Rect2(Vector2(), size), Vector2(n * size.x, 0))
	all.save_png("res://frames.png")
	quit()
