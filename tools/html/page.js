// SPDX-License-Identifier: MIT
// page.js: the table of a clash report, its filters and the selected pair. Everything that comes
// out of files is set as text, never as markup.
(() => {
  "use strict";
  const PAGE = 100;
  const byId = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byId(id).textContent);
  const run = data("run"), rows = data("rows"), summary = data("summary");
  const verdicts = run.verdicts;
  const order = ["enclosed", "duplicate", "penetrating", "unknown", "within", "touching", "clear"];
  const unit = run.unit ? " " + run.unit : "";

  function make(tag, text, attributes) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    return element;
  }

  function show(value) {
    return value === null || value === undefined ? "" : String(Number(value.toPrecision(4)));
  }

  const many = (value) => Number(value).toLocaleString("en");
  const counted = (value, one) => many(value) + " " + one + (value === 1 ? "" : "s");

  // The number that says how bad a pair is: depth below zero, distance above.
  function gap(row) {
    if (row.verdict === "penetrating" && row.depth !== null) return -row.depth;
    return row.distance;
  }

  function badge(verdict) {
    const dot = make("span", undefined, { class: "dot" });
    dot.style.background = verdicts[verdict].colour;
    return dot;
  }

  // ---- what was checked

  function table(lines) {
    const body = make("tbody");
    for (const [name, value] of lines) {
      const line = make("tr");
      line.append(make("td", name), make("td", value));
      body.append(line);
    }
    const out = make("table");
    out.append(body);
    return out;
  }

  function showHead() {
    const files = run.file_b ? run.file_a + " against " + run.file_b : run.file_a;
    document.title = "Clashes: " + files;
    byId("title").textContent = files;
    byId("subtitle").textContent =
      counted(summary.issue_count, "issue") + ", " + counted(summary.row_count, "pair") + ", " +
      run.created;
    const problems = [];
    if (!summary.complete)
      problems.push("Interrupted: instances from " + many(summary.done) + " of " +
                    many(summary.total) + " on were not checked.");
    if (summary.left_out > 0)
      problems.push("The table holds the first " + many(rows.length) + " pairs; " +
                    many(summary.left_out) + " more are in no table.");
    problems.push(...summary.warnings);
    byId("interrupted").textContent = problems.join(" ");
    byId("interrupted").hidden = problems.length === 0;
  }

  function showCoverage() {
    const counts = [["pairs with boxes near each other", many(summary.box_pairs)],
                    ["excluded by rules", many(summary.excluded)]];
    for (const name of order) counts.push([name, many(summary.verdicts[name])]);
    counts.push(["of these contacts that rules allow", many(summary.allowed)]);
    for (const [option, count] of Object.entries(summary.filtered))
      if (count) counts.push(["left out by --" + option.replace("_", "-"), many(count)]);
    const limits = [["instances", many(summary.instances)],
                    ["of open parts", many(summary.open)],
                    ["clearance", show(run.clearance) + unit],
                    ["touch gap", show(run.touch_gap) + unit],
                    ["permitted overlap", show(run.overlap) + unit]];
    if (run.baseline)
      limits.push(["baseline", run.baseline], ["new", many(summary.new)],
                  ["persistent", many(summary.persistent)], ["resolved", many(summary.resolved)]);
    const rules = summary.rules.map((r) => [r.name + " (" + r.action + ")", many(r.pairs)]);
    byId("coverage").append(table(counts), table(limits), table(rules));
  }

  // ---- issues: the pair that begins one says what it is

  const byIds = new Map(rows.map((row) => [row.id, row]));
  const issues = new Map();
  for (const row of rows) if (row.begins) issues.set(row.issue, row.begins);
  const titleOf = (number) => issues.get(number).title;

  // In the order of issues the pairs of one stand below its title.
  function headOf(row) {
    const issue = issues.get(row.issue);
    const line = make("tr", undefined, { class: "issue" });
    const cell = make("td", titleOf(row.issue), { colspan: String(columns.length) });
    const facts = [counted(issue.pairs, "pair"), issue.where, issue.state,
                   issue.status === "reopened" ? "resolved, but still there" : issue.status,
                   issue.assignee ? "assigned to " + issue.assignee : "",
                   issue.volume > 0 ? "at most " + show(issue.volume) + (unit ? " cubic" + unit : "") : ""];
    cell.append(make("div", facts.filter((f) => f).join(", "), { class: "path" }));
    line.append(cell);
    line.addEventListener("click", () => { // its worst pair
      select(row);
      line.nextElementSibling.focus();
    });
    return line;
  }

  // ---- filters

  const chosen = new Set();
  let found = [], shown = 0, sortBy = null, falling = false, selected = null;

  function searchText(row) {
    if (row.text === undefined)
      row.text = [row.a.path, row.a.name, row.a.part_number, row.b.path, row.b.name,
                  row.b.part_number, row.group, row.place, row.rule, row.id,
                  ...(issues.has(row.issue) ? [titleOf(row.issue), issues.get(row.issue).where] : [])]
        .join("\n").toLowerCase();
    return row.text;
  }

  // The level or sub-assembly of its issue; else its cell of the grid.
  const placeOf = (row) => (issues.has(row.issue) && issues.get(row.issue).where) || row.place;
  // Fields that choose rows by one of their words, and of which each is hidden without a choice.
  const selects = [{ id: "group", first: "all pairs of products", of: (row) => row.group },
                   { id: "place", first: "all places", of: placeOf },
                   { id: "state", first: "new and old", of: (row) => row.state }];

  function matches(row, words) {
    return chosen.has(row.verdict) &&
      selects.every(({ wanted, of }) => wanted === "" || of(row) === wanted) &&
      words.every((w) => searchText(row).includes(w));
  }

  function fillSelect({ id, first, of }) {
    const counts = new Map();
    for (const row of rows) counts.set(of(row), (counts.get(of(row)) || 0) + 1);
    const names = [...counts].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1));
    const select = byId(id);
    select.append(make("option", first, { value: "" }));
    for (const [name, count] of names)
      if (name) select.append(make("option", name + " (" + many(count) + ")", { value: name }));
    select.hidden = select.options.length < 2;
    select.addEventListener("change", update);
  }

  // ---- the address: a link shows the same rows in the same order, and the same pair

  function chooseVerdicts(names) {
    chosen.clear();
    for (const chip of byId("verdicts").children) {
      const on = !names || names.includes(chip.dataset.verdict);
      if (on) chosen.add(chip.dataset.verdict);
      chip.setAttribute("aria-pressed", String(on));
    }
  }

  function writeAddress() {
    const words = new URLSearchParams();
    const verdictsThere = [...byId("verdicts").children].map((chip) => chip.dataset.verdict);
    if (!verdictsThere.every((name) => chosen.has(name)))
      words.set("verdict", verdictsThere.filter((name) => chosen.has(name)).join(","));
    for (const { id, wanted } of selects) if (wanted) words.set(id, wanted);
    if (byId("text").value) words.set("text", byId("text").value);
    if (sortBy) words.set("sort", (falling ? "-" : "") + sortBy.name);
    if (selected) words.set("pair", selected.id);
    history.replaceState(null, "", "#" + words);
  }

  // Words that this report does not have choose all.
  function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1)), sort = words.get("sort") || "";
    chooseVerdicts(words.has("verdict") ? words.get("verdict").split(",") : null);
    for (const { id } of selects) {
      byId(id).value = words.get(id) || "";
      if (byId(id).selectedIndex < 0) byId(id).value = "";
    }
    byId("text").value = words.get("text") || "";
    falling = sort.startsWith("-");
    sortBy = columns.find(({ name, key }) => key && name === sort.replace("-", "")) || null;
    selected = byIds.get(words.get("pair") || location.hash.slice(1)) || null;
    showSorting();
    update();
    if (selected) select(selected);
    else close();
  }

  function showFilters() {
    for (const verdict of order) {
      const count = rows.reduce((n, row) => n + (row.verdict === verdict), 0);
      if (count === 0) continue;
      chosen.add(verdict);
      const chip = make("button", undefined, { class: "chip", type: "button",
                                               "aria-pressed": "true", "data-verdict": verdict });
      chip.append(badge(verdict), verdict + " " + many(count));
      chip.addEventListener("click", () => {
        const on = !chosen.delete(verdict);
        if (on) chosen.add(verdict);
        chip.setAttribute("aria-pressed", String(on));
        update();
      });
      byId("verdicts").append(chip);
    }
    selects.forEach(fillSelect);
    byId("text").addEventListener("input", update);
  }

  // ---- the table

  const side = (row, which) => row[which].name || row[which].part_number || row[which].path;
  const columns = [
    { title: "Verdict", name: "verdict", cell: verdictCell, key: (row) => order.indexOf(row.verdict) },
    { title: "Gap" + (run.unit ? ", " + run.unit : ""), name: "gap", key: gap,
      cell: (row) => make("td", show(gap(row)), { class: "number" }) },
    { title: "A", name: "a", key: (row) => side(row, "a"), cell: (row) => sideCell(row, "a") },
    { title: "B", name: "b", key: (row) => side(row, "b"), cell: (row) => sideCell(row, "b") },
    { title: "Products", name: "products", key: (row) => row.group, cell: (row) => make("td", row.group) },
    { title: "Place", name: "place", key: (row) => row.place, cell: (row) => make("td", row.place, { class: "word" }) },
  ];
  if (rows.some((row) => row.picture !== undefined)) columns.unshift({ title: "", cell: pictureCell });
  if (run.baseline)
    columns.push({ title: "State", name: "state", key: (row) => row.state, cell: (row) => make("td", row.state, { class: "word" }) });

  function pictureOf(row) {
    return "data:image/png;base64," + byId("picture-" + row.picture).textContent;
  }

  function pictureCell(row) {
    const cell = make("td");
    if (row.picture !== undefined)
      cell.append(make("img", undefined, { src: pictureOf(row), alt: "", loading: "lazy" }));
    return cell;
  }

  function verdictCell(row) {
    const cell = make("td", undefined, { class: "verdict" });
    cell.append(badge(row.verdict), row.verdict);
    if (row.was && row.was !== row.verdict)
      cell.append(make("div", "was " + row.was, { class: "path" }));
    return cell;
  }

  function sideCell(row, which) {
    const cell = make("td", side(row, which));
    if (row[which].path && row[which].path !== side(row, which))
      cell.append(make("div", row[which].path, { class: "path" }));
    return cell;
  }

  const { compare: compareTexts } = new Intl.Collator("en", { numeric: true });

  function compare(x, y) {
    const p = sortBy.key(x), q = sortBy.key(y);
    const none = (p === null) - (q === null);
    if (none !== 0) return none;
    if (typeof p === "string") return compareTexts(p, q);
    return p - q;
  }

  function sortFound() {
    if (!sortBy) return;
    found.sort((x, y) => (falling ? compare(y, x) : compare(x, y)) || x.number - y.number);
  }

  function rowOf(row) {
    const line = make("tr", undefined, { tabindex: "0", "data-id": row.id,
                                         "aria-selected": String(row === selected) });
    for (const column of columns) line.append(column.cell(row));
    line.addEventListener("click", () => select(row));
    return line;
  }

  function showMore() {
    const body = document.querySelector("#pairs tbody");
    const end = Math.min(shown + PAGE, found.length);
    for (; shown < end; shown++) {
      const row = found[shown], before = shown > 0 ? found[shown - 1].issue : undefined;
      if (!sortBy && issues.has(row.issue) && row.issue !== before) body.append(headOf(row));
      body.append(rowOf(row));
    }
    byId("more").hidden = shown === found.length;
    byId("more").textContent = "show more (" + many(found.length - shown) + ")";
  }

  function update() {
    const words = byId("text").value.toLowerCase().split(/\s+/).filter((w) => w);
    for (const one of selects) one.wanted = byId(one.id).value;
    found = rows.filter((row) => matches(row, words));
    sortFound();
    document.querySelector("#pairs tbody").replaceChildren();
    shown = 0;
    showMore();
    byId("count").textContent = many(found.length) + " of " + many(rows.length);
    byId("none").hidden = found.length > 0;
    writeAddress();
  }

  function showSorting() {
    for (const head of document.querySelectorAll("#pairs th"))
      head.removeAttribute("aria-sort");
    if (sortBy) sortBy.head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  }

  // Rising, falling, then by issue again.
  function sortColumn(column) {
    if (sortBy !== column) [sortBy, falling] = [column, false];
    else if (!falling) falling = true;
    else [sortBy, falling] = [null, false];
    showSorting();
    update();
  }

  function showTable() {
    const line = make("tr");
    for (const column of columns) {
      column.head = make("th", undefined, { scope: "col" });
      if (column.key) {
        const button = make("button", column.title, { type: "button" });
        button.addEventListener("click", () => sortColumn(column));
        column.head.append(button);
      }
      line.append(column.head);
    }
    document.querySelector("#pairs thead").append(line);
    byId("more").addEventListener("click", showMore);
    // rows come as the list is scrolled
    new IntersectionObserver((seen) => {
      if (seen.some((one) => one.isIntersecting)) showMore();
    }, { root: byId("list"), rootMargin: "600px" }).observe(byId("more"));
  }

  // ---- keys

  const lineOf = (row) => row && document.querySelector(`#pairs tbody tr[data-id="${row.id}"]`);

  // The line that has the focus, else the selected one's.
  function lineHere() {
    const line = document.activeElement && document.activeElement.closest("#pairs tbody tr");
    return line && line.dataset.id ? line : lineOf(selected);
  }

  // isWanted: of the lines on the way.
  function step(way, isWanted) {
    const here = lineHere(), body = document.querySelector("#pairs tbody");
    let next = here ? here[way] : body.firstElementChild;
    for (;;) {
      if (!next && way === "nextElementSibling" && shown < found.length) {
        const last = body.lastElementChild;
        showMore();
        next = last.nextElementSibling;
      }
      if (!next || isWanted(next)) break;
      next = next[way];
    }
    if (!next) return;
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    if (!byId("detail").hidden) select(found.find((row) => row.id === next.dataset.id));
  }

  const isPair = (line) => line.dataset.id !== undefined;
  const beginsIssue = (line) =>
    isPair(line) && (!line.previousElementSibling || !isPair(line.previousElementSibling));

  function close() {
    const line = lineOf(selected);
    selected = null;
    byId("detail").hidden = true;
    delete byId("detail").dataset.id;
    for (const one of document.querySelectorAll("#pairs tbody tr[aria-selected=true]"))
      one.setAttribute("aria-selected", "false");
    if (line) line.focus();
    writeAddress();
  }

  const keys = {
    j: () => step("nextElementSibling", isPair),
    k: () => step("previousElementSibling", isPair),
    n: () => step("nextElementSibling", beginsIssue),
    p: () => step("previousElementSibling", beginsIssue),
    "/": () => byId("text").select(),
    "?": () => byId("help").showModal(),
    Escape: close,
    Enter: () => {
      const line = lineHere();
      if (line) select(byIds.get(line.dataset.id));
    },
  };
  keys.ArrowDown = keys.j;
  keys.ArrowUp = keys.k;

  function takeKey(event) {
    const where = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (where === byId("text") && ["Escape", "Enter", "ArrowDown"].includes(event.key)) {
      event.preventDefault();
      where.blur();
      if (event.key !== "Escape") step("nextElementSibling", isPair);
      return;
    }
    // fields and buttons have keys of their own
    if (where.matches("input, select, summary") || (where.matches("button") && event.key === "Enter")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  }

  function showKeys() {
    document.addEventListener("keydown", takeKey);
    byId("keys").addEventListener("click", () => byId("help").showModal());
  }

  // ---- the selected pair

  let viewer = null, viewerFailed = false;
  const sides = ["solid", "solid"];
  let isInSourceColours = false;

  function bytesOf(id) {
    const text = atob(byId(id).textContent), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.buffer;
  }

  function meshOf(piece) {
    const element = byId("mesh-" + piece.mesh), bytes = bytesOf("mesh-" + piece.mesh);
    const size = 12 * Number(element.dataset.vertices);
    return { positions: new Float32Array(bytes, 0, size / 4),
             indices: new Uint16Array(bytes, size, 3 * Number(element.dataset.triangles)),
             colours: coloursOf(element.dataset), matrix: piece.matrix };
  }

  // Of each triangle, as the source has it: a number, or null; null: it has none.
  function coloursOf(data) {
    if (!data.colours) return null;
    const found = new Array(Number(data.triangles)).fill(null);
    for (const run of data.colours.trim().split(" ")) {
      const [first, colour] = run.split(":");
      found.fill(colour === "-" ? null : parseInt(colour, 16), Number(first));
    }
    return found;
  }

  function viewerThere() {
    if (!viewer && !viewerFailed && globalThis.bvpackView) {
      try {
        viewer = globalThis.bvpackView(byId("stage"), run.side_colours);
      } catch (error) {
        viewerFailed = true;
      }
    }
    return viewer;
  }

  function showSides() {
    const next = { solid: "clear", clear: "hidden", hidden: "solid" };
    const tools = byId("tools");
    tools.replaceChildren();
    for (const i of [0, 1]) {
      const button = make("button", undefined, { class: "chip", type: "button" });
      const dot = make("span", undefined, { class: "dot" });
      dot.style.background = run.side_colours[i];
      button.append(dot, "AB"[i] + ": " + sides[i]);
      button.addEventListener("click", () => {
        sides[i] = next[sides[i]];
        viewer.setSide(i, sides[i]);
        showSides();
      });
      tools.append(button);
    }
    const home = make("button", "look at the contact", { class: "chip", type: "button" });
    home.addEventListener("click", () => viewer.home());
    tools.append(home);
    if (!viewer.hasSourceColours()) return;
    const source = make("button", "source colours", { class: "chip", type: "button", id: "source" });
    source.setAttribute("aria-pressed", String(isInSourceColours));
    source.addEventListener("click", () => {
      isInSourceColours = !isInSourceColours;
      viewer.setSourceColours(isInSourceColours);
      showSides();
    });
    tools.append(source);
  }

  // What is inside the larger part is seen through it.
  function openUp(row) {
    const inside = ["penetrating", "enclosed", "unknown"].includes(row.verdict);
    for (const i of [0, 1]) sides[i] = inside && i !== row.view.smaller ? "clear" : "solid";
  }

  function showStage(row) {
    const stage = byId("stage");
    for (const image of stage.querySelectorAll("img")) image.remove();
    const canView = row.view && row.view.meshes && viewerThere();
    byId("tools").hidden = !canView;
    if (viewer) viewer.canvas.hidden = !canView;
    stage.hidden = !canView && row.picture === undefined;
    if (canView) {
      openUp(row);
      viewer.show(row.view, row.view.meshes.map(meshOf));
      viewer.setSourceColours(isInSourceColours);
      sides.forEach((how, i) => viewer.setSide(i, how));
      showSides();
    } else if (row.picture !== undefined) {
      stage.append(make("img", undefined, { src: pictureOf(row), alt: "picture of the clash" }));
    }
    const cut = canView && row.view.meshes.some((piece) => !piece.whole);
    byId("note").textContent = !row.view ? "" :
      cut ? "Of large parts only what is near the contact is shown." :
      canView ? "" : viewerFailed ? "This browser has no WebGL: there is no 3D view." :
      !globalThis.bvpackView ? "This report was written by a bvpack without three.js: there is no 3D view." :
      !row.view.meshes ? "The report holds no 3D view of this pair: others filled it." : "";
  }

  function factsOf(row) {
    const point = (p) => p.map((x) => String(Number(x.toPrecision(9)))).join(", ");
    const deep = row.depth === null ? "" : show(row.depth) + unit +
      (row.depth_upper === null ? "" : ", at most " + show(row.depth_upper) + unit);
    return [["Verdict", row.verdict + (row.was && row.was !== row.verdict ? ", was " + row.was : "")],
            ["Settled by", row.settled === "no" ? "nothing: triangles are too coarse" : row.settled],
            ["Distance", row.distance === null ? "" : show(row.distance) + unit],
            ["Depth", row.verdict === "penetrating" ? deep : ""],
            ["A", row.a.path || row.a.name], ["Product of A", row.a.part_number],
            ["B", row.b.path || row.b.name], ["Product of B", row.b.part_number],
            ["At", row.at ? point(row.at) + unit : ""], ["Place", row.place],
            ["Issue", issues.has(row.issue) ? titleOf(row.issue) : ""],
            ["Touching triangles", row.triangle_pairs ? many(row.triangle_pairs) + " pairs" : ""],
            ["Rule", row.rule], ["Against the baseline", row.state], ["Id", row.id]];
  }

  function select(row) {
    selected = row;
    for (const line of document.querySelectorAll("#pairs tbody tr"))
      line.setAttribute("aria-selected", String(line.dataset.id === row.id));
    byId("detail").hidden = false;
    byId("facts").replaceChildren();
    for (const [name, value] of factsOf(row))
      if (value) byId("facts").append(make("dt", name), make("dd", value));
    showStage(row);
    byId("detail").dataset.id = row.id;
    writeAddress();
  }

  rows.forEach((row, number) => { row.number = number; });
  showHead();
  showCoverage();
  showFilters();
  showTable();
  showKeys();
  readAddress();
  addEventListener("hashchange", readAddress);
})();
