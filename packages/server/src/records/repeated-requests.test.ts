import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditEntry, platformActor } from '../audit/audit-entry.ts';
import { Problem } from '../lib/problem.ts';
import { interceptStore } from '../store/intercepted-store.ts';
import { type Change, Conflict, Unavailable } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { SteppedClock, sealer } from '../testing/record-bench.ts';
import { createIdempotency, createRepeatedRequests, markingStore } from './repeated-requests.ts';

const auditContext = { at: '', actor: platformActor, request_id: '' } as const;
const entries = auditEntry(auditContext, { action: 'thing.made' });

class Killed extends Error {}

/** A node that makes things, each in a commit that tells the audit log of it, and the things that there are. */
async function platform() {
  const clock = new SteppedClock();
  const { store } = await openStore({ kind: 'memory', clock });
  const idempotency = createIdempotency(new Uint8Array(32), clock);
  let dies: 'before' | 'after' | undefined;
  /** The number of commits of the next request before its process dies. */
  let commitsLeft = Number.POSITIVE_INFINITY;
  const mortal = interceptStore(store, async ({ name }, call) => {
    if (name !== 'commit' || --commitsLeft > 0) return call();
    if (dies === 'after') await call();
    throw new Killed();
  });
  const things = async () => (await store.scope('org').range('thing', { limit: 100 })).map(({ value }) => value);
  const node = () => {
    const marked = markingStore('test', mortal);
    const repeats = createRepeatedRequests(sealer);
    return (key: string, name: string, work?: () => Promise<unknown>) => {
      const [platformScope, org] = [marked.scope('platform'), marked.scope('org')];
      const make = async () => {
        // A commit that prepares the effect is no effect.
        await org.commit([{ kind: 'add', pk: 'count', sk: 'made', by: 1 }]);
        const id = String((await things()).length);
        const put: Change = { kind: 'put', pk: 'thing', sk: id, value: name, if: 'absent' };
        await org.commit([put, entries]);
        return { name, secret: `secret of ${id}` };
      };
      return repeats.answer(
        {
          request: idempotency({ principal: 'ann', key, content: [name] }),
          scopes: [
            { space: 'test', scope: platformScope },
            { space: 'test', scope: org },
          ],
        },
        work ?? make,
      );
    };
  };
  const dieAt = (commits: number, when: 'before' | 'after') => {
    commitsLeft = commits;
    dies = when;
  };
  const live = () => {
    commitsLeft = Number.POSITIVE_INFINITY;
  };
  return { node, things, store, clock, dieAt, live };
}

async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : (error as Error).constructor.name),
  );
}

test('the same request is answered as it was, another one is refused, and a key is good again after a day', async () => {
  const { node, things, store, clock } = await platform();
  const first = await node()('k', 'one');
  assert.deepEqual(first, { answer: { name: 'one', secret: 'secret of 0' }, isReplayed: false });
  assert.deepEqual(await node()('k', 'one'), { ...first, isReplayed: true });
  assert.equal(await outcome(node()('k', 'two')), 'idempotency_key_reused');
  assert.deepEqual(await things(), ['one']);
  const [kept] = await store.scope('org').range('idempotency', { limit: 10 });
  assert.ok(kept !== undefined && !kept.value.includes('secret of'), 'a secret is kept sealed');
  clock.advance(24 * 60 * 60 * 1000 + 1);
  assert.equal((await node()('k', 'two')).isReplayed, false);
});

test('of many at once on several nodes one has the effect, and no other is answered otherwise', async () => {
  for (let round = 0; round < 20; round++) {
    const { node, things } = await platform();
    const nodes = [node(), node(), node()];
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => outcome(nodes[index % 3]?.('k', 'one') ?? Promise.reject())),
    );
    assert.deepEqual(await things(), ['one']);
    assert.ok(outcomes.includes('done'));
    for (const one of outcomes) assert.match(one, /^(done|conflict|Conflict)$/);
    assert.equal((await nodes[0]?.('k', 'one'))?.isReplayed, true);
  }
});

for (const when of ['before', 'after'] as const)
  for (const commits of [1, 2, 3])
    test(`who dies ${when} commit ${commits} and is asked again has the effect once`, async () => {
      const { node, things, dieAt, live } = await platform();
      dieAt(commits, when);
      const died = await outcome(node()('k', 'one'));
      live();
      const isDone = commits === 3 || (commits === 2 && when === 'after');
      // An answer that cannot be noted is given all the same.
      assert.equal(died, commits === 3 ? 'done' : 'Killed');
      assert.equal((await things()).length, isDone ? 1 : 0);
      const isAnswerKnown = !isDone || (commits === 3 && when === 'after');
      assert.equal(await outcome(node()('k', 'one')), isAnswerKnown ? 'done' : 'conflict');
      assert.deepEqual(await things(), ['one']);
    });

test('a refusal takes no key, a failure neither, and what has no effect is remembered too', async () => {
  const { node, things } = await platform();
  const refuse = async () => {
    throw new Problem('validation_failed', 'no');
  };
  assert.equal(await outcome(node()('k', 'one', refuse)), 'validation_failed');
  const fail = async () => {
    throw new Unavailable('full');
  };
  assert.equal(await outcome(node()('k', 'one', fail)), 'Unavailable');
  assert.equal((await node()('k', 'one')).isReplayed, false);
  assert.deepEqual(await things(), ['one']);
  let requestCount = 0;
  const look = async () => ++requestCount;
  assert.deepEqual(await node()('l', 'look', look), { answer: 1, isReplayed: false });
  assert.deepEqual(await node()('l', 'look', look), { answer: 1, isReplayed: true });
});

test('a refusal after the effect was undone takes the mark away', async () => {
  const { store, clock } = await platform();
  const marked = markingStore('test', store);
  const scope = marked.scope('org');
  const request = createIdempotency(new Uint8Array(32), clock)({ principal: 'ann', key: 'k', content: [] });
  const repeats = createRepeatedRequests(sealer);
  const query = { request, scopes: [{ space: 'test', scope }] } as const;
  const undone = repeats.answer(query, async () => {
    await scope.commit([entries]);
    throw new Problem('conflict', 'it was removed while it was made');
  });
  assert.equal(await outcome(undone), 'conflict');
  assert.equal((await repeats.answer(query, async () => 'made')).isReplayed, false);
});

test('what others commit beside the work, and what goes on after it, is not marked', async () => {
  const { store, clock } = await platform();
  const marked = markingStore('test', store);
  const [own, other] = [marked.scope('org'), marked.scope('other')];
  const request = createIdempotency(new Uint8Array(32), clock)({ principal: 'ann', key: 'k', content: [] });
  const late = Promise.withResolvers<void>();
  let background: Promise<unknown> | undefined;
  await createRepeatedRequests(sealer).answer({ request, scopes: [{ space: 'test', scope: own }] }, async () => {
    await other.commit([entries]);
    background = late.promise.then(() => own.commit([entries]));
    return 'done';
  });
  late.resolve();
  await background;
  assert.deepEqual(await other.range('idempotency', { limit: 10 }), []);
  await assert.rejects(own.commit([{ kind: 'put', pk: 'a', sk: 'b', value: '', if: 'present' }]), Conflict);
});
