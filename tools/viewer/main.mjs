// SPDX-License-Identifier: MIT
// main.mjs: what the user does: buttons, keys, the mouse, files that are dropped.

import { begin, opened, takeFiles, welcome } from './opening.mjs';
import { $, canvas, complain, showTab } from './page.mjs';

// ---- what the user does -----------------------------------------------------------------------------

function turnOn(name, isOn) {
  $(`[data-do=${name}]`).setAttribute('aria-pressed', isOn);
  if (name === 'section') $('#section-panel').hidden = !isOn;
  else {
    opened.page.measure.turn(isOn);
    canvas.classList.toggle('is-picking', isOn);
  }
}

const isOn = (name) => $(`[data-do=${name}]`).getAttribute('aria-pressed') === 'true';

function theme(name) {
  document.documentElement.classList.toggle('dark', name === 'dark');
  opened.page?.themed();
}

const actions = {
  open: () => $('#files').click(),
  fit: () => (opened.page.node === null ? opened.page.eye.view('iso') : opened.page.fly(opened.page.node)),
  hide: () => opened.page.act('hide'),
  isolate: () => opened.page.act('isolate'),
  ghost: () => opened.page.act('ghost'),
  all: () => opened.page.act('all'),
  section: () => {
    const on = !isOn('section');
    turnOn('section', on);
    if (on) opened.page.section.along({ x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[opened.page.model.info.up === 'z' ? 'y' : 'z']);
    else opened.page.section.off();
  },
  measure: () => turnOn('measure', !isOn('measure')),
  save: () => opened.page.save(),
  theme: () => {
    const name = document.documentElement.classList.contains('dark') ? 'light' : 'dark';
    try {
      localStorage.setItem('theme', name);
    } catch {} // a page without storage forgets it
    theme(name);
  },
  help: () => $('#help').showModal(),
  end: () => {
    if (opened.page.wanted) return opened.page.want(null);
    if (isOn('measure')) return turnOn('measure', false);
    return opened.page.select(null);
  },
  search: () => {
    showTab('tree');
    $('#search').focus();
  },
  next: () => opened.page.clashes.go(opened.page.clashes.at + 1),
  last: () => opened.page.clashes.go(opened.page.clashes.at - 1),
};
for (const [i, name] of ['iso', 'front', 'back', 'left', 'right', 'top', 'bottom'].entries())
  actions[`view ${i + 1}`] = () => opened.page.eye.view(name);
for (const [name, right, up] of [['left', -8, 0], ['right', 8, 0], ['up', 0, -8], ['down', 0, 8]])
  actions[`turn ${name}`] = () => opened.page.eye.turn(right, up);
actions.nearer = () => opened.page.eye.zoom(0.85);
actions.farther = () => opened.page.eye.zoom(1 / 0.85);

const KEYS = {
  o: 'open', f: 'fit', h: 'hide', i: 'isolate', g: 'ghost', a: 'all', s: 'section', m: 'measure', b: 'save',
  t: 'theme', '?': 'help', Escape: 'end', '/': 'search', j: 'next', k: 'last', '+': 'nearer', '=': 'nearer',
  '-': 'farther', ArrowLeft: 'turn left', ArrowRight: 'turn right', ArrowUp: 'turn up', ArrowDown: 'turn down',
};
const ALWAYS = new Set(['open', 'theme', 'help']);

function run(name) {
  if (!opened.page && !ALWAYS.has(name)) return;
  Promise.resolve(actions[name]()).catch(complain);
}

function listen() {
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-do]');
    if (button) run(button.dataset.do);
    if (target.matches('[role=tab]')) showTab(target.id.slice(4));
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $('#help').open) return;
    if (event.target.matches('input:not([type=range]), select') && event.key !== 'Escape') return;
    const name = /^[1-7]$/.test(event.key) ? `view ${event.key}` : (KEYS[event.key] ?? KEYS[event.key.toLowerCase()]);
    if (!name || (name.startsWith('turn') && event.target.matches('[type=range]'))) return;
    event.preventDefault();
    run(name);
  });
  $('#views').addEventListener('change', ({ target }) => {
    if (target.value && opened.page) opened.page.eye.view(target.value);
    target.value = '';
  });
  $('#paint').addEventListener('change', ({ target }) => opened.page?.paint(target.value));
  $('#files').addEventListener('change', ({ target }) => {
    takeFiles(target.files).catch(complain);
    target.value = '';
  });
  let pressed = null;
  canvas.addEventListener('pointerdown', (event) => (pressed = event));
  canvas.addEventListener('pointerup', (event) => {
    const moved = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    if (pressed && opened.page && event.button === 0 && moved < 4) opened.page.click(event).catch(complain);
    pressed = null;
  });
  canvas.addEventListener('dblclick', (event) => opened.page?.goTo(event).catch(complain));
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('is-dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('is-dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('is-dropping');
    takeFiles(event.dataTransfer.files).catch(complain);
  });
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const remembered = () => {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
};
theme(remembered() ?? (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', () => remembered() ?? theme(dark.matches ? 'dark' : 'light'));
listen();
opened.onSection = () => turnOn('section', true);
begin().catch((error) => {
  complain(error);
  if (!opened.page) welcome(String(error?.message ?? error));
});
