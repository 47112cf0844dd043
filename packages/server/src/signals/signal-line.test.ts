import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SignalChannel, SignalEars } from '../store/port.ts';
import { SignalLine } from './signal-line.ts';
import { type SignalKind, signalBytesMax } from './signal-set.ts';

/** Nodes on one channel, whose time the test moves. */
function channelOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let now = 0;
  const ears = new Set<SignalEars>();
  const sent: string[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const say = (text: string) => {
    sent.push(text);
    for (const one of ears) one.heard(text);
  };
  const node = async (id: string) => {
    const dropped: string[] = [];
    const errors: unknown[] = [];
    const gates = { refuses: false, swallows: false, mute: false };
    let own: SignalEars | undefined;
    const cacheOf = (kind: string) => ({
      bump: (name: string) => void dropped.push(`${kind} ${name}`),
      bumpOwner: (owner: string) => void dropped.push(`owner ${owner}`),
      bumpAll: () => void dropped.push('all'),
    });
    const one = cacheOf('');
    const kinds: readonly SignalKind[] = ['tokens', 'sessions', 'rights', 'config', 'plan', 'keys'];
    const open = async (mine: SignalEars): Promise<SignalChannel> => {
      if (gates.refuses) throw new Error('no server');
      const heard: SignalEars = { heard: (text) => gates.mute || mine.heard(text), lost: mine.lost };
      own = heard;
      ears.add(heard);
      return {
        send: async (text) => {
          if (gates.refuses) throw new Error('lost');
          if (!gates.swallows) say(text);
        },
        close: async () => void ears.delete(heard),
      };
    };
    const caches = Object.fromEntries(kinds.map((kind) => [kind, [kind === 'tokens' ? cacheOf('tokens') : one]]));
    const line = new SignalLine({
      node: id,
      caches: caches as never,
      now: () => now,
      open,
      onError: (e) => errors.push(e),
    });
    await line.begin();
    await settle();
    /** The names dropped since the last call; of all caches once is once. */
    const taken = () => [...new Set(dropped.splice(0))];
    taken();
    return { line, taken, errors, gates, cut: () => own?.lost() };
  };
  const pass = async (milliseconds: number) => {
    for (let left = milliseconds; left > 0; left -= 10) {
      now += 10;
      t.mock.timers.tick(10);
      await settle();
    }
  };
  return { node, pass, say, sent };
}

const token = { kind: 'tokens', name: 'org#acme-test-u' } as const;

test('a signal is dropped here at once and on other nodes without a beat of waiting, and by its name alone', async (t) => {
  const { node, pass } = channelOf(t);
  const [one, other] = [await node('one'), await node('other')];
  await pass(1000);
  one.taken();
  other.taken();
  one.line.raise(token);
  assert.deepEqual(one.taken(), ['tokens org#acme-test-u']);
  await pass(20);
  assert.deepEqual([one.taken(), other.taken()], [[], ['tokens org#acme-test-u']]);
});

test('signals in 20 ms are one message, and too many of them become those of their org, and then all', async (t) => {
  const { node, pass, sent } = channelOf(t);
  const [one, other] = [await node('one'), await node('other')];
  await pass(1000);
  const before = sent.length;
  const signalled = async (count: number, orgs: number) => {
    other.taken();
    for (let index = 0; index < count; index++)
      one.line.raise({ kind: 'tokens', name: `org#o${index % orgs}-test-${index}-0123456789-0123456789` });
    await pass(20);
    return other.taken();
  };
  assert.equal((await signalled(100, 1)).length, 100);
  assert.deepEqual(await signalled(10_000, 1), ['owner org#o0']);
  assert.equal((await signalled(400, 20)).length, 20);
  assert.deepEqual(await signalled(10_000, 10_000), ['all']);
  const ofOne = sent.slice(before).filter((text) => text.includes('"from":"one"'));
  assert.equal(ofOne.length, 4);
  assert.ok(sent.every((text) => Buffer.byteLength(text) <= signalBytesMax));
});

test('a message out of its number, or of a form that this release does not know, drops all', async (t) => {
  const { node, pass, say } = channelOf(t);
  const one = await node('one');
  const describe = (more: object) => {
    say(JSON.stringify({ from: 'x', ...more }));
    return one.taken();
  };
  assert.deepEqual(describe({ number: 1 }), []);
  assert.deepEqual(describe({ number: 2, names: { tokens: ['a-b'] } }), ['tokens a-b']);
  assert.deepEqual(describe({ number: 4 }), ['all'], 'one is missing');
  assert.deepEqual(describe({ number: 4 }), ['all'], 'one came twice');
  assert.deepEqual(describe({ number: 5, owners: ['org#a'] }), ['owner org#a']);
  assert.deepEqual(describe({ number: 6, names: { later: ['a'] } }), ['all'], 'a kind of a later release');
  assert.deepEqual(describe({ number: 6, what: 1 }), ['all']);
  say('no JSON');
  assert.deepEqual(one.taken(), ['all']);
  await pass(10);
});

test('a node that goes silent has all dropped once, a node that signs off has nothing dropped', async (t) => {
  const { node, pass } = channelOf(t);
  const [one, other, third] = [await node('one'), await node('other'), await node('third')];
  await pass(2000);
  one.taken();
  other.gates.swallows = true;
  await third.line.close();
  await pass(2500);
  assert.deepEqual(one.taken(), []);
  await pass(1500);
  assert.deepEqual(one.taken(), ['all']);
  await pass(10_000);
  assert.deepEqual(one.taken(), []);
});

test('what could not be sent is sent when the channel is back, and a node that opens it again drops all', async (t) => {
  const { node, pass } = channelOf(t);
  const [one, other] = [await node('one'), await node('other')];
  await pass(1000);
  one.gates.refuses = true;
  one.cut();
  one.line.raise(token);
  await pass(1000);
  assert.equal(one.line.isHeard, false);
  assert.equal(one.errors.length, 1, 'said once');
  other.taken();
  one.taken();
  one.gates.refuses = false;
  await pass(1000);
  assert.deepEqual(one.taken(), ['all']);
  assert.deepEqual(other.taken(), ['tokens org#acme-test-u'], 'nothing is missing');
  await pass(1000);
  assert.equal(one.line.isHeard, true);
});

test('a node that does not hear its own beat says so, and opens the channel again and again', async (t) => {
  const { node, pass } = channelOf(t);
  const one = await node('one');
  await pass(1000);
  assert.equal(one.line.isHeard, true);
  one.gates.mute = true;
  one.taken();
  await pass(3000);
  assert.equal(one.line.isHeard, false);
  await pass(3000);
  assert.deepEqual(one.taken(), ['all'], 'it was opened again');
  one.gates.mute = false;
  await pass(2000);
  assert.equal(one.line.isHeard, true);
});
