#!/usr/bin/env node
// `freehold`, on whatever Node there is: plain JavaScript. An older one hands over to a newer one.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isNewEnough, whyTooOld } from './needed-node.mjs';
import { endBy, passSignals } from './pass-signals.mjs';
import { endWithParent } from './watch-parent.mjs';

const words = process.argv.slice(2);

endWithParent();
if (isNewEnough(process.versions.node)) await run();
else await handOver();

/**
 * The first word says whose command it is: an operator's, which may open stores, or a builder's. Only the half that is named is
 * loaded.
 */
async function run() {
  const { keepCompiledCode } = await import('./compile-cache.mjs');
  keepCompiledCode();
  const { operatorCommands } = await import('../src/composition/operator-commands.ts');
  const [first = '', ...rest] = words;
  const isHelp = first === 'help' && operatorCommands.has(rest[0]);
  const listed = operatorCommands.get(isHelp ? rest[0] : first);
  if (listed !== undefined) {
    if (whyTooOld(process.versions) !== undefined) return handOver();
    const { runCommand } = await import('../src/commands/command-line.ts');
    runCommand(await listed.load(), isHelp ? ['--help'] : rest);
    return;
  }
  const { runBuilder } = await import('../../cli/src/freehold.ts');
  const { launcher, releaseVersion } = await import('../src/lib/installation.ts');
  const others = [...operatorCommands].map(([name, { says }]) => ({ name, says }));
  await runBuilder(words, { others, launcher, version: releaseVersion() });
}

/** Passes signals on to the newer Node, and ends as it ends; the channel tells it where this process is killed. */
async function handOver() {
  const { newerNode } = await import('./newer-node.mjs');
  const found = await newerNode(fileURLToPath(new URL('../../../', import.meta.url)));
  if ('fault' in found) {
    console.error(found.fault);
    process.exit(2);
  }
  const child = spawn(found.path, [fileURLToPath(import.meta.url), ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // By default glibc keeps what each thread has freed apart: a hundred megabytes more once passwords were hashed.
    env: { MALLOC_ARENA_MAX: '2', ...process.env },
  });
  const { code, signal } = await passSignals(child);
  if (signal === null) process.exit(code ?? 1);
  endBy(signal);
}
