/** A platform that makes the demo at its first start, and what a newcomer sees of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import type { Gateways, Platform } from './platform.ts';

/** There is a demo on the embedded store alone, whatever store the other tests run on. */
export const demo = { FREEHOLD_DEMO: 'on', FREEHOLD_STORE: 'sqlite:' };

/** A line as it is marked and copied from the terminal. */
export function linesOf(shown: Platform, start: string): readonly string[] {
  const lines = shown.stdout().split('\n');
  return lines.map((line) => line.trim()).filter((line) => line.startsWith(start));
}

type Item = Readonly<Record<string, unknown>>;

/** The builder whose password lies in the data directory. */
export async function builderOf({ management }: Gateways, dataDir: string) {
  const { builder } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { readonly builder: object };
  const login = await call<{ readonly token: string }>('POST', `${management}/auth/login`, { body: builder });
  assert.equal(login.status, 200);
  const itemsOf = async (path: string) => {
    const { body } = await call<{ readonly items: readonly Item[] }>('GET', `${management}${path}`, {
      token: login.body.token,
    });
    return body.items;
  };
  const recordsByEntity = async (): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries((await itemsOf('/api/entities')).map(({ name, records }) => [name, Number(records)]));
  /** The alarm that the demo sends becomes a ticket a moment later. */
  const recordsOnceComplete = () =>
    eventually('all tickets of the demo', async () => {
      const counts = await recordsByEntity();
      return (counts.ticket ?? 0) >= 802 && counts;
    });
  const itemsOnce = (path: string, atLeast: number) =>
    eventually(`${atLeast} items of ${path}`, async () => {
      const items = await itemsOf(path);
      return items.length >= atLeast && items;
    });
  return { itemsOf, itemsOnce, recordsOnceComplete };
}

/** How many commits to the test environment the process has made. */
export async function commitsOf({ management }: Gateways): Promise<number> {
  const { text } = await call('GET', `${management}/metrics`);
  return Number(/^freehold_store_seconds_count\{space="test",call="commit"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

export function isShown(shown: Platform): boolean {
  return linesOf(shown, 'curl ').length >= 2;
}

/** The demo is shown after the platform is ready: it is made through its own API. */
export async function demoIsShown(shown: Platform): Promise<void> {
  await eventually('the demo', () => isShown(shown));
}
