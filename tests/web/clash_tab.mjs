// SPDX-License-Identifier: MIT
// clash_tab.mjs: a clash run at 5 mm, verdicts, in a page whose file lies on a server of ranges: what
// opening takes in a browser that was just started, the first run, and warm ones. Milliseconds by the
// clock and of the page's processor time; as CSV. Exit code 1: verdicts are not those of the program.
// Usage: node clash_tab.mjs BROWSER PACKAGE FILE REPORT [STARTS]   (REPORT: of `bvpack clash`)
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, serve } from './browser.mjs';

const GOAL_MS = 4000;
const WARM_RUNS = 3;
const [, , program, folder, file, report, starts = '2'] = process.argv;

const counts = (verdicts) => {
  const sum = {};
  for (const one of verdicts) sum[one] = (sum[one] ?? 0) + 1;
  return JSON.stringify(Object.entries(sum).sort());
};
const wanted = counts(Array.from(readFileSync(report, 'utf8').matchAll(/"verdict":"(\w+)"/g), ([, verdict]) => verdict));

const files = {
  '/clash_tab.html': join(dirname(fileURLToPath(import.meta.url)), 'clash_tab.html'),
  '/file.bvp': resolve(file),
};
for (const name of readdirSync(folder)) files[`/package/${name}`] = resolve(folder, name);

async function start(number) {
  const { url, requests } = await serve(files);
  const browser = await Browser.start(program);
  await browser.goTo(`${url}/clash_tab.html`);
  await browser.until('window.run');
  const row = async (what, call) => {
    const before = browser.pageTime();
    const read = requests.length;
    const { ms, result } = await browser.ask(call);
    if (result && JSON.stringify(Object.entries(result).flatMap(([one, n]) => [[one, n]]).sort()) !== wanted) {
      console.error(`${what}: ${JSON.stringify(result)}, the program says ${wanted}`);
      process.exitCode = 1;
    }
    const cpu = browser.pageTime() - before;
    console.log([basename(file), number, what, Math.round(ms), cpu, requests.length - read].join());
    return ms;
  };
  await row('open', 'run.open()');
  const worst = { 'first run': await row('first run', 'run.clash()'), 'warm runs': 0 };
  for (let i = 0; i < WARM_RUNS; i++) worst['warm runs'] = Math.max(worst['warm runs'], await row('warm run', 'run.clash()'));
  browser.stop();
  for (const [what, ms] of Object.entries(worst))
    console.error(`${what}, ms <= ${GOAL_MS}: ${Math.round(ms)}, ${ms <= GOAL_MS ? 'holds' : 'falls short'}`);
}

console.log('file,start,what,ms,page_cpu_ms,requests');
for (let i = 1; i <= Number(starts); i++) await start(i);
process.exit();
