"use strict";
// Poses of the bodies at any time, and curves that come from them.

const GROUND = -1;

class Poses {
  constructor(frames) {
    this.frames = frames;
    this.count = frames.bodies;
    this.position = new Float64Array(3 * (this.count + 1)); // the last one: the ground
    this.rotation = new Float64Array(9 * (this.count + 1)); // rows
    this.rotation.set([1, 0, 0, 0, 1, 0, 0, 0, 1], 9 * this.count);
  }

  row(body) { return body === GROUND ? this.count : body; }

  place(frame, body, axis) {
    const { least, step, position } = this.frames;
    const k = 3 * body + axis;
    return least[k] + step[k] * (position[3 * this.count * frame + k] + 32768);
  }

  quaternion(frame, body) {
    const start = 4 * (this.count * frame + body), q = this.frames.quaternion;
    const [w, x, y, z] = [q[start], q[start + 1], q[start + 2], q[start + 3]];
    const size = Math.hypot(w, x, y, z) || 1;
    return [w / size, x / size, y / size, z / size];
  }

  // Between two frames places go straight, and turns the shortest way.
  update(t) {
    const { time, least, step, position, quaternion } = this.frames;
    const last = time.length - 1, k = placeIn(time, t), next = Math.min(last, k + 1);
    const part = next > k ? Math.min(1, Math.max(0, (t - time[k]) / (time[next] - time[k]))) : 0;
    const rest = 1 - part, a = 3 * this.count * k, b = 3 * this.count * next;
    for (let i = 0; i < 3 * this.count; i++) {
      this.position[i] = least[i] + step[i] * (rest * position[a + i] + part * position[b + i] + 32768);
    }
    const c = 4 * this.count * k, d = 4 * this.count * next, m = this.rotation;
    for (let body = 0; body < this.count; body++) {
      const i = c + 4 * body, j = d + 4 * body, r = 9 * body;
      let w = rest * quaternion[i] + part * quaternion[j], x = rest * quaternion[i + 1] + part * quaternion[j + 1];
      let y = rest * quaternion[i + 2] + part * quaternion[j + 2], z = rest * quaternion[i + 3] + part * quaternion[j + 3];
      const size = Math.sqrt(w * w + x * x + y * y + z * z) || 1;
      w /= size; x /= size; y /= size; z /= size;
      m[r] = 1 - 2 * (y * y + z * z); m[r + 1] = 2 * (x * y - w * z); m[r + 2] = 2 * (x * z + w * y);
      m[r + 3] = 2 * (x * y + w * z); m[r + 4] = 1 - 2 * (x * x + z * z); m[r + 5] = 2 * (y * z - w * x);
      m[r + 6] = 2 * (x * z - w * y); m[r + 7] = 2 * (y * z + w * x); m[r + 8] = 1 - 2 * (x * x + y * y);
    }
  }

  // Where a point of a body is now.
  point(body, x, y, z, into) {
    const k = this.row(body), p = 3 * k, r = 9 * k, m = this.rotation;
    into[0] = this.position[p] + m[r] * x + m[r + 1] * y + m[r + 2] * z;
    into[1] = this.position[p + 1] + m[r + 3] * x + m[r + 4] * y + m[r + 5] * z;
    into[2] = this.position[p + 2] + m[r + 6] * x + m[r + 7] * y + m[r + 8] * z;
    return into;
  }

  // Mean speeds from frame to frame, at the middle of each: of the mass centre and of turning.
  speeds(body) {
    const { time } = this.frames, count = time.length - 1;
    const x = new Float64Array(count), speed = new Float32Array(count), turn = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      const span = time[k + 1] - time[k], a = this.quaternion(k, body), b = this.quaternion(k + 1, body);
      const way = [0, 1, 2].map((axis) => this.place(k + 1, body, axis) - this.place(k, body, axis));
      const difference = Math.hypot(...a.map((value, i) => value - b[i]));
      x[k] = 0.5 * (time[k] + time[k + 1]);
      speed[k] = Math.hypot(...way) / span;
      turn[k] = (4 * Math.asin(Math.min(1, 0.5 * difference))) / span;
    }
    return { x, speed, turn };
  }
}
