// SPDX-License-Identifier: MIT
// module.mjs: one instance of bvpack.wasm: its memory, and the functions that bindings.c imports.

const decoder = new TextDecoder();
const inNode = typeof process !== 'undefined' && process.versions?.node !== undefined;

async function compile() {
  const url = new URL('./bvpack.wasm', import.meta.url);
  if (inNode && url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  // while it comes, and kept compiled; not of servers that do not know what it is
  if (response.headers.get('Content-Type') === 'application/wasm') return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

let compiled;

// For who brings the module: a WebAssembly.Module, its bytes, or a promise of one of them.
export function useModule(given) {
  compiled = Promise.resolve(given).then((one) =>
    one instanceof WebAssembly.Module ? one : WebAssembly.compile(one),
  );
}

// read(source, offset, size, at): fills `size` bytes of memory from `at` on; returns a status.
// hint(source, offset, size): these bytes are likely to be read next. pair(at): a row of clash is there; true: stop.
export async function instantiate({ read, hint, pair }) {
  compiled ??= compile();
  compiled.catch(() => (compiled = undefined));
  const module = await compiled;
  const imports = {
    bvpack: {
      read: (source, offset, size, at) => read(source >>> 0, offset, size >>> 0, at >>> 0),
      hint: (source, offset, size) => hint(source >>> 0, offset, size >>> 0),
      pair: (at) => (pair(at >>> 0) ? 1 : 0),
    },
  };
  // What the C library would ask a system for, such as files. There is none.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] ??= () => (from === 'env' ? -52 : 52); // ENOSYS
  }
  const instance = await WebAssembly.instantiate(module, imports);
  instance.exports._initialize?.();
  return new Memory(instance.exports);
}

// Arrays in the module's memory. Any call of the module may make the memory grow, which detaches
// all views: they are made anew for each use.
class Memory {
  constructor(exports) {
    this.exports = exports;
  }

  get buffer() {
    return this.exports.memory.buffer;
  }

  view(Type, at, length) {
    return new Type(this.buffer, at, length);
  }

  // A copy that is the caller's.
  copy(Type, at, length) {
    return this.view(Type, at, length).slice();
  }

  text(at, size) {
    return decoder.decode(this.copy(Uint8Array, at, size));
  }

  string(at) {
    const bytes = new Uint8Array(this.buffer);
    return this.text(at, bytes.indexOf(0, at) - at);
  }

  // Runs work(take), where take(bytes) returns zeroed memory that is freed afterwards.
  borrow(work) {
    const taken = [];
    const take = (bytes) => {
      const at = this.exports.malloc(Math.max(bytes, 8)) >>> 0;
      if (at === 0) throw Object.assign(new Error('out of memory'), { status: 'no memory' });
      taken.push(at);
      this.view(Uint8Array, at, bytes).fill(0);
      return at;
    };
    const free = () => taken.forEach((at) => this.exports.free(at));
    let result;
    try {
      result = work(take);
    } catch (error) {
      free();
      throw error;
    }
    if (result instanceof Promise) return result.finally(free);
    free();
    return result;
  }
}
