"use strict";
// Puts the page together.

const MOST_LISTED = 150;
const PAPER_WIDTH = 330; // of a plot, two beside each other
const TURN = Math.PI / 24; // of the camera at a key

const byId = (id) => document.getElementById(id);

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

function bodyName(body, k) {
  return body.name || `body ${body.id || k}`;
}

class Page {
  constructor(data) {
    Object.assign(this, data);
    const times = this.machine ? this.machine.frames.time : this.curves ? this.curves.levels[0].times : null;
    this.clock = times ? new Clock(times) : null;
    if (this.curves) this.startPlots();
    if (this.machine) this.startView();
    if (this.clock) this.clock.tell();
    this.startKeys();
    this.startThemes();
  }

  // ---- plots --------------------------------------------------------------------------------------------------

  startPlots() {
    this.plots = new Plots(this.curves, this.units, this.clock);
    for (const { title, unit, curves, of } of this.curves.plots) {
      const note = of > curves.length ? `${curves.length} of ${of} are shown; the list of curves has the others.` : null;
      this.plots.add(byId("opening"), { title, unit, series: curves.map((k) => this.plots.series(k)), note });
    }
    byId("zoom-in").addEventListener("click", () => this.plots.zoom(0.25));
    byId("zoom-out").addEventListener("click", () => this.plots.zoom(0));
    byId("search").addEventListener("input", () => this.list());
    this.added = new Map(); // curve: its plot
    this.list();
  }

  list() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    this.curves.list.forEach((curve, k) => {
      const text = `${curve.name} ${curve.title} ${curve.about} ${curve.unit}`.toLowerCase();
      if (words.every((word) => text.includes(word))) found.push(k);
    });
    byId("found").replaceChildren(...found.slice(0, MOST_LISTED).map((k) => this.entry(k)));
    const more = found.length > MOST_LISTED ? `; the first ${MOST_LISTED} are listed` : "";
    byId("count").textContent = `${found.length} of ${this.curves.list.length} curves${more}`;
  }

  entry(k) {
    const curve = this.curves.list[k], shownAs = nameOf(curve, 2 * SHORT);
    const value = !("constant" in curve) ? ` [${curve.unit}]` : curve.constant === null ? ": no values" : `: ${withUnit(curve.constant, curve.unit)} throughout`;
    const button = element("button", { type: "button", title: curve.about, "aria-pressed": String(this.added.has(k)),
      disabled: "constant" in curve, onclick: () => { this.toggleCurve(k); button.setAttribute("aria-pressed", String(this.added.has(k))); } }, shownAs + value);
    return element("li", {}, button);
  }

  toggleCurve(k) {
    if (this.added.has(k)) {
      this.plots.drop(this.added.get(k));
      this.added.delete(k);
      return;
    }
    const { name, unit } = this.curves.list[k];
    const remove = () => { this.added.delete(k); this.list(); };
    this.added.set(k, this.plots.add(byId("added"), { title: name, unit, series: [this.plots.series(k)], remove }));
  }

  // ---- picture ------------------------------------------------------------------------------------------------

  startView() {
    try {
      this.view = new View(byId("picture"), this.machine, this.arrows, this.units);
    } catch (error) {
      byId("no-picture").hidden = false;
      byId("no-picture").textContent = `The picture needs WebGL, which this browser does not give (${error.message}). Plots and text need none.`;
      byId("stage").classList.add("without");
      this.view = null;
    }
    this.startPlayer();
    this.startBodies();
    if (!this.view) return;
    this.clock.listen((t) => this.view.update(t));
    byId("views").append(...Object.entries(VIEWS).map(([key, [name]]) =>
      element("button", { type: "button", title: `${name} (key ${key})`, "aria-label": `View ${name}`, onclick: () => this.view.look(Number(key)) }, key)));
    byId("fit").addEventListener("click", () => this.view.fit());
    for (const name of ["walls", "pins", "forces"]) {
      const box = byId(`show-${name}`);
      box.closest("label").hidden = !this.view.groups[name].length;
      box.addEventListener("change", () => {
        for (const mesh of this.view.groups[name]) mesh.visible = box.checked;
        this.view.render();
      });
    }
    byId("arrows").closest("label").hidden = !this.arrows;
    byId("arrows").addEventListener("input", () => {
      this.view.arrowScale = 10 ** Number(byId("arrows").value);
      this.view.update(this.clock.t);
    });
    if (this.arrows) byId("arrows").title = `the largest force is ${withUnit(this.arrows.largest, this.arrows.unit)}`;
    this.view.onPick = (body) => this.choose(body);
  }

  startPlayer() {
    const { clock } = this, scrub = byId("scrub"), { time } = this.units;
    scrub.min = clock.first;
    scrub.max = clock.last;
    scrub.addEventListener("input", () => { clock.pause(); clock.seek(Number(scrub.value)); });
    byId("play").addEventListener("click", () => clock.toggle());
    byId("back").addEventListener("click", () => clock.step(-1));
    byId("forward").addEventListener("click", () => clock.step(1));
    byId("slower").addEventListener("click", () => clock.change(0.5));
    byId("faster").addEventListener("click", () => clock.change(2));
    clock.listen((t) => {
      scrub.value = t;
      scrub.setAttribute("aria-valuetext", `t = ${withUnit(t, time)}`);
      byId("now").textContent = `t = ${t.toPrecision(5)} ${time}`;
      byId("speed").textContent = `${shown(clock.speed)} ${time} a second`;
      const word = clock.playing ? "Pause" : "Play";
      if (byId("play").textContent !== word) byId("play").textContent = word;
    });
  }

  // ---- bodies -------------------------------------------------------------------------------------------------

  startBodies() {
    const { bodies } = this.machine;
    byId("bodies").append(...bodies.map((body, k) => element("option", { value: k }, bodyName(body, k))));
    byId("bodies").addEventListener("change", () => this.choose(byId("bodies").value === "" ? null : Number(byId("bodies").value)));
    byId("follow").addEventListener("change", () => { if (this.view) this.view.following = byId("follow").checked; });
    this.ofBody = [];
  }

  choose(body) {
    this.body = body;
    if (this.view) this.view.choose(body);
    byId("bodies").value = body === null ? "" : String(body);
    for (const plot of this.ofBody) this.plots.drop(plot);
    this.ofBody = [];
    byId("chosen").hidden = body === null;
    if (body === null) return;
    const { id, mass, fixed, name } = this.machine.bodies[body], { units } = this;
    byId("chosen-name").textContent = name || `body ${id}`;
    byId("chosen-facts").textContent = `main node ${id}, mass ${withUnit(mass, units.mass)}${fixed ? ", held" : ""}`;
    this.plotsOfBody(body);
    this.objectsOf(body);
  }

  plotsOfBody(body) {
    if (this.machine.frames.time.length < 2 || !this.plots) return;
    const { x, speed, turn } = new Poses(this.machine.frames).speeds(body), { length, time } = this.units;
    const note = "from frame to frame, as the picture moves";
    for (const [title, unit, y] of [["Speed of the mass centre", `${length}/${time}`, speed], ["Rate of turning", `rad/${time}`, turn]]) {
      this.ofBody.push(this.plots.add(byId("chosen-plots"), { title, unit, series: [{ label: title.toLowerCase(), x, y }], note }));
    }
  }

  // Buttons of what holds the body; each opens the plots of its histories.
  objectsOf(body) {
    const held = this.machine.held ? this.machine.held[body] : [];
    const buttons = [];
    for (const [family, id] of held) {
      const prefix = `${family}/${id}/`, own = [];
      if (this.curves) this.curves.list.forEach((curve, k) => { if (curve.name.startsWith(prefix) && !("constant" in curve)) own.push(k); });
      if (!own.length) continue;
      const { title } = this.curves.list[own[0]];
      const button = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggleObject(button, prefix, own) },
        nameOf({ name: `${family} ${id}`, title }, 2 * SHORT));
      buttons.push(element("li", {}, button));
    }
    const none = element("li", {}, this.machine.held ? "no histories of its own in the file" : "the machine has too many bodies to list what holds each");
    byId("chosen-objects").replaceChildren(...(buttons.length ? buttons : [none]));
  }

  toggleObject(button, prefix, own) {
    if (button.plots) {
      for (const plot of button.plots) {
        this.plots.drop(plot);
        this.ofBody = this.ofBody.filter((other) => other !== plot);
      }
      button.plots = null;
      button.setAttribute("aria-pressed", "false");
      return;
    }
    const byUnit = new Map();
    for (const k of own) {
      const { unit } = this.curves.list[k];
      byUnit.set(unit, [...(byUnit.get(unit) || []), k]);
    }
    button.plots = [...byUnit].map(([unit, ks]) => {
      const names = ks.map((k) => this.curves.list[k].name.slice(prefix.length));
      return this.plots.add(byId("chosen-plots"), { title: `${prefix.slice(0, -1)}: ${names.slice(0, 8).join(" ")}`, unit,
        series: ks.slice(0, 8).map((k) => this.plots.series(k)),
        note: ks.length > 8 ? `${ks.length - 8} more of this unit are in the list of curves` : null });
    });
    this.ofBody.push(...button.plots);
    button.setAttribute("aria-pressed", "true");
  }

  // ---- keys, colours, paper -----------------------------------------------------------------------------------

  startKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !this.machine) return;
      const { target } = event, typing = target.closest("input, select, textarea");
      if (typing && !(target.id === "scrub" && event.key === " ")) return;
      if (event.key === " " && target.closest("button, summary")) return;
      if (this.key(event)) event.preventDefault();
    });
  }

  key({ key, shiftKey }) {
    const { clock, view } = this;
    const camera = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };
    if (view && shiftKey && camera[key]) view.orbit(...camera[key]);
    else if (key === " ") clock.toggle();
    else if (key === "ArrowLeft") clock.step(-1);
    else if (key === "ArrowRight") clock.step(1);
    else if (key === "Home") { clock.pause(); clock.seek(clock.first); }
    else if (key === "End") { clock.pause(); clock.seek(clock.last); }
    else if (key === "+" || key === "=") clock.change(2);
    else if (key === "-") clock.change(0.5);
    else if (view && VIEWS[key]) view.look(Number(key));
    else if (view && key === "f") view.fit();
    else if (view && key === "i") view.dolly(0.85);
    else if (view && key === "o") view.dolly(1 / 0.85);
    else if (key === "n" || key === "p") this.next(key === "n" ? 1 : -1);
    else if (key === "Escape") this.choose(null);
    else return false;
    return true;
  }

  next(step) {
    const count = this.machine.bodies.length, from = this.body ?? (step > 0 ? -1 : 0);
    this.choose((from + step + count) % count);
  }

  startThemes() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const renew = () => {
      if (this.plots) this.plots.redraw();
      if (this.view) this.view.draw();
    };
    byId("theme").addEventListener("click", () => {
      setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
      renew();
    });
    dark.addEventListener("change", () => { setTheme(dark.matches ? "dark" : "light"); renew(); });
    let theme = null;
    window.addEventListener("beforeprint", () => {
      theme = document.documentElement.dataset.theme;
      setTheme("light");
      renew();
      if (this.plots) this.plots.resize(PAPER_WIDTH);
      if (this.view) byId("on-paper").src = this.view.image();
    });
    window.addEventListener("afterprint", () => {
      if (theme) setTheme(theme);
      renew();
      if (this.plots) this.plots.resize(null);
    });
  }
}

setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
readData().then((data) => {
  window.page = new Page(data);
  document.documentElement.dataset.ready = "yes";
}).catch((error) => {
  byId("failed").hidden = false;
  byId("failed").textContent = `The plots and the picture cannot be shown: ${error.message}. The text of this page is complete. ` +
    "It needs a browser of 2023 or later.";
  throw error;
});
