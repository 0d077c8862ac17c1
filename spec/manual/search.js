// SPDX-License-Identifier: MIT
// Looks for words in SEARCH_INDEX, rows of [page, section, place, text], as they are typed. A row is found when it holds
// the beginning of a word for each; those with the words in their headings come first.
"use strict";
const found = document.getElementById("found");
const input = document.querySelector("#search input");
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const MOST = 30;

function score(row, words) {
  const [page, section, , text] = row.map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    if (section === word) sum += 100;
    else if (section.includes(word)) sum += section.startsWith(word) ? 40 : 20;
    else if (page.includes(word)) sum += 8;
    else if (at >= 0) sum += /[a-z0-9_]/.test(text[at - 1] ?? " ") ? 1 : 3;
    else return 0;
  }
  return sum;
}

/* What stands around the first of the words, with all of them marked. */
function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
  const pattern = new RegExp(words.map((word) => escaped(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
  return (at > 0 ? "…" : "") + escaped(text.slice(at, at + 180)).replace(pattern, "<mark>$&</mark>");
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  const rows = SEARCH_INDEX.map((row) => [score(row, words), row]).filter(([sum]) => sum > 0);
  rows.sort((a, b) => b[0] - a[0]);
  const list = rows.slice(0, MOST).map(([, [page, section, place, text]]) =>
    `<li><a href="${escaped(place)}">${escaped(section)}</a> <small>${escaped(page)}: ${excerpt(text, words)}</small></li>`);
  found.innerHTML = `<p>${rows.length} found${rows.length > MOST ? `, the first ${MOST}` : ""}</p><ol>${list.join("")}</ol>`;
}

input.addEventListener("input", search);
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
found.addEventListener("click", () => { found.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape") {
    found.hidden = true;
    input.blur();
  }
});
const asked = new URLSearchParams(location.search).get("q"); // manual/index.html?q=collide
if (asked) {
  input.value = asked;
  search();
}
