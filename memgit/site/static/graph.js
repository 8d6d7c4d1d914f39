// The graph of links, a neighbourhood at a time. Positions come from d3-force, worked out before anything is drawn.
const SVG = "http://www.w3.org/2000/svg";
const MAX_DRAWN = 2000;
const top = document.body.dataset.top || "";
const field = (name) => document.getElementById(name);
const graph = field("graph"), told = field("told");
const { nodes, edges } = await (await fetch(`${top}graph.json`)).json();

const near = nodes.map(() => new Set());
for (const [one, other] of edges) {
  near[one].add(other);
  near[other].add(one);
}
const numbers = new Map(nodes.map(([title], number) => [title, number]));
field("names").replaceChildren(...nodes.slice(0, 5000).map(([title]) => {
  const option = document.createElement("option");
  option.value = title;
  return option;
}));

function most() {
  return near.reduce((best, found, number) => (found.size > near[best].size ? number : best), 0);
}

function around(start, steps, kind) {
  const found = new Map([[start, 0]]);
  let edge = [start];
  for (let step = 1; step <= steps && edge.length && found.size < MAX_DRAWN; step++) {
    const next = [];
    for (const number of edge) {
      for (const other of near[number]) {
        if (found.has(other) || (kind && nodes[other][2] !== kind) || found.size >= MAX_DRAWN) continue;
        found.set(other, step);
        next.push(other);
      }
    }
    edge = next;
  }
  if (steps > 9) {
    nodes.forEach((node, number) => {
      if (found.size < MAX_DRAWN && (!kind || node[2] === kind) && !found.has(number)) found.set(number, steps);
    });
  }
  return found;
}

function make(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.appendChild(made);
  return made;
}

let box = { x: -400, y: -250, width: 800, height: 500 };
function look() {
  graph.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
}
function zoom(by) {
  const width = Math.min(20000, Math.max(80, box.width * by)), height = (width * 5) / 8;
  box = { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height };
  look();
}

function fit(drawn) { // everything, its labels included, with a margin
  const width = Math.max(drawn.width, drawn.height * 1.6, 400) + 60, height = (width * 5) / 8;
  box = { x: drawn.x + (drawn.width - width) / 2, y: drawn.y + (drawn.height - height) / 2, width, height };
}

function draw() {
  const title = field("around").value;
  const start = numbers.has(title) ? numbers.get(title) : most();
  const chosen = around(start, Number(field("steps").value), field("kind").value);
  const points = [...chosen.keys()].map((number) => ({ number }));
  const places = new Map(points.map((point) => [point.number, point]));
  const lines = edges.filter(([one, other]) => chosen.has(one) && chosen.has(other))
    .map(([source, target]) => ({ source: places.get(source), target: places.get(target) }));
  const simulation = d3.forceSimulation(points)
    .force("link", d3.forceLink(lines).distance(points.length < 40 ? 110 : 60))
    .force("charge", d3.forceManyBody().strength(points.length < 40 ? -400 : -150).distanceMax(400))
    .force("x", d3.forceX().strength(0.06))
    .force("y", d3.forceY().strength(0.08))
    .stop();
  simulation.tick(points.length > 600 ? 60 : 200);
  graph.replaceChildren();
  const below = make("g", {}, graph), above = make("g", {}, graph);
  for (const { source, target } of lines) {
    make("line", { x1: source.x, y1: source.y, x2: target.x, y2: target.y }, below);
  }
  for (const point of points) {
    const [name, page] = nodes[point.number];
    const link = make("a", { href: top + page.split("/").map(encodeURIComponent).join("/") }, above);
    if (point.number === start) link.setAttribute("class", "near");
    make("title", {}, link).textContent = name;
    const size = 3 + Math.min(9, Math.sqrt(near[point.number].size));
    make("circle", { cx: point.x, cy: point.y, r: size }, link);
    if (points.length < 120 || near[point.number].size > 12) {
      make("text", { x: point.x + size + 2, y: point.y + 3 }, link).textContent =
        name.length > 40 ? `${name.slice(0, 39)}…` : name;
    }
  }
  fit(graph.getBBox());
  look();
  told.textContent = nodes.length
    ? `${points.length} of ${nodes.length} records, ${lines.length} links, around ${nodes[start][0]}`
    : "no records";
}

for (const name of ["around", "steps", "kind"]) field(name).addEventListener("change", draw);
field("controls").addEventListener("submit", (event) => event.preventDefault());
field("closer").addEventListener("click", () => zoom(0.75));
field("farther").addEventListener("click", () => zoom(1.33));
graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY < 0 ? 0.87 : 1.15);
}, { passive: false });
let held;
graph.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; });
window.addEventListener("pointerup", () => { held = undefined; });
graph.addEventListener("pointermove", (event) => {
  if (!held) return;
  const scale = box.width / graph.clientWidth;
  box.x -= (event.clientX - held[0]) * scale;
  box.y -= (event.clientY - held[1]) * scale;
  held = [event.clientX, event.clientY];
  look();
});
if (nodes.length) draw();
