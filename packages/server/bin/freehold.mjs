#!/usr/bin/env node
// `freehold`, on whatever Node there is: plain JavaScript. An older one hands over to the one that `npm ci` has brought.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNewEnough } from './needed-node.mjs';

const words = process.argv.slice(2);
const carried = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));

if (isNewEnough(process.versions.node)) {
  const { runFreehold } = await import('../src/freehold.ts');
  await runFreehold(words);
} else if (existsSync(carried)) {
  const child = spawn(carried, [fileURLToPath(import.meta.url), ...words], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  // Says what is missing, and ends.
  await import('../../../tools/check-runtime.mjs');
}
