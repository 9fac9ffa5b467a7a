"use strict";
// The machine in space.

const ANGLE = 30; // of the camera, degrees
const CREASE = 0.6; // rad; flatter edges are smooth
const MOST_SMOOTH = 120000; // triangles of a shape
const BODY_COLOURS = ["#5b8def", "#e08a3c", "#4fae7b", "#c779b4", "#d4b13f", "#62b8d8", "#d96b5f", "#9a86d8", "#8fae4f", "#b08968"];
const FIXED = "#9aa0a8", CHOSEN = "#ff3d81", FORCE = "#d81b60";
const DARKER = 0.55; // of marks
const GHOST = 0.05; // of the machine: edges of blocks that are seen through
const MARGIN = 1.08, TIMES = 8, LOOKED_AT = 20000; // of the machine in the picture; times and points that say how large it is
const MOSTLY = 0.6; // of the axes of a flat machine; of the length of what points along an axis
const ARROW = { usual: 0.1, largest: 0.45 }; // of the machine
const VIEWS = {
  1: ["from the front (along +y)", [0, -1, 0], [0, 0, 1]], 2: ["from the back (along −y)", [0, 1, 0], [0, 0, 1]],
  3: ["from the left (along +x)", [-1, 0, 0], [0, 0, 1]], 4: ["from the right (along −x)", [1, 0, 0], [0, 0, 1]],
  5: ["from above (along −z)", [0, 0, 1], [0, 1, 0]], 6: ["from below (along +z)", [0, 0, -1], [0, 1, 0]], 7: ["oblique", null, null],
};

class View {
  constructor(canvas, machine, arrows, units) {
    Object.assign(this, { canvas, machine, arrows, units });
    this.poses = new Poses(machine.frames);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(ANGLE, 1, 1, 10);
    this.size = machine.scene.size;
    this.arrowScale = 1;
    this.chosen = null;
    this.waiting = false;
    this.onPick = null;
    this.groups = { walls: [], pins: [], forces: [] };
    this.lights();
    this.addParts();
    this.addLinks();
    this.addArrows();
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.render());
    this.watchPointer();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.update(machine.frames.time[0]);
    this.look(7);
  }

  lights() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, 1.7));
    this.lamp = new THREE.DirectionalLight(0xffffff, 1.9);
    this.scene.add(this.lamp, this.lamp.target);
  }

  geometry(shape) {
    const { points, triangles, tone } = shape, count = triangles.length;
    const place = new Float32Array(3 * count), colour = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) {
      for (let axis = 0; axis < 3; axis++) place[3 * k + axis] = points[3 * triangles[k] + axis];
      colour.fill(tone[Math.floor(k / 3)] ? DARKER : 1, 3 * k, 3 * k + 3);
    }
    let made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(place, 3));
    made.setAttribute("color", new THREE.BufferAttribute(colour, 3));
    if (count < 3 * MOST_SMOOTH) made = THREE.toCreasedNormals(made, CREASE); else made.computeVertexNormals();
    return made;
  }

  material({ clear, ghost }, twoSided) {
    const side = twoSided || clear ? { side: THREE.DoubleSide } : {};
    const seenThrough = clear || ghost ? { transparent: true, opacity: clear ? 0.28 : 0.35, depthWrite: false } : {};
    return new THREE.MeshLambertMaterial({ vertexColors: true, ...side, ...seenThrough });
  }

  // Whether a part is the large block of a body without a shape, which would hide what sits on it.
  hides(k) {
    const { scene } = this.machine;
    return scene.kinds[scene.parts.kind[k]] === "body" && Math.min(...scene.parts.scale.subarray(3 * k, 3 * k + 3)) > GHOST * scene.size;
  }

  // One mesh of many copies for each shape and way of drawing.
  addParts() {
    const { scene } = this.machine, { parts } = scene;
    this.meshes = [];
    this.geometries = scene.shapes.map(() => null);
    const sets = new Map();
    for (let k = 0; k < parts.body.length; k++) {
      const kind = scene.kinds[parts.kind[k]], clear = kind === "wall" || kind === "plane", ghost = this.hides(k);
      const key = `${parts.shape[k]} ${clear} ${ghost} ${kind === "joint"}`;
      if (!sets.has(key)) sets.set(key, { shape: parts.shape[k], clear, ghost, pin: kind === "joint", parts: [] });
      sets.get(key).parts.push(k);
    }
    for (const set of sets.values()) {
      const shape = scene.shapes[set.shape];
      this.geometries[set.shape] ??= this.geometry(shape);
      const mesh = new THREE.InstancedMesh(this.geometries[set.shape], this.material(set, shape.two_sided), set.parts.length);
      mesh.frustumCulled = false;
      mesh.renderOrder = set.clear || set.ghost ? 1 : 0;
      mesh.userData = { ...set, local: set.parts.map((part) => this.local(part)) };
      this.meshes.push(mesh);
      if (set.clear) this.groups.walls.push(mesh);
      if (set.pin) this.groups.pins.push(mesh);
      this.scene.add(mesh);
    }
    this.paint();
  }

  // Rows of the turn of a part in its body, each column times the scale.
  local(k) {
    const { position, quaternion, scale } = this.machine.scene.parts;
    const [w, x, y, z] = quaternion.subarray(4 * k, 4 * k + 4), [a, b, c] = scale.subarray(3 * k, 3 * k + 3);
    return [
      a * (1 - 2 * (y * y + z * z)), b * 2 * (x * y - w * z), c * 2 * (x * z + w * y), position[3 * k],
      a * 2 * (x * y + w * z), b * (1 - 2 * (x * x + z * z)), c * 2 * (y * z - w * x), position[3 * k + 1],
      a * 2 * (x * z - w * y), b * 2 * (y * z + w * x), c * (1 - 2 * (x * x + y * y)), position[3 * k + 2],
    ];
  }

  addLinks() {
    const { links, shapes } = this.machine.scene;
    this.links = [];
    for (let k = 0; k < links.radius.length; k++) {
      this.geometries[links.shape[k]] ??= this.geometry(shapes[links.shape[k]]);
      const mesh = new THREE.Mesh(this.geometries[links.shape[k]], new THREE.MeshLambertMaterial({ color: links.kind[k] ? "#c0392b" : "#7a8594" }));
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      this.links.push(mesh);
      this.scene.add(mesh);
    }
  }

  addArrows() {
    if (!this.arrows) return;
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const material = new THREE.MeshLambertMaterial({ color: FORCE, depthTest: false, transparent: true });
    this.shafts = new THREE.InstancedMesh(shaft, material, this.arrows.ids.length);
    this.heads = new THREE.InstancedMesh(head, material, this.arrows.ids.length);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      this.groups.forces.push(mesh);
      this.scene.add(mesh);
    }
    this.arrowUnit = Math.max(ARROW.largest * this.size / this.arrows.largest,
      Math.min(ARROW.usual * this.size / this.arrows.usual, 4 * ARROW.largest * this.size / this.arrows.largest));
  }

  paint() {
    const colour = new THREE.Color(), { bodies, scene } = this.machine;
    for (const mesh of this.meshes) {
      mesh.userData.parts.forEach((part, k) => {
        const body = scene.parts.body[part];
        const still = body === GROUND || bodies[body].fixed || mesh.userData.pin || mesh.userData.clear;
        colour.set(body !== GROUND && body === this.chosen ? CHOSEN : still ? FIXED : BODY_COLOURS[body % BODY_COLOURS.length]);
        mesh.setColorAt(k, colour);
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  choose(body) {
    this.chosen = body;
    this.paint();
    this.render();
  }

  update(t) {
    const before = this.chosen !== null && this.following ? Array.from(this.poses.position.subarray(3 * this.chosen, 3 * this.chosen + 3)) : null;
    this.t = t;
    this.poses.update(t);
    for (const mesh of this.meshes) this.place(mesh);
    this.placeLinks();
    if (this.arrows) this.placeArrows(t);
    if (before) {
      const way = new THREE.Vector3(...this.poses.position.subarray(3 * this.chosen, 3 * this.chosen + 3)).sub(new THREE.Vector3(...before));
      this.camera.position.add(way);
      this.controls.target.add(way);
    }
    this.render();
  }

  place(mesh) {
    const { position, rotation } = this.poses, { body, turns } = this.machine.scene.parts;
    const { parts, local } = mesh.userData, into = mesh.instanceMatrix.array;
    for (let k = 0; k < parts.length; k++) {
      const row = this.poses.row(body[parts[k]]), r = 9 * row, l = local[k], o = 16 * k;
      for (let i = 0; i < 3; i++) {
        const a = rotation[r + 3 * i], b = rotation[r + 3 * i + 1], c = rotation[r + 3 * i + 2];
        for (let j = 0; j < 3; j++) into[o + 4 * j + i] = turns[parts[k]] ? a * l[j] + b * l[4 + j] + c * l[8 + j] : l[4 * i + j];
        into[o + 12 + i] = position[3 * row + i] + a * l[3] + b * l[7] + c * l[11];
      }
      into[o + 15] = 1;
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // for the next pick
  }

  placeLinks() {
    const { links } = this.machine.scene, start = [0, 0, 0], end = [0, 0, 0];
    this.links.forEach((mesh, k) => {
      const p = links.point.subarray(6 * k, 6 * k + 6);
      this.poses.point(links.body[2 * k], p[0], p[1], p[2], start);
      this.poses.point(links.body[2 * k + 1], p[3], p[4], p[5], end);
      const along = new THREE.Vector3(end[0] - start[0], end[1] - start[1], end[2] - start[2]);
      along3(mesh.matrix, start, along, links.radius[k], along.length());
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  placeArrows(t) {
    const { time, force, point, ids } = this.arrows, count = ids.length, matrix = new THREE.Matrix4();
    const k = placeIn(time, t), next = Math.min(time.length - 1, k + 1);
    const part = next > k ? Math.min(1, Math.max(0, (t - time[k]) / (time[next] - time[k]))) : 0;
    for (let i = 0; i < count; i++) {
      const a = 3 * (count * k + i), b = 3 * (count * next + i);
      const here = Math.hypot(force[a], force[a + 1], force[a + 2]), there = Math.hypot(force[b], force[b + 1], force[b + 2]);
      const share = here === 0 ? 1 : there === 0 ? 0 : part; // a point without a force is none
      const f = new THREE.Vector3(...[0, 1, 2].map((x) => (1 - part) * force[a + x] + part * force[b + x]));
      const at = [0, 1, 2].map((x) => (1 - share) * point[a + x] + share * point[b + x]);
      const length = f.length() * this.arrowUnit * this.arrowScale;
      const tip = Math.min(0.35 * length, 0.035 * this.size), width = Math.min(0.06 * length, 0.006 * this.size);
      along3(matrix, at, f, width, Math.max(0, length - tip));
      this.shafts.setMatrixAt(i, matrix);
      const end = f.clone().normalize().multiplyScalar(Math.max(0, length - tip)).add(new THREE.Vector3(...at)).toArray();
      along3(matrix, end, f, 2.4 * width, tip);
      this.heads.setMatrixAt(i, matrix);
    }
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }

  // ---- camera ---------------------------------------------------------------------------------------------------

  look(number) {
    const [, from, up] = VIEWS[number];
    const upward = up || this.upward();
    this.direction = from ? new THREE.Vector3(...from) : this.oblique(new THREE.Vector3(...upward));
    this.camera.up.set(...upward);
    this.fit();
  }

  // Against gravity; without it z, but y for what lies in the plane of x and y, as drawings have it.
  upward() {
    return this.machine.scene.up || (this.flatAxis() === 2 ? [0, 1, 0] : [0, 0, 1]);
  }

  // Along which a machine is flat, or most of its axes lie; null where there is none.
  flatAxis() {
    const [low, high] = this.machine.scene.bounds, edges = high.map((value, k) => value - low[k]);
    const thin = edges.indexOf(Math.min(...edges));
    return this.commonAxis() ?? (edges[thin] < 0.4 * Math.max(...edges) ? thin : null);
  }

  // From where a flat machine that stands upright shows its face, and any other three of its sides.
  oblique(upward) {
    const flat = this.flatAxis(), stands = flat !== null && Math.abs(upward.getComponent(flat)) < MOSTLY;
    const front = stands ? flat : Math.abs(upward.y) < MOSTLY ? 1 : 2;
    const face = new THREE.Vector3().setComponent(front, front === 1 ? -1 : 1);
    face.addScaledVector(upward, -face.dot(upward)).normalize();
    const [aside, ahead, above] = stands ? [0.7, 2.2, 0.8] : [1, 1.7, 1];
    const direction = upward.clone().cross(face).multiplyScalar(aside);
    return direction.addScaledVector(face, ahead).addScaledVector(upward, above).normalize();
  }

  // The global axis along which most gears and pins lie as drawn, if there is one.
  commonAxis() {
    const { parts, kinds } = this.machine.scene, along = [0, 0, 0];
    let count = 0;
    for (let k = 0; k < parts.kind.length; k++) {
      if (!["gear", "joint"].includes(kinds[parts.kind[k]])) continue;
      const [w, x, y, z] = parts.quaternion.subarray(4 * k, 4 * k + 4);
      count += 1;
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)].forEach((part, axis) => { along[axis] += Math.abs(part) > 0.9; });
    }
    const most = along.indexOf(Math.max(...along));
    return count && along[most] > MOSTLY * count ? most : null;
  }

  // The whole way of all that is drawn, but for walls, fills the picture.
  fit() {
    const back = this.direction.clone().normalize();
    const right = this.camera.up.clone().cross(back).normalize(), over = back.clone().cross(right);
    const points = this.wayPoints(), middle = new THREE.Vector3();
    for (const axis of [right, over, back]) {
      let low = Infinity, high = -Infinity;
      for (const point of points) { const x = point.dot(axis); low = Math.min(low, x); high = Math.max(high, x); }
      middle.addScaledVector(axis, 0.5 * (low + high));
    }
    const slope = Math.tan((ANGLE * Math.PI) / 360), aspect = Math.max(0.1, this.camera.aspect), offset = new THREE.Vector3();
    let distance = 1e-3 * this.size;
    for (const point of points) {
      offset.subVectors(point, middle);
      distance = Math.max(distance, offset.dot(back) + Math.max(Math.abs(offset.dot(right)) / (slope * aspect), Math.abs(offset.dot(over)) / slope));
    }
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(back, MARGIN * distance);
    this.controls.update();
    this.render();
  }

  // Points of the parts, some of each, at some times; corners of the box of all where nothing is drawn.
  wayPoints() {
    const { parts, shapes, links } = this.machine.scene, { time } = this.machine.frames, found = [], place = [0, 0, 0];
    const seen = this.meshes.filter((mesh) => !mesh.userData.clear);
    const most = Math.max(8, Math.min(200, Math.floor(LOOKED_AT / (1 + parts.body.length))));
    for (let k = 0; k < TIMES; k++) {
      this.poses.update(time[Math.round((k * (time.length - 1)) / (TIMES - 1))]);
      for (const { userData } of seen) {
        const { points } = shapes[userData.shape], stride = 3 * Math.ceil(points.length / 3 / most);
        userData.parts.forEach((part, i) => {
          const l = userData.local[i];
          for (let p = 0; p < points.length; p += stride) {
            const [x, y, z] = [points[p], points[p + 1], points[p + 2]];
            this.poses.point(parts.body[part], l[3] + l[0] * x + l[1] * y + l[2] * z, l[7] + l[4] * x + l[5] * y + l[6] * z,
              l[11] + l[8] * x + l[9] * y + l[10] * z, place);
            found.push(new THREE.Vector3(...place));
          }
        });
      }
      for (let end = 0; end < links.body.length; end++) {
        found.push(new THREE.Vector3(...this.poses.point(links.body[end], ...links.point.subarray(3 * end, 3 * end + 3), place)));
      }
    }
    this.poses.update(this.t);
    if (found.length) return found;
    const [low, high] = this.machine.scene.bounds;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((c) => new THREE.Vector3(c & 1 ? low[0] : high[0], c & 2 ? low[1] : high[1], c & 4 ? low[2] : high[2]));
  }

  // By keys: about the target, and nearer or farther.
  orbit(aside, up) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const right = this.camera.up.clone().cross(offset).normalize();
    const turn = new THREE.Quaternion().setFromAxisAngle(this.camera.up.clone().normalize(), aside);
    const tilted = offset.clone().applyQuaternion(new THREE.Quaternion().setFromAxisAngle(right, -up));
    if (tilted.clone().normalize().cross(this.camera.up).length() > 0.05) offset.copy(tilted);
    this.camera.position.copy(offset.applyQuaternion(turn)).add(this.controls.target);
    this.controls.update();
    this.render();
  }

  dolly(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.render();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  render() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const [low, high] = this.machine.scene.bounds;
    const reach = Math.hypot(...high.map((value, k) => value - low[k])) + this.size;
    this.camera.near = Math.max(1e-3 * distance, distance - 4 * reach);
    this.camera.far = distance + 4 * reach;
    this.camera.updateProjectionMatrix();
    this.lamp.position.copy(this.camera.position).addScaledVector(this.camera.up, 0.6 * distance);
    this.lamp.target.position.copy(this.controls.target);
    this.renderer.setClearColor(colourOf("--space"), 1);
    this.renderer.render(this.scene, this.camera);
    this.drawn = (this.drawn || 0) + 1;
    this.drawScale(distance);
  }

  // What is seen, as the address of a picture.
  image() {
    this.draw();
    return this.canvas.toDataURL("image/png");
  }

  // The bar of a round length at the depth of the target, and the axes.
  drawScale(distance) {
    const height = this.canvas.parentElement.clientHeight;
    const perPixel = (2 * distance * Math.tan((ANGLE * Math.PI) / 360)) / height;
    const length = roundSpeed(90 * perPixel);
    document.getElementById("bar").style.width = `${length / perPixel}px`;
    document.getElementById("bar-text").textContent = `${shown(length)} ${this.units.length}`;
    const turn = this.camera.quaternion.clone().invert();
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const end = new THREE.Vector3(...axis).applyQuaternion(turn).multiplyScalar(26);
      const group = document.getElementById(`axis-${"xyz"[k]}`);
      group.querySelector("line").setAttribute("x2", end.x);
      group.querySelector("line").setAttribute("y2", -end.y);
      group.querySelector("text").setAttribute("x", 1.3 * end.x);
      group.querySelector("text").setAttribute("y", -1.3 * end.y);
    });
  }

  // ---- picking ----------------------------------------------------------------------------------------------------

  watchPointer() {
    let down = null;
    this.canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    this.canvas.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && this.onPick) this.onPick(this.bodyAt(event));
      down = null;
    });
  }

  bodyAt(event) {
    const box = this.canvas.getBoundingClientRect(), caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height), this.camera);
    const seen = this.meshes.filter((mesh) => mesh.visible && !mesh.userData.clear);
    const hits = caster.intersectObjects(seen, false);
    for (const hit of [...hits.filter((one) => !one.object.userData.ghost), ...hits]) {
      const body = this.machine.scene.parts.body[hit.object.userData.parts[hit.instanceId]];
      if (body !== GROUND) return body;
    }
    return null;
  }
}

// A matrix that stretches what lies along z from 0 to 1, of radius 1, along a vector from a point.
function along3(matrix, start, vector, radius, length) {
  const z = vector.clone().normalize();
  if (!z.lengthSq()) z.set(0, 0, 1);
  const x = new THREE.Vector3(Math.abs(z.x) < 0.9 ? 1 : 0, Math.abs(z.x) < 0.9 ? 0 : 1, 0).cross(z).normalize();
  const y = z.clone().cross(x);
  matrix.makeBasis(x.multiplyScalar(radius || 1e-12), y.multiplyScalar(radius || 1e-12), z.multiplyScalar(length || 1e-12));
  matrix.setPosition(...start);
}
