"use strict";
// The time that picture and plots show.

const FILM_SECONDS = 8; // of a whole run, as the page opens


class Clock {
  constructor(times) {
    this.times = times; // of the frames
    this.first = times[0];
    this.last = times[times.length - 1];
    this.t = this.first;
    this.speed = roundSpeed((this.last - this.first) / FILM_SECONDS || 1); // time of the run in a second
    this.playing = false;
    this.listeners = [];
    this.frame = null;
  }

  listen(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(this.t); }

  seek(t) {
    this.t = Math.min(this.last, Math.max(this.first, t));
    this.tell();
  }

  step(count) {
    this.pause();
    let k = placeIn(this.times, this.t);
    if (this.t >= this.last) k = this.times.length - 1;
    else if (count < 0 && this.t > this.times[k]) k += 1; // from between two frames to the one before
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, k + count))]);
  }

  change(factor) {
    this.speed = roundSpeed(this.speed * factor);
    this.tell();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  play() {
    if (this.playing || this.last <= this.first) return;
    if (this.t >= this.last) this.t = this.first;
    this.playing = true;
    let before = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (before !== null) this.t += this.speed * Math.min(0.25, (now - before) / 1000);
      before = now;
      if (this.t >= this.last) {
        if (document.getElementById("loop").checked) this.t = this.first;
        else { this.t = this.last; this.playing = false; }
      }
      this.tell();
      if (this.playing) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }
}

// 1, 2 or 5 times a power of ten.
function roundSpeed(speed) {
  const power = 10 ** Math.floor(Math.log10(speed));
  const part = speed / power;
  return Number(((part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power).toPrecision(6));
}
