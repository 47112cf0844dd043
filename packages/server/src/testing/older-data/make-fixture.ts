/**
 * Makes a fixture: data of every kind, written by the platform of a checkout, and what its callers were answered.
 *
 *   node packages/server/src/testing/older-data/make-fixture.ts CHECKOUT packages/server/src/older-data/VERSION
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ask } from './asks.ts';
import { type Gateways, operatorKey } from './calls.ts';
import { fill } from './fill.ts';

/** What is counted of calls is written every few seconds, and indexes are built meanwhile. */
const settlingMilliseconds = 15_000;

async function make(checkout: string, target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'freehold-fixture-'));
  const [program, dataDir] = [join(checkout, 'packages/server/bin/freehold.mjs'), join(work, 'data')];
  try {
    const env = {
      FREEHOLD_DATA_DIR: dataDir,
      FREEHOLD_OPERATOR_KEY: operatorKey,
      FREEHOLD_APP_PORT: '0',
      FREEHOLD_MANAGEMENT_PORT: '0',
      FREEHOLD_DEMO: 'off',
      FREEHOLD_LOG_LEVEL: 'warn',
    };
    const child = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const gateways = await addressesOf(child.stdout.setEncoding('utf8'));
    const filled = await fill(gateways);
    await new Promise((resolve) => setTimeout(resolve, settlingMilliseconds));
    const answers = await ask(gateways, filled);
    child.kill('SIGTERM');
    await once(child, 'exit');
    const backup = join(work, 'data.tar');
    execFileSync(process.execPath, [program, 'backup', backup, '--data-dir', dataDir], { env });
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'data.tar.br'), brotliCompressSync(readFileSync(backup)));
    writeFileSync(join(target, 'answers.json.br'), brotliCompressSync(JSON.stringify(answers)));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function addressesOf(stdout: AsyncIterable<string>): Promise<Gateways> {
  let output = '';
  for await (const text of stdout) {
    output += text;
    const [, app, management] = /^ready app=(\S+) management=(\S+)$/m.exec(output) ?? [];
    if (app !== undefined && management !== undefined) return { app, management };
  }
  throw new Error(`the platform did not start: ${output}`);
}

const [checkout, target] = process.argv.slice(2);
if (checkout === undefined || target === undefined) throw new Error('a checkout and a folder for the fixture, please');
await make(checkout, target);
