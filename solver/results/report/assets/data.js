"use strict";
// What the page carries: values as JSON and arrays behind them, compressed, in letters (packing.py).

const TYPES = { u1: Uint8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

async function readData() {
  const letters = document.getElementById("block").textContent.trim();
  const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const text = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const start = 8 + length;
  return JSON.parse(text, (key, value) =>
    value && value.array ? new TYPES[value.array](buffer, start + value.at, value.n) : value);
}

// A number for people: six digits at most.
function shown(value, digits = 6) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

function withUnit(value, unit) {
  return unit === "1" ? shown(value) : `${shown(value)} ${unit}`;
}

// The largest k with times[k] <= t, at least 0 and at most the last but one.
function placeIn(times, t) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  return low;
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
