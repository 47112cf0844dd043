/** Two nodes on one database: for tests that run on PostgreSQL alone. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { AppUser, Org } from './org.ts';
import { type Gateways, type Platform, storeKind, temporaryDirectory, verifyToEnd } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

export const skip = storeKind !== 'postgres' && 'not run: FREEHOLD_TEST_STORE names no database';

export interface Nodes {
  readonly one: Platform;
  readonly other: Platform;
  readonly dataDir: string;
}

export async function twoNodes(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Promise<Nodes> {
  const dataDir = temporaryDirectory();
  const options = { dataDir, env, nodeFlags };
  const [one, other] = await Promise.all([platformOf(t, options), platformOf(t, options)]);
  return { one, other, dataDir };
}

export function orgOn({ app, management }: Gateways, org: Org): Org {
  return { ...org, app, management };
}

/** The same user, who calls another node. */
export function userOn(node: Gateways, user: AppUser): AppUser {
  return { ...user, org: orgOn(node, user.org) };
}

/**
 * Whatever is asked for so long after the change has to show it; how long the answer takes says nothing. A node reads the
 * change in the time of some answers, so the slowest of those is the measure of a machine that is busy.
 */
export async function assertSeenAfter(milliseconds: number, isSeen: () => Promise<boolean>): Promise<void> {
  const changedAt = performance.now();
  let slowest = 0;
  for (;;) {
    const startedAt = performance.now();
    if (await isSeen()) return;
    slowest = Math.max(slowest, performance.now() - startedAt);
    const age = startedAt - changedAt;
    // wall time: a time is what is promised, and the machine is measured in the same wait.
    assert.ok(age < milliseconds + answersAllowed * slowest, `not seen ${age} ms after the change`);
  }
}

const answersAllowed = 20;

export async function assertSound({ one, other, dataDir }: Nodes): Promise<void> {
  await Promise.all([one.terminate(), other.terminate()]);
  const { code, stdout, stderr } = await verifyToEnd(dataDir);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  assert.match(stdout, /nothing has drifted\n$/);
}
