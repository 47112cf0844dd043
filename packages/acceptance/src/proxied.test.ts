/**
 * Through Debian's proxies with the files of `deploy/`: a refused request with a long body gets its answer, and an idle
 * connection is none that has ended. FREEHOLD_TEST_TRIES says how often each cell of the matrix is tried.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { act, defineEntity, definition, foundedOrg } from './org.ts';
import { type Platform, temporaryDirectory } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';
import { proxies } from './proxies.ts';

/** At night 100, of a draining platform as many as it answers before it ends; 1,000 take an hour. */
const tries = Number(process.env.FREEHOLD_TEST_TRIES ?? 100);
const atOnce = 4;
/** A bound for one request, far above the 30 s for which a connection lingers. */
const answerMilliseconds = 60_000;

const sizes: Readonly<Record<string, number>> = {
  '64 KB': 65_000,
  '300 KB': 300_000,
  '1 MB': 1_100_000,
  '5 MB': 5_000_000,
  '15 MB': 15_000_000,
};

interface Refusal {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
}

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agent: Agent;
}

/** The status and the `code` of the answer, or how it was lost. */
function answerOf({ url, headers, body, agent }: Sent): Promise<string> {
  return new Promise((resolve) => {
    const length = { 'content-length': `${body.length}` };
    const outgoing = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
      response.toArray().then(
        (parts) => {
          const [, code] = /"code":"(\w+)"/.exec(parts.join('')) ?? [];
          resolve(`${response.statusCode} ${code ?? 'of the proxy'}`);
        },
        (error: Error) => resolve(`${response.statusCode} cut off: ${error.message}`),
      );
    });
    const timer = setTimeout(() => {
      resolve(`no answer in ${answerMilliseconds / 1000} s`);
      outgoing.destroy();
    }, answerMilliseconds);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}: ${error.message}`));
    outgoing.end(body);
  });
}

/** The count of each answer. */
async function tally(count: number, ask: () => Promise<string>): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>();
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const answer = await ask();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return answers;
}

/** Holds the cells of one proxy, all of which are tried, to the answers that they expect. */
class Cells {
  readonly #context: TestContext;
  readonly #lost: string[] = [];

  constructor(context: TestContext) {
    this.#context = context;
  }

  note(cell: string, answers: ReadonlyMap<string, number>, expected: string): void {
    const counts = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');
    this.#context.diagnostic(`${cell}: ${counts}`);
    if (answers.size !== 1 || !answers.has(expected)) this.#lost.push(`${cell}: ${counts}`);
  }

  assertNoneLost(): void {
    assert.deepEqual(this.#lost, []);
  }
}

/**
 * nginx answers a request whose body it has not read with `keep-alive`, and ends the connection: the next request on it
 * would be lost, which the platform cannot change.
 */
function agentFor(context: TestContext, proxy: string): Agent {
  const agent = new Agent({ keepAlive: proxy !== 'nginx' });
  context.after(() => agent.destroy());
  return agent;
}

const trusting = { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' };
const platform = await platformOfFile({ env: trusting });
const { org, founder } = await foundedOrg(platform);
await defineEntity(org, definition('note', [{ name: 'title' }]));
const { org: otherOrg, founder: leaver } = await foundedOrg(platform);
assert.equal((await act(leaver, 'POST', '/user/logout', { body: {} })).status, 204);
const path = (code: string) => `/app/${code}/create/note`;
const json = { 'content-type': 'application/json' };

const refusals: Readonly<Record<string, Refusal>> = {
  'an ended token': {
    path: path(otherOrg.code),
    headers: { ...json, authorization: `Bearer ${leaver.token}` },
    status: 401,
    code: 'token_invalid',
  },
  'a wrong type': {
    path: path(org.code),
    headers: { 'content-type': 'text/plain', authorization: `Bearer ${founder.token}` },
    status: 415,
    code: 'unsupported_media_type',
  },
  'a body that is too large': {
    path: path(org.code),
    headers: { ...json, authorization: `Bearer ${founder.token}` },
    status: 413,
    code: 'body_too_large',
  },
};

for (const [name, { skip, start }] of Object.entries(proxies))
  test(`${name}: refused requests with long bodies get their answers`, { skip }, async (context) => {
    const url = await start(platform.app);
    const agent = agentFor(context, name);
    const cells = new Cells(context);
    for (const [why, { path: target, headers, status, code }] of Object.entries(refusals))
      for (const [size, bytes] of Object.entries(sizes)) {
        if (code === 'body_too_large' && bytes < 1_100_000) continue;
        const body = Buffer.alloc(bytes, ' ');
        const answers = await tally(tries, () => answerOf({ url: `${url}${target}`, headers, body, agent }));
        cells.note(`${name}, ${size} with ${why}`, answers, `${status} ${code}`);
      }
    cells.assertNoneLost();
  });

/** The time for which a draining platform is called: it ends 10 s after the signal. */
const drainMilliseconds = 7_000;

/** Keeps a platform draining: a request whose body does not come is under way. */
async function drained(draining: Platform): Promise<Socket> {
  const { hostname, port } = new URL(draining.app);
  const held = connect(Number(port), hostname).on('error', () => undefined);
  const headers = ['Host: x', 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue', '', ''];
  held.write(['POST /app/none/login HTTP/1.1', ...headers].join('\r\n'));
  await once(held, 'data');
  draining.child.kill('SIGTERM');
  await eventually('the begin of the drain', () => draining.stderr().includes('"draining"'));
  return held;
}

for (const [name, { skip, start }] of Object.entries(proxies))
  test(`${name}: requests with long bodies are answered by a platform that drains`, { skip }, async (context) => {
    const options = { dataDir: temporaryDirectory(), env: { ...trusting, FREEHOLD_APP_PORT: `${await freePort()}` } };
    let url: string | undefined;
    const agent = agentFor(context, name);
    const answers = new Map(Object.keys(sizes).map((size) => [size, new Map<string, number>()]));
    const least = () => Math.min(...[...answers.values()].map((of) => of.values().reduce((sum, n) => sum + n, 0)));
    const rounds = tries <= 100 ? 1 : Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds && least() < tries; round++) {
      const draining = await platformOf(context, options);
      url ??= await start(draining.app);
      const held = await drained(draining);
      const end = performance.now() + drainMilliseconds;
      const queue = Array.from({ length: tries - least() }, () => Object.entries(sizes)).flat();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          // wall time: a drain ends by the clock, whatever is under way.
          for (let next = queue.shift(); next !== undefined && performance.now() < end; next = queue.shift()) {
            const [size, bytes] = next;
            const body = Buffer.alloc(bytes, ' ');
            const answer = await answerOf({ url: `${url}${path(org.code)}`, headers: json, body, agent });
            const counts = answers.get(size);
            if (!held.destroyed) counts?.set(answer, (counts.get(answer) ?? 0) + 1);
          }
        }),
      );
      held.destroy();
      await draining.ended;
    }
    const cells = new Cells(context);
    for (const [size, counts] of answers) cells.note(`${name}, ${size} while it drains`, counts, '503 unavailable');
    cells.assertNoneLost();
  });

test('a request that follows six seconds of idling gets its answer, through each proxy', async (context) => {
  const [clients, rounds] = [45, 5];
  const cells = new Cells(context);
  const agent = new Agent();
  const sent = { headers: { ...json, authorization: 'Bearer none' }, body: Buffer.from('{}'), agent };
  const through = Object.entries(proxies).filter(([, { skip }]) => skip === false);
  await Promise.all(
    through.map(async ([name, { start }]) => {
      const url = `${await start(platform.app)}${path(org.code)}`;
      const counts = new Map<string, number>();
      const client = async (index: number): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const answer = await answerOf({ url, ...sent });
          counts.set(answer, (counts.get(answer) ?? 0) + 1);
          // wall time: Node ends an idle connection after six seconds by default, which proxies keep for longer.
          await pause(5_975 + index);
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
      cells.note(`${name}, after idling`, counts, '401 token_invalid');
    }),
  );
  cells.assertNoneLost();
});
