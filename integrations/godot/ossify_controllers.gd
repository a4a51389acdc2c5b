# SPDX-License-Identifier: MIT
# The controllers of helper bones, from the JSON file of: ossify convert rig.glb out.glb --controllers out.json
# Plain numbers only, and no base class, so that the same file works in Godot 3 and Godot 4. Quaternions are arrays x, y, z, w.

var fade_from = 150.0 * PI / 180.0
var helpers = []


# data: the parsed JSON file
func read(data):
	fade_from = data["fadeFrom"] * PI / 180.0
	helpers = data["helpers"]


# Translation, rotation (x, y, z, w) and scale of a helper relative to its parent, from the rotations of its inputs relative to theirs.
func evaluate(helper, rotations):
	var moved = [0.0, 0.0, 0.0]
	var turned = [0.0, 0.0, 0.0]
	var scaled = [0.0, 0.0, 0.0]
	var vectors = []
	var fades = []
	for n in range(helper["inputs"].size()):
		var input = helper["inputs"][n]
		var vector = rotation_vector(multiply(conjugate(input["rest"]), rotations[n]))
		var angle = length(vector)
		fades.append(fade(angle))
		if angle > input["reach"]:
			for c in range(3):
				vector[c] *= input["reach"] / angle
		vectors.append(vector)
	for term in helper["terms"]:
		var n = int(term["input"])
		var value = 1.0
		var degree = 0
		for c in range(3):
			degree += int(term["powers"][c])
			value *= pow(vectors[n][c], term["powers"][c])
		if degree % 2 == 1:
			value *= fades[n]
		add(moved, term.get("translation"), value)
		add(turned, term.get("rotation"), value)
		add(scaled, term.get("scale"), value)
	var translation = []
	var scale = []
	for c in range(3):
		translation.append(helper["translation"][c] + moved[c])
		scale.append(helper["scale"][c] * max(0.01, 1.0 + scaled[c]))
	return [translation, multiply(helper["rotation"], from_vector(turned)), scale]


func add(sums, coefficients, value):
	if coefficients != null:
		for c in range(3):
			sums[c] += coefficients[c] * value


func fade(angle):
	if angle <= fade_from:
		return 1.0
	var x = min(1.0, (angle - fade_from) / (PI - fade_from))
	return 1.0 - x * x * (3.0 - 2.0 * x)


func length(v):
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


func conjugate(q):
	return [-q[0], -q[1], -q[2], q[3]]


func multiply(a, b):
	return [
		a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
		a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
		a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
		a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
	]


func rotation_vector(q):
	var size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
	if q[3] < 0.0:
		size = -size
	var sine = length(q) / abs(size)
	var factor = 2.0 / size
	if sine > 0.0:
		factor = 2.0 * atan2(sine, q[3] / size) / sine / size
	return [factor * q[0], factor * q[1], factor * q[2]]


func from_vector(v):
	var angle = length(v)
	var factor = 0.5
	if angle > 0.0:
		factor = sin(angle / 2.0) / angle
	return [factor * v[0], factor * v[1], factor * v[2], cos(angle / 2.0)]
