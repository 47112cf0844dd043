/** The operator has signing keys followed by others all the time, as often as the platform lets it. */
import { setTimeout as after } from 'node:timers/promises';
import { type CommandResult, keysToEnd } from '../platform.ts';
import { operate } from './operator.ts';
import type { SoakCaller } from './soak-caller.ts';

export interface KeyCounts {
  /** `keys rotate` that were answered; most name the key that waits already. */
  requestCount: number;
  /** Keys that were made. */
  made: number;
  /** Keys that were revoked while they waited, which ends no token. */
  revoked: number;
}

const betweenMilliseconds = 15_000;

export async function rotateKeys(caller: SoakCaller, counts: KeyCounts): Promise<void> {
  const known = new Set<string>();
  while (!caller.isOver) {
    const rotated = await command(caller, ['rotate']);
    const kid = rotated?.stdout.split(' ', 1)[0];
    if (rotated !== undefined && kid !== undefined) {
      counts.requestCount += 1;
      const isNew = !known.has(kid);
      known.add(kid);
      if (isNew) counts.made += 1;
      // The others mature, and sign after ten minutes.
      if (isNew && Math.random() < 0.5 && (await command(caller, ['revoke', kid])) !== undefined) counts.revoked += 1;
    }
    await command(caller, ['list']);
    for (let waited = 0; waited < betweenMilliseconds && !caller.isOver; waited += 500) await after(500);
  }
}

/** Undefined where a restart stood in the way, or eight keys do. */
async function command(caller: SoakCaller, words: readonly string[]): Promise<CommandResult | undefined> {
  await caller.platform.up();
  const startedAt = performance.now();
  const run = await keysToEnd([...words, '--url', caller.platform.management], caller.platform.env);
  if (run.code === 0) return run;
  if (caller.platform.wasAwaySince(startedAt) || /answers 409/.test(run.stderr)) return undefined;
  caller.findings.note('wrong answer', `keys ${words[0]} ended with ${run.code}: ${run.stderr.trim()}`);
  return undefined;
}

/** The numbers of keys that sign, only verify, or wait. */
export async function keyStates(caller: SoakCaller): Promise<string> {
  const reply = await caller.ask('keys', 200, () =>
    operate<{ readonly items: readonly { readonly state: string }[] }>(caller.platform, 'GET', '/platform/keys'),
  );
  return reply.body.items.map(({ state }) => state).join(', ');
}
