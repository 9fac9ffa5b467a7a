"use strict";
// Plots of histories over time; their cursor and the time of the picture are one.

const HEIGHT = 240;
const SHORT = 28; // letters of a title in a legend
const COLOURS = {
  light: ["#0072b2", "#d55e00", "#007a58", "#b0478a", "#8f6400", "#1f8fd0", "#5b5b5b", "#7a1fa2"],
  dark: ["#56b4e9", "#ff8a3d", "#2fc79a", "#e79ac6", "#f0c05a", "#9fd3ff", "#c9c9c9", "#c58af0"],
};
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

class Plots {
  constructor(curves, units, clock) {
    this.curves = curves;
    this.units = units;
    this.clock = clock;
    this.plots = new Set();
    this.hovered = false;
    this.sync = uPlot.sync("time");
    if (clock) clock.listen(() => this.follow());
  }

  series(k) {
    const curve = this.curves.list[k];
    const level = this.curves.levels[curve.level ?? 0];
    const label = nameOf(curve, SHORT);
    const values = "constant" in curve ? new Float32Array(level.times.length).fill(curve.constant ?? NaN) : curve.values;
    return { label, x: level.times, y: values, about: curve.about };
  }

  // A figure with a plot; `series` of one unit: {label, x, y}.
  add(place, { title, unit, series, note, remove }) {
    const heading = unit === "1" ? title : `${title} [${unit}]`;
    const caption = element("figcaption", {}, element("span", {}, heading));
    const figure = element("figure", { class: "plot", role: "group", "aria-label": `${heading}, ${series.length} curves over time` }, caption);
    const body = element("div", { class: "canvas" });
    figure.append(body);
    if (note) figure.append(element("p", { class: "note" }, note));
    const plot = { figure, body, unit, series, drawn: null, width: 0 };
    if (remove) caption.append(element("button", { type: "button", class: "small", "aria-label": `Remove the plot ${title}`,
      onclick: () => { this.drop(plot); if (remove !== true) remove(); } }, "×"));
    place.append(figure);
    this.plots.add(plot);
    plot.observer = new ResizeObserver(() => this.fit(plot));
    plot.observer.observe(body);
    this.draw(plot);
    return plot;
  }

  drop(plot) {
    plot.observer.disconnect();
    if (plot.drawn) plot.drawn.destroy();
    plot.figure.remove();
    this.plots.delete(plot);
  }

  fit(plot) {
    const width = plot.body.clientWidth;
    if (plot.drawn && width && width !== plot.width) {
      plot.width = width;
      plot.drawn.setSize({ width, height: HEIGHT });
      this.follow();
    }
  }

  // All plots as wide as is said, or as their places are.
  resize(width) {
    for (const plot of this.plots) {
      plot.width = width || plot.body.clientWidth;
      plot.drawn.setSize({ width: plot.width, height: HEIGHT });
    }
    this.follow();
  }

  redraw() { for (const plot of this.plots) this.draw(plot); }

  draw(plot) {
    const scale = plot.drawn && plot.drawn.scales.x;
    const range = scale && { min: scale.min, max: scale.max };
    if (plot.drawn) plot.drawn.destroy();
    plot.width = plot.body.clientWidth || 600;
    plot.drawn = new uPlot(this.options(plot), together(plot.series), plot.body);
    if (range) plot.drawn.setScale("x", range);
    this.watch(plot);
    this.follow();
  }

  options(plot) {
    const colours = COLOURS[document.documentElement.dataset.theme];
    const line = { stroke: colourOf("--text"), grid: { stroke: colourOf("--grid"), width: 1 }, ticks: { stroke: colourOf("--grid"), width: 1 } };
    const font = "12px system-ui, sans-serif";
    const values = (_, splits) => splits.map((value) => shown(value, 5));
    return {
      width: plot.width,
      height: HEIGHT,
      scales: { x: { time: false }, y: { range: (_, low, high) => roomFor(low, high) } },
      cursor: { y: false, sync: { key: "time" }, drag: { x: true, y: false }, points: { size: 6 } },
      legend: { live: true },
      series: [
        { label: "time", value: (_, v) => withUnit(v, this.units.time) },
        ...plot.series.map((one, k) => ({
          label: one.label,
          stroke: colours[k % colours.length],
          dash: DASHES[Math.floor(k / 2) % DASHES.length],
          width: 1.5,
          spanGaps: one.spans,
          points: { show: one.x.length < 3 },
          value: (_, v) => withUnit(v, plot.unit),
        })),
      ],
      axes: [
        { ...line, font, labelFont: font, label: `time [${this.units.time}]`, labelSize: 18, size: 34, values },
        { ...line, font, values, size: (_, texts) => 18 + 7 * Math.max(0, ...(texts || []).map((text) => text.length)) },
      ],
    };
  }

  watch(plot) {
    const over = plot.drawn.over;
    let down = null;
    over.addEventListener("mouseenter", () => { this.hovered = true; });
    over.addEventListener("mouseleave", () => { this.hovered = false; this.follow(); });
    over.addEventListener("mousedown", (event) => { down = event.clientX; });
    over.addEventListener("mouseup", (event) => {
      if (this.clock && down !== null && Math.abs(event.clientX - down) < 4) {
        this.clock.pause();
        this.clock.seek(plot.drawn.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
      }
      down = null;
    });
  }

  // The cursors stand at the time of the picture, unless the mouse is in a plot.
  follow() {
    if (this.hovered || !this.clock) return;
    for (const { drawn } of this.plots) {
      const left = drawn.valToPos(this.clock.t, "x");
      const inside = left >= 0 && left <= drawn.over.clientWidth;
      drawn.setCursor({ left: inside ? left : -10, top: 0 }, false, false);
    }
  }

  // Of all plots: the time about the cursor, or the whole run where nothing is said.
  zoom(factor) {
    for (const { drawn, series } of this.plots) {
      const times = series[0].x, first = times[0], last = times[times.length - 1];
      const { min, max } = drawn.scales.x;
      const middle = this.clock ? this.clock.t : 0.5 * (min + max), half = 0.5 * factor * (max - min);
      drawn.setScale("x", factor ? { min: Math.max(first, middle - half), max: Math.min(last, middle + half) } : { min: first, max: last });
    }
    this.follow();
  }
}

// A curve's name with the title of its object, cut where it is long.
function nameOf({ name, title }, most) {
  if (!title) return name;
  return `${name} · ${title.length > most ? `${title.slice(0, most - 1)}…` : title}`;
}

// One table of times for all series, as uPlot takes it.
function together(series) {
  const clean = series.map(({ y }) => (y.some(Number.isNaN) ? Array.from(y, (v) => (Number.isNaN(v) ? null : v)) : y));
  if (series.every(({ x }) => x === series[0].x)) return [series[0].x, ...clean];
  for (const one of series) one.spans = true;
  return uPlot.join(series.map(({ x }, k) => [x, clean[k]]));
}

// Limits of an axis: some room, and not round-off of a value that stays.
function roomFor(low, high) {
  if (low === null || low === undefined) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size === 0) return [-1, 1];
  if (high - low < 1e-6 * size) return [low - 0.05 * size, high + 0.05 * size];
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}
