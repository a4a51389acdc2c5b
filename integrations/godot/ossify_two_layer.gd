# SPDX-License-Identifier: MIT
# The first layer of Direct Delta Mush in two layers: virtual bones from bones. Data: node integrations/export-two-layer.mjs out.glb out.json
# Plain numbers only, and no base class, so that the same file works in Godot 3 and Godot 4. Matrices are three rows of four numbers.
# The formulas and letters are those of docs/formats/extensions/OSSIFY_two_layer_skin.md.
const ITERATIONS = 24


# Rows of the virtual bones that move a rest position. bones: a list of 12 numbers per joint, rest to posed.
func virtual_bones(model, bones):
	var result = []
	for k in range(model["rows"].size() - 1):
		var p = [model["centers"][3 * k], model["centers"][3 * k + 1], model["centers"][3 * k + 2]]
		var first = int(model["rows"][k])
		var end = int(model["rows"][k + 1])
		var origin = move(bones[int(model["entryBones"][first])], p)
		var q = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
		var place = [0.0, 0.0, 0.0]
		for e in range(first, end):
			var bone = bones[int(model["entryBones"][e])]
			var n = model["entries"]
			var o = 10 * e
			var b = [n[o + 1], n[o + 2], n[o + 3]]
			var a = [[n[o + 4], n[o + 7], n[o + 8]], [n[o + 7], n[o + 5], n[o + 9]], [n[o + 8], n[o + 9], n[o + 6]]]
			var g = move(bone, p)
			for r in range(3):
				# relative to the first entry: the sum of b is zero only up to rounding
				var relative = g[r] - origin[r]
				for c in range(3):
					var sum = relative * b[c]
					for m in range(3):
						sum += bone[4 * r + m] * a[m][c]
					q[r][c] += sum
				place[r] += bone[4 * r] * b[0] + bone[4 * r + 1] * b[1] + bone[4 * r + 2] * b[2] + n[o] * relative
		var turn = nearest_rotation(q)
		var rows = []
		for r in range(3):
			var t = place[r] + origin[r] - (turn[r][0] * p[0] + turn[r][1] * p[1] + turn[r][2] * p[2])
			for value in [turn[r][0], turn[r][1], turn[r][2], t]:
				rows.append(value)
		result.append(rows)
	return result


func move(m, p):
	return [
		m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3],
		m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
		m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11],
	]


# By rotations about axes until the columns agree (Müller, Bender, Chentanez and Macklin 2016).
func nearest_rotation(q):
	var r = [0.0, 0.0, 0.0, 1.0]
	var m = matrix_of(r)
	for _n in range(ITERATIONS):
		var omega = [0.0, 0.0, 0.0]
		var along = 0.0
		for c in range(3):
			var x = [m[0][c], m[1][c], m[2][c]]
			var a = [q[0][c], q[1][c], q[2][c]]
			omega[0] += x[1] * a[2] - x[2] * a[1]
			omega[1] += x[2] * a[0] - x[0] * a[2]
			omega[2] += x[0] * a[1] - x[1] * a[0]
			along += x[0] * a[0] + x[1] * a[1] + x[2] * a[2]
		var divisor = abs(along) + 1e-9
		var angle = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]) / divisor
		if angle < 1e-7:
			break
		var s = sin(0.5 * angle) / (angle * divisor)
		var v = [omega[0] * s, omega[1] * s, omega[2] * s]
		var w = cos(0.5 * angle)
		r = [
			w * r[0] + r[3] * v[0] + v[1] * r[2] - v[2] * r[1],
			w * r[1] + r[3] * v[1] + v[2] * r[0] - v[0] * r[2],
			w * r[2] + r[3] * v[2] + v[0] * r[1] - v[1] * r[0],
			w * r[3] - v[0] * r[0] - v[1] * r[1] - v[2] * r[2],
		]
		m = matrix_of(r)
	return m


func matrix_of(q):
	var x = q[0]
	var y = q[1]
	var z = q[2]
	var w = q[3]
	return [
		[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
		[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
		[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
	]
