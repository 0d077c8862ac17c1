# SPDX-License-Identifier: MIT
# check_godot.gd: a binary STL of `bvpack extract` as a collision shape of Godot 3, and rays against it.
# Usage: godot3-server --path FOLDER -s check_godot.gd, with model.stl and rays.txt in FOLDER: six
# numbers a line, from and to, and the hit's fraction or -1.
extends SceneTree

func faces_of(path):
	var file = File.new()
	if file.open(path, File.READ) != OK:
		return null
	file.seek(80)
	var count = file.get_32()
	var faces = PoolVector3Array()
	for _t in range(count):
		for _skip in range(3):
			file.get_float()
		for _corner in range(3):
			var x = file.get_float()
			var y = file.get_float()
			var z = file.get_float()
			faces.push_back(Vector3(x, y, z))
		file.get_16()
	return faces

func _initialize():
	var shape = ConcavePolygonShape.new()
	shape.set_faces(faces_of("res://model.stl"))
	var body = StaticBody.new()
	var collision = CollisionShape.new()
	collision.shape = shape
	body.add_child(collision)
	root.add_child(body)

var frames = 0
func _iteration(_delta):
	frames += 1
	if frames < 3: # the body is in the space after a step
		return false
	var space = root.world.direct_space_state
	var file = File.new()
	file.open("res://rays.txt", File.READ)
	var asked = 0
	var hits = 0
	var others = 0
	while not file.eof_reached():
		var n = file.get_line().split_floats(" ", false)
		if n.size() < 7:
			continue
		var from = Vector3(n[0], n[1], n[2])
		var to = Vector3(n[3], n[4], n[5])
		var hit = space.intersect_ray(from, to)
		var fraction = -1.0
		if not hit.empty():
			fraction = (hit.position - from).length() / (to - from).length()
			hits += 1
		asked += 1
		if abs(fraction - n[6]) > 1e-3:
			others += 1
	print("godot: %d rays, %d hit, %d otherwise than the packed file" % [asked, hits, others])
	quit(0 if others * 200 <= asked and hits > 0 else 1)
	return false
