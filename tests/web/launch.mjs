// SPDX-License-Identifier: MIT
// launch.mjs: a browser with a profile of its own. When this program ends, however, so do all of the
// browser's processes, and the profile goes: it is a group of processes, which is killed as a whole.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const running = new Set();

function stopAll() {
  for (const one of running) one.stop();
}

process.on('exit', stopAll);
for (const [name, number] of [['SIGHUP', 1], ['SIGINT', 2], ['SIGTERM', 15]])
  process.on(name, () => process.exit(128 + number));

// Returns {child, stop()}. stdio: as of spawn().
export function launch(program, words, stdio) {
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));
  const child = spawn(program, ['--headless', '--no-sandbox', ...words.slice(0, -1), `--user-data-dir=${profile}`, ...words.slice(-1)], {
    stdio,
    detached: true,
  });
  const one = {
    child,
    stop() {
      if (!running.delete(one)) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL'); // it never started, or has no group any more
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  running.add(one);
  return one;
}
