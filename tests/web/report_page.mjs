// SPDX-License-Identifier: MIT
// report_page.mjs: the list of a clash report's page: its keys, its filters, which the address keeps,
// and that many pairs do not make it slow. Usage: node report_page.mjs BROWSER PAGE NEXT PLAIN MANY
// PAGE: boxes in rows on two levels; NEXT: the same against a baseline; PLAIN: without pictures; MANY:
// more than 12,000 pairs.
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';

const [, , program, ...pages] = process.argv;
const [page, next, plain, many] = pages.map((one) => pathToFileURL(resolve(one)).href);
const browser = await Browser.start(program);
const shot = async (name) => {
  if (process.env.BVP_SHOTS) await browser.picture(join(process.env.BVP_SHOTS, `${name}.png`));
};
const openPage = async (url) => {
  await browser.goTo('about:blank');
  await browser.goTo(url);
  await browser.until(`document.querySelector('#count').textContent !== ''`);
};
const ids = () => browser.ask(`[...document.querySelectorAll('#pairs tbody tr[data-id]')].map((one) => one.dataset.id)`);
const here = () => browser.ask(`document.activeElement.closest('tr')?.dataset.id ?? document.activeElement.id`);
const opened = () => browser.ask(`document.querySelector('#detail').hidden ? null : document.querySelector('#detail').dataset.id`);
const address = () => browser.ask('location.hash');
const press = async (keys) => {
  for (const key of keys) await browser.press(key);
};

// ---- keys
await openPage(page);
const all = await ids();
assert.ok(all.length > 8, `${all.length} pairs`);
await press(['j']);
assert.equal(await here(), all[0]);
assert.equal(await opened(), null, 'j alone opens nothing');
assert.ok(await browser.ask(`document.activeElement.matches(':focus-visible') && getComputedStyle(document.activeElement).outlineStyle === 'solid'`), 'the focus is not seen');
await press(['j', 'ArrowDown', 'k']);
assert.equal(await here(), all[1]);
await press(['Enter']);
assert.equal(await opened(), all[1]);
await press(['j']);
assert.equal(await here(), all[2]);
assert.equal(await opened(), all[2], 'the open pair follows');
await shot('report-keys');
await press(['Escape']);
assert.equal(await opened(), null);
assert.equal(await here(), all[2], 'the place is lost');
assert.ok(!(await address()).includes('pair='));
const firsts = await browser.ask(`[...document.querySelectorAll('#pairs tr.issue')].map((one) => one.nextElementSibling.dataset.id)`);
assert.ok(firsts.length > 2 && firsts.length < all.length, `${firsts.length} issues`);
await openPage(page);
await press(['n', 'n', 'n']);
assert.equal(await here(), firsts[2]);
await press(['p']);
assert.equal(await here(), firsts[1]);
await press(['?']);
assert.ok(await browser.ask(`document.querySelector('#help').open`));
await shot('report-help');
await press(['j', 'Escape']);
assert.ok(!(await browser.ask(`document.querySelector('#help').open`)));
assert.equal(await here(), firsts[1], 'a key went through the help');
await press(['/']);
assert.equal(await here(), 'text');
await browser.type('upper ');
await press(['j']);
assert.equal(await browser.ask(`document.querySelector('#text').value`), 'upper j', 'keys are text in a field');
assert.equal((await ids()).length, 0);
assert.ok(!(await browser.ask(`document.querySelector('#none').hidden`)));

// ---- filters, and the address that keeps them
await openPage(page);
await press(['/']);
await browser.type('upper');
const upper = await ids();
assert.ok(upper.length > 0 && upper.length < all.length);
assert.match(await address(), /^#text=upper$/);
await press(['Enter']);
assert.equal(await here(), upper[0], 'Enter goes to the first that was found');
await browser.click('[data-verdict=touching]');
await browser.click('th button');
await browser.click('th[aria-sort] button');
const left = await ids();
assert.ok(left.length > 0 && left.length < upper.length);
await press(['j', 'Enter']);
const link = await browser.ask('location.href');
const words = new URLSearchParams(new URL(link).hash.slice(1));
assert.deepEqual([words.get('text'), words.get('sort'), words.get('pair')], ['upper', '-verdict', await opened()]);
assert.deepEqual(words.get('verdict').split(',').includes('touching'), false);
await openPage(link);
assert.deepEqual(await ids(), left, 'the link shows others');
assert.equal(await opened(), words.get('pair'));
assert.equal(await browser.ask(`document.querySelector('th[aria-sort]').getAttribute('aria-sort')`), 'descending');
assert.equal(await browser.ask(`document.querySelector('[data-verdict=touching]').getAttribute('aria-pressed')`), 'false');
await shot('report-link');
// the same page, another address
await browser.ask(`void (location.hash = '#place=Level 1')`);
await browser.until(`document.querySelector('#text').value === ''`);
assert.equal(await opened(), null);
const below = await ids();
assert.ok(below.length > 0 && below.length < all.length);
const places = await browser.ask(`[...document.querySelectorAll('#pairs tr.issue .path')].map((one) => one.textContent)`);
assert.ok(places.length > 0 && places.every((facts) => facts.includes('Level 1')), String(places));
await browser.ask(`void (location.hash = '#place=nowhere&verdict=none&sort=nothing&pair=0')`);
await browser.until(`document.querySelector('#count').textContent.startsWith('0 of')`);
// an address of earlier reports
await openPage(`${page}#${all[3]}`);
assert.equal(await opened(), all[3]);
assert.deepEqual(await ids(), all);

// ---- against a baseline: what is new
await openPage(`${next}#state=new`);
const fresh = await ids();
const states = await browser.ask(`[...document.querySelectorAll('#state option')].map((one) => one.value).sort()`);
assert.deepEqual(states, ['', 'new', 'persistent']);
assert.equal(fresh.length, 2); // one a level

// ---- no pictures, no column of them
assert.equal(await browser.ask(`document.querySelectorAll('#pairs img').length > 0`), true);
await openPage(plain);
assert.equal(await browser.ask(`document.querySelectorAll('#pairs img').length`), 0);
assert.equal(await browser.ask(`document.querySelector('#pairs th').textContent`), 'Verdict');
await press(['j', 'Enter']);
assert.equal(await opened(), all[0]);

// ---- many pairs: no answer takes long
await openPage(many);
const count = await browser.ask(`Number(document.querySelector('#count').textContent.replace(/.* of |,/g, ''))`);
assert.ok(count > 12000, `${count} pairs`);
const times = await browser.ask(`(async () => {
  const found = {};
  const time = async (name, act) => {
    const from = performance.now();
    act();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    found[name] = Math.round(performance.now() - from);
  };
  const text = document.querySelector('#text');
  const type = (value) => { text.value = value; text.dispatchEvent(new Event('input')); };
  await time('first word', () => type('pipe_1'));
  await time('word', () => type('pipe_12'));
  await time('no word', () => type(''));
  await time('sort', () => document.querySelectorAll('#pairs th button')[2].click());
  await time('turn', () => document.querySelectorAll('#pairs th button')[2].click());
  await time('keys', () => {
    for (let i = 0; i < 1000; i++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
  });
  return found;
})()`);
console.log(`${count} pairs, milliseconds: ${JSON.stringify(times)}`);
for (const [name, ms] of Object.entries(times)) assert.ok(ms < 2000, `${name}: ${ms} ms`);
const at = await browser.ask(`[...document.querySelectorAll('#pairs tbody tr[data-id]')].indexOf(document.activeElement)`);
assert.equal(at, 999, 'a thousand steps down');
assert.deepEqual(browser.said, []);
console.log("the report's page: keys, filters, addresses, many pairs");
process.exit(0);
