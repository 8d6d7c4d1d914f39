// Searches the parts of the index that the words of a query are in: BM25 over stems cut as `memgit search` cuts them.
import { stemmer } from "./vendor/stemmer.js";

const K1 = 1.2, B = 0.4, SHOWN = 50;
const top = document.body.dataset.top || "";
const told = document.getElementById("told");
const list = document.getElementById("results");
const input = document.getElementById("q");
const parts = new Map();

function load(name) {
  if (!parts.has(name)) {
    parts.set(name, fetch(`${top}search/${name}.json`).then((answer) => (answer.ok ? answer.json() : {})));
  }
  return parts.get(name);
}

function words(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();
  const found = [];
  for (const [run] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]+$/u.test(run)) {
      for (let place = 0; place < Math.max(1, run.length - 1); place++) found.push(run.slice(place, place + 2));
    } else {
      found.push(/^[a-z]+$/.test(run) ? stemmer(run) : run);
    }
  }
  return [...new Set(found)].slice(0, 30);
}

function partOf(term, count) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(term)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value % count;
}

async function find(query) {
  const meta = await load("meta");
  const scores = new Map();
  await Promise.all(words(query).map(async (term) => {
    const rows = (await load(`terms-${partOf(term, meta.parts)}`))[term] || [];
    const weight = Math.log(1 + (meta.records - rows.length / 3 + 0.5) / (rows.length / 3 + 0.5));
    for (let place = 0; place < rows.length; place += 3) {
      const [record, count, length] = [rows[place], rows[place + 1], rows[place + 2]];
      const share = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meta.length));
      scores.set(record, (scores.get(record) || 0) + weight * share);
    }
  }));
  const best = [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  const shown = await Promise.all(best.slice(0, SHOWN).map(async ([record]) =>
    (await load(`docs-${Math.floor(record / meta.docs)}`))[record]));
  return { count: best.length, rows: shown.filter(Boolean) };
}

async function ask(query) {
  if (!document.body.dataset.live) return find(query);
  const answer = await fetch(`/-/search?q=${encodeURIComponent(query)}`);
  return answer.json();
}

let latest = 0;
async function show(query) {
  const turn = ++latest;
  if (!query.trim()) {
    list.replaceChildren();
    told.textContent = "Type into the field above.";
    return;
  }
  const { count, rows } = await ask(query);
  if (turn !== latest) return;
  told.textContent = count === 1 ? "1 record" : `${count} records`;
  list.replaceChildren(...rows.map(([title, page, kind, line]) => {
    const row = document.createElement("li");
    const link = row.appendChild(document.createElement("a"));
    link.href = top + page.split("/").map(encodeURIComponent).join("/");
    link.appendChild(document.createElement("bdi")).textContent = title;
    const meta = row.appendChild(document.createElement("span"));
    meta.className = "meta";
    meta.textContent = ` ${kind}`;
    row.appendChild(document.createElement("p")).textContent = line;
    return row;
  }));
}

input.value = new URLSearchParams(location.search).get("q") || "";
let waiting;
input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    history.replaceState(null, "", `?q=${encodeURIComponent(input.value)}`);
    show(input.value);
  }, 120);
});
input.form.addEventListener("submit", (event) => {
  event.preventDefault();
  show(input.value);
});
show(input.value);
