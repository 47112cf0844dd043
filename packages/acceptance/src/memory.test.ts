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
import { type Platform, startPlatform } from './platform.ts';
import { leftOfHeapIn } from './soak/left-of-heap.ts';

/** What a work leaves that it does not have to keep is a few hundred bytes at least. */
const turns = { first: 400, measured: 2000 };
/** Caches that fill and code that is compiled leave something once; a leak leaves it in each round. */
const rounds = 3;
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

type Work = () => Promise<{ readonly status: number; readonly text: string }>;

const isLong = process.env.FREEHOLD_TEST_LONG === '1';
const ownFilter = () => encodeURIComponent(`title == "${random()}" || text.contains("${random()}")`);

const works: readonly (readonly [name: string, status: number, work: Work, more?: number])[] = [
  ...(['list', 'count', 'aggregate'] as const).map((verb): (typeof works)[number] => [
    `filters of a ${verb} that are all different`,
    200,
    () => act(founder, 'GET', `/${verb}/ticket?filter=${ownFilter()}`),
    isLong ? 17 : 1,
  ]),
  [
    'sign-ins',
    200,
    async () => {
      const login = await logIn(founder.org, founder.email);
      return exchangeToken(founder.org, login.body.token);
    },
  ],
  ['refreshed tokens', 200, () => exchangeToken(founder.org, founder.token)],
  [
    'changes of the configuration',
    200,
    () => {
      const body = { Views: { short: { fields: [{ name: 'title', as: `t${random()}` }] } } };
      return manage(founder.org, 'PUT', '/api/get-ticket', { body });
    },
  ],
  ['denials', 403, () => act(member, 'GET', '/list/user')],
  [
    'tokens that are none',
    401,
    () => act({ ...founder, token: `${founder.token.slice(0, -8)}${random()}` }, 'GET', '/list/ticket'),
  ],
];

for (const [name, status, work, more = 1] of works) {
  const measured = more * turns.measured;
  it(`keeps nothing of ${measured} ${name}`, { ...(isLong ? { timeout: 60 * 60_000 } : {}) }, async (test) => {
    const repeat = (times: number) =>
      repeatedly(times, async () => {
        const reply = await work();
        assert.equal(reply.status, status, reply.text);
      });
    await repeat(turns.first);
    let left = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds && left >= leftMax; round++) {
      const started = await heap();
      await repeat(measured);
      left = (await heap()) - started;
      test.diagnostic(`${name}: ${Math.round(left / measured)} bytes each`);
    }
    assert.ok(left < leftMax, `${left} bytes are left of ${measured} ${name}, ${rounds} times`);
  });
}

/** Few at once, so that those of one org do not wait for each other. */
async function repeatedly(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all([caller(), caller()]);
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
    .flatMap((line) => leftOfHeapIn(line)?.objects ?? []);
}
