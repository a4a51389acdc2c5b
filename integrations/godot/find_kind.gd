# SPDX-License-Identifier: MIT
# Godot 3: the first node of a class, depth first. For the scripts that godot3.test.ts runs.
extends Reference


static func find(node, kind):
	if node.get_class() == kind:
		return node
	for child in node.get_children():
		var found = find(child, kind)
		if found:
			return found
	return null
