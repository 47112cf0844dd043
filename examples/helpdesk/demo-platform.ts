import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The demo as its clients reach it. */
export interface DemoPlatform {
  /** The address of the app gateway. */
  readonly url: string;
  readonly org: string;
  readonly clientId: string;
  /** Of all users of the demo. */
  readonly password: string;
}

interface SavedDemo extends Omit<DemoPlatform, 'url'> {
  readonly builder: { readonly email: string; readonly password: string };
}

const root = join(import.meta.dirname, '../..');

/**
 * The platform with the demo: the one that runs at FREEHOLD_APP_PORT (4000), or else one that this starts, which ends
 * with this process. Both read the settings that `npm start` reads.
 */
export async function demoPlatform(): Promise<DemoPlatform> {
  const running = `http://127.0.0.1:${process.env.FREEHOLD_APP_PORT ?? '4000'}`;
  const isRunning = await fetch(`${running}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  const url = isRunning ? running : await start();
  return { url, ...(await readDemo()) };
}

/** What a first start keeps for later ones, in the data folder and readable by its owner alone. */
export async function readDemo(): Promise<SavedDemo> {
  const path = resolve(root, process.env.FREEHOLD_DATA_DIR ?? 'data', 'demo.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const demo = text === undefined ? {} : JSON.parse(text);
  if (typeof demo.client_id !== 'string')
    fail(
      `${path} has no demo. The platform makes one at its first start in an empty folder: name one in FREEHOLD_DATA_DIR.`,
    );
  return { org: demo.org, clientId: demo.client_id, password: demo.password, builder: demo.builder };
}

/** @returns the address of its app gateway once the demo is there */
async function start(): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'packages/server/bin/freehold.mjs'), 'start'], {
    cwd: root,
    env: { FREEHOLD_LOG_LEVEL: 'warn', ...process.env, FREEHOLD_DEMO: 'on' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  const lines = createInterface({ input: child.stdout });
  let url = '';
  for await (const line of lines) {
    process.stdout.write(`${line}\n`);
    url = /^ready app=(\S+)/.exec(line)?.[1] ?? url;
    // The last thing that a start says of its demo.
    if (line.includes('-X DELETE')) {
      child.stdout.resume();
      child.on('exit', (code) => fail(`the platform has ended (${code})`));
      return url;
    }
  }
  return fail('the platform has ended before it had a demo');
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
