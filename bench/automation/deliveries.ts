/**
 * How many events a platform delivers in a second, to a receiver on this machine in a process of its own.
 *
 *   npm run bench -- automation [--deliveries 20000] [--workspaces 64] [--rounds 3] [--flags=--cpu-prof]
 *
 * The writes are imported while the receiver holds its answers; then it lets go, and the time is taken until all have
 * arrived. Each round is one such run. CPU is that of the whole process, divided by the deliveries.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeEvent } from '../../packages/acceptance/src/event-receiver.ts';
import { type AppUser, defineEntity } from '../../packages/acceptance/src/org.ts';
import { startPlatform } from '../../packages/acceptance/src/platform.ts';
import { founderOf, multiOrg } from '../../packages/acceptance/src/workspaces.ts';
import { nodeFlags } from '../measure.ts';
import { csv, orders, send } from '../orders.ts';
import type { ReceiverUsage } from './receiver.ts';

const importsAtOnce = 8;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '20000' },
      workspaces: { type: 'string', default: '64' },
      rounds: { type: 'string', default: '3' },
      flags: { type: 'string', multiple: true, default: [] as string[] },
    },
  });
  const rows = Math.ceil(Number(values.deliveries) / Number(values.workspaces));
  const passwords = join(import.meta.dirname, '..', '..', 'packages', 'acceptance', 'src', 'fast-passwords.ts');
  const flags = [...nodeFlags, '--import', passwords, ...values.flags];
  const platform = await startPlatform({ nodeFlags: flags, ipc: true });
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'));
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    const org = await multiOrg(platform);
    await defineEntity(org, orders('order'));
    await makeEvent(org, 'tell', `http://127.0.0.1:${port}/`);
    const users: AppUser[] = [];
    while (users.length < Number(values.workspaces)) users.push(await founderOf(org));
    const table = [];
    for (let round = 0; round < Number(values.rounds); round++)
      table.push(await measured(platform.child, receiver, users, { rows, first: round * rows }));
    console.log(`Node ${process.version}, ${values.workspaces} workspaces, load ${loadavg()[0]?.toFixed(1)}`);
    console.table(table);
  } finally {
    receiver.kill();
    await platform.terminate();
  }
}

interface Part {
  /** Of each workspace. */
  readonly rows: number;
  /** The number of rows before. */
  readonly first: number;
}

async function measured(platform: ChildProcess, receiver: ChildProcess, users: readonly AppUser[], part: Part) {
  receiver.send('hold');
  const before = await usageOf(receiver);
  const waiting = users.values();
  const importing = Array.from({ length: importsAtOnce }, async () => {
    for (const user of waiting) await send(user, '/import/order', csv(part.rows, part.first));
  });
  const writesStartedAt = performance.now();
  await Promise.all(importing);
  const written = performance.now() - writesStartedAt;
  const cpuBefore = await cpuOf(platform);
  const held = await usageOf(receiver);
  receiver.send('release');
  const startedAt = performance.now();
  const expected = before.deliveries + part.rows * users.length;
  let now = held;
  while (now.deliveries < expected) {
    await after(20);
    now = await usageOf(receiver);
  }
  const milliseconds = performance.now() - startedAt;
  const count = expected - held.deliveries;
  return {
    'deliveries/s': Math.round((count * 1000) / milliseconds),
    'CPU µs': (((await cpuOf(platform)) - cpuBefore) / count).toFixed(0),
    'CPU µs of the receiver': ((now.cpuMicroseconds - held.cpuMicroseconds) / count).toFixed(0),
    deliveries: count,
    'sent twice': now.calls - before.calls - (now.deliveries - before.deliveries),
    's to write': (written / 1000).toFixed(1),
  };
}

async function usageOf(receiver: ChildProcess): Promise<ReceiverUsage> {
  const answer = once(receiver, 'message');
  receiver.send('usage');
  return ((await answer) as [ReceiverUsage])[0];
}

async function cpuOf(platform: ChildProcess): Promise<number> {
  const answer = once(platform, 'message');
  platform.send('cpu');
  return ((await answer) as [{ cpuMicroseconds: number }])[0].cpuMicroseconds;
}

await main();
