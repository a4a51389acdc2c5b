# SPDX-License-Identifier: MIT
# Godot 4: Direct Delta Mush in two layers. Add a MeshInstance3D with this script below the Skeleton3D of a file of `ossify compress`, set `model` to the JSON file of
# integrations/export-two-layer.mjs and `imported` to the MeshInstance3D of the file.
extends MeshInstance3D

@export_file("*.json") var model := ""
@export var imported: MeshInstance3D
var data: Dictionary
var two_layer = preload("ossify_two_layer.gd").new()
var image: Image
var texture: ImageTexture


func _ready() -> void:
	data = JSON.parse_string(FileAccess.get_file_as_string(model))
	var arrays := imported.mesh.surface_get_arrays(0)
	arrays[Mesh.ARRAY_BONES] = null
	arrays[Mesh.ARRAY_WEIGHTS] = null
	for slot in 4:
		var source: Array = data["influences"] if slot < 2 else data["weights"]
		var values := PackedFloat32Array()
		for i in source.size() / 8:
			for n in 4:
				values.append(source[8 * i + 4 * (slot % 2) + n])
		arrays[Mesh.ARRAY_CUSTOM0 + slot] = values
	var format := 0
	for slot in 4:
		format |= Mesh.ARRAY_CUSTOM_RGBA_FLOAT << (Mesh.ARRAY_FORMAT_CUSTOM0_SHIFT + slot * Mesh.ARRAY_FORMAT_CUSTOM_BITS)
	var shape := ArrayMesh.new()
	shape.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays, [], {}, format)
	mesh = shape
	var shaded := ShaderMaterial.new()
	shaded.shader = preload("two_layer.gdshader")
	image = Image.create(3 * (data["rows"].size() - 1), 1, false, Image.FORMAT_RGBAF)
	texture = ImageTexture.create_from_image(image)
	shaded.set_shader_parameter("virtual_bones", texture)
	material_override = shaded
	imported.visible = false


func _process(_delta: float) -> void:
	var skeleton: Skeleton3D = get_parent()
	var bones := []
	for j in data["joints"].size():
		var i := 16 * j
		var n: Array = data["inverseBinds"]
		var inverse := Transform3D(
			Vector3(n[i], n[i + 1], n[i + 2]), Vector3(n[i + 4], n[i + 5], n[i + 6]),
			Vector3(n[i + 8], n[i + 9], n[i + 10]), Vector3(n[i + 12], n[i + 13], n[i + 14]))
		var m := skeleton.get_bone_global_pose(skeleton.find_bone(data["joints"][j])) * inverse
		var b := m.basis
		bones.append([b.x.x, b.y.x, b.z.x, m.origin.x, b.x.y, b.y.y, b.z.y, m.origin.y, b.x.z, b.y.z, b.z.z, m.origin.z])
	var rows: Array = two_layer.virtual_bones(data, bones)
	for k in rows.size():
		for r in 3:
			image.set_pixel(3 * k + r, 0, Color(rows[k][4 * r], rows[k][4 * r + 1], rows[k][4 * r + 2], rows[k][4 * r + 3]))
	texture.update(image)
