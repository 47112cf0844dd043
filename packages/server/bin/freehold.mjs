#!/usr/bin/env node
// `freehold`, on whatever Node there is: plain JavaScript. An older one hands over to the one that `npm ci` has brought.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNewEnough } from './needed-node.mjs';
import { endWithParent } from './watch-parent.mjs';

const words = process.argv.slice(2);
const carried = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));

endWithParent();
if (isNewEnough(process.versions.node)) {
  const { keepCompiledCode } = await import('./compile-cache.mjs');
  keepCompiledCode();
  await run();
} else if (existsSync(carried)) {
  handOver();
} else {
  // Says what is missing, and ends.
  await import('../../../tools/check-runtime.mjs');
}

/** The first word says whose command it is: the operator's in this package, or the builder's in the folder beside it. */
async function run() {
  const { operatorCommands } = await import('../src/composition/operator-commands.ts');
  const [first = '', second = ''] = words;
  const isHelp = first === 'help' && operatorCommands.has(second);
  const builder = new URL('../../cli/src/freehold.ts', import.meta.url);
  if (isHelp || operatorCommands.has(first) || !existsSync(builder)) {
    const { runFreehold } = await import('../src/freehold.ts');
    await runFreehold(isHelp ? [second, '--help'] : words);
  } else {
    const { runBuilder } = await import(builder.href);
    const others = [...operatorCommands].map(([name, { says }]) => ({ name, says }));
    await runBuilder(words, others);
  }
}

/** Passes signals on to the newer Node, and ends as it ends; the channel tells it where this process is killed. */
function handOver() {
  const child = spawn(carried, [fileURLToPath(import.meta.url), ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
