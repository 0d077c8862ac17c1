// SPDX-License-Identifier: MIT
// bundle.mjs: the viewer as one page: page.html with the styles, the script, three.js, the package
// bvpack, its worker and its module in it.
// Usage: node bundle.mjs SOURCES PACKAGE NODE_MODULES OUT
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [, , sources, folder, modules, out] = process.argv.map((one, i) => (i > 1 ? resolve(one) : one));
const { build } = createRequire(join(modules, 'x'))('esbuild');
const shared = {
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  write: false,
  legalComments: 'eof',
  logLevel: 'error',
  define: { 'import.meta.url': '""' },
  nodePaths: [modules],
  external: ['node:fs/promises'],
};
const textOf = ({ outputFiles }) => outputFiles[0].text;
const worker = textOf(await build({ ...shared, entryPoints: [join(folder, 'worker.mjs')] }));

const given = {
  name: 'given',
  setup(on) {
    on.onResolve({ filter: /^bvpack$/ }, () => ({ path: join(folder, 'index.mjs') }));
    on.onResolve({ filter: /^(packed-wasm|worker-text)$/ }, ({ path }) => ({ path, namespace: 'given' }));
    on.onLoad({ filter: /./, namespace: 'given' }, ({ path }) =>
      path === 'worker-text'
        ? { contents: worker, loader: 'text' }
        : { contents: gzipSync(readFileSync(join(folder, 'bvpack.wasm')), { level: 9 }), loader: 'binary' },
    );
  },
};
const script = textOf(
  await build({ ...shared, entryPoints: [join(sources, 'main.mjs')], plugins: [given] }),
);
const page = readFileSync(join(sources, 'page.html'), 'utf8');
const style = readFileSync(join(sources, 'style.css'), 'utf8');
// a script's text cannot hold the end of its element, nor what begins a comment of HTML
const safe = script.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
writeFileSync(out, page.replace('/*STYLE*/', () => style).replace('/*SCRIPT*/', () => safe));
console.log(`${out}: ${(readFileSync(out).length / 1024).toFixed()} KB`);
