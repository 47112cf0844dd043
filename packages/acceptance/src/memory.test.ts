/** What people and builders do again and again leaves nothing in the memory of the process. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  logIn,
  manage,
  memberWith,
  random,
} from './org.ts';
import { type Platform, startPlatform, whyOneWorker } from './platform.ts';
import { leftOfHeap } from './soak/left-of-heap.ts';

/** What a work leaves that it does not have to keep is a few hundred bytes at least. */
const turns = { first: 400, measured: 2000 };
const leftMax = 1024 * 1024;

let platform: Platform;
let founder: AppUser;
let member: AppUser;

before(async () => {
  platform = await startPlatform({
    nodeFlags: ['--expose-gc', '--import', new URL('./soak/collect-often.ts', import.meta.url).href],
    env: {
      FREEHOLD_LOG_LEVEL: 'warn',
      FREEHOLD_STORE_CACHE_MB: '1',
      FREEHOLD_RECORD_CACHE_MB: '1',
    },
  });
  ({ founder } = await foundedOrg(platform));
  member = await memberWith(founder, [allow('listticket')]);
  await defineEntity(founder.org, definition('ticket', [{ name: 'title' }, { name: 'text' }]));
});

after(() => platform.kill());

const works: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
  'sign-ins': async () => {
    const login = await logIn(founder.org, founder.email);
    return exchangeToken(founder.org, login.body.token);
  },
  'refreshed tokens': () => exchangeToken(founder.org, founder.token),
  'changes of the configuration': () =>
    manage(founder.org, 'PUT', '/api/get-ticket', {
      Views: { short: { fields: [{ name: 'title', as: `t${random()}` }] } },
    }),
  denials: () => act(member, 'GET', '/list/user'),
  'tokens that are none': () =>
    act({ ...founder, token: `${founder.token.slice(0, -8)}${random()}` }, 'GET', '/list/ticket'),
};

for (const [name, work] of Object.entries(works))
  it(`keeps nothing of ${turns.measured} ${name}`, { skip: whyOneWorker }, async (test) => {
    await repeat(turns.first, work);
    const begun = await heap();
    await repeat(turns.measured, work);
    const left = (await heap()) - begun;
    test.diagnostic(`${name}: ${Math.round(left / turns.measured)} bytes each`);
    assert.ok(left < leftMax, `${left} bytes are left of ${turns.measured} ${name}`);
  });

/** A few at once, as callers come. */
async function repeat(times: number, work: () => Promise<{ readonly status: number }>): Promise<void> {
  let left = times;
  const statuses = new Map<number, number>();
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const { status } = await work();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  assert.equal(statuses.size, 1, `different answers: ${JSON.stringify([...statuses])}`);
}

/** Bytes that a full collection leaves, once the process has nothing to do. */
async function heap(): Promise<number> {
  const known = collections().length;
  platform.child.kill('SIGUSR2');
  return eventually('a collection', () => collections()[known]);
}

function collections(): readonly number[] {
  return platform
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith(leftOfHeap))
    .map((line) => Number(line.slice(leftOfHeap.length)));
}
