import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { BlockHook } from '../kinds/logicblock-starts.ts';
import { type HookMessage, judgeMessage, keyOf, namedByBody, type VerifiedMessageIds } from './verify.ts';

const now = 1_800_000_000_000;
const seconds = String(now / 1000);
const secret = `whsec_${Buffer.from('the key of the first secret').toString('base64')}`;
const other = `whsec_${Buffer.from('the key of another secret').toString('base64')}`;
const keys = [secret, 'some text that is a key'].map((text) => keyOf(text, { signature: 'standard' }) ?? assert.fail());
const body = '{"b": 1,  "a": "ä"}';

type Headers = Readonly<Record<string, string>>;

function message(headers: Headers, text: string | Buffer = body): HookMessage {
  return { header: (name) => headers[name], body: Buffer.from(text) };
}

function verify(...given: Parameters<typeof judgeMessage>): VerifiedMessageIds | undefined {
  const judged = judgeMessage(...given);
  return typeof judged === 'string' ? undefined : judged;
}

const standard: BlockHook = { signature: 'standard', secrets: ['a', 'b'] };

function signed({ id = 'msg_1', at = now, by = secret, text = body } = {}): Headers {
  const key = Buffer.from(by.slice('whsec_'.length), 'base64');
  const signature = `v1,${hmac(`${id}.${at / 1000}.${text}`, 'base64', key)}`;
  return { 'webhook-id': id, 'webhook-timestamp': String(at / 1000), 'webhook-signature': signature };
}

function isVerified(headers: Headers, text: string | Buffer = body, hook = standard): boolean {
  return verify(hook, keys, message(headers, text), now) !== undefined;
}

test('K02 a message is that of its sender by the signature of Standard Webhooks over its bytes, and by nothing less', () => {
  assert.deepEqual(verify(standard, keys, message(signed()), now), { ids: ['msg_1'], id: 'msg_1', isTimed: true });
  const headers = signed();
  const signature = headers['webhook-signature'] ?? '';
  const wrong: readonly (readonly [what: string, headers: Headers, text?: string | Buffer])[] = [
    ['none', {}],
    ['no signature', { ...headers, 'webhook-signature': '' }],
    ['an empty one', { ...headers, 'webhook-signature': 'v1,' }],
    ['another one', { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }],
    ['another version', { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }],
    ['half of it', { ...headers, 'webhook-signature': signature.slice(0, -2) }],
    ['that of another body', signed({ text: '{}' })],
    ['that of another secret', signed({ by: other })],
    ['another id', { ...headers, 'webhook-id': 'msg_2' }],
    ['no id', { ...headers, 'webhook-id': '' }],
    ['another time', { ...headers, 'webhook-timestamp': String(now / 1000 + 1) }],
    ['six minutes ago', signed({ at: now - 360_000 })],
    ['in six minutes', signed({ at: now + 360_000 })],
    ['other spaces', headers, '{"b":1,"a":"ä"}'],
    ['another order', headers, '{"a": "ä",  "b": 1}'],
    ['another spelling', headers, '{"b": 1,  "a": "\\u00e4"}'],
    ['a byte order mark', headers, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)])],
    ['an eleventh signature', { ...headers, 'webhook-signature': `${'v1,x '.repeat(10)}${signature}` }],
  ];
  for (const [what, given, text] of wrong) assert.equal(isVerified(given, text), false, what);
  assert.ok(isVerified({ ...headers, 'webhook-signature': `v1,x v1a,y ${signature}` }));
  assert.ok(isVerified(signed({ at: now - 299_000 })));
  // An id or a time that its sender has signed, and that is none.
  for (const id of ['', 'two words', 'x'.repeat(257)]) assert.equal(isVerified(signed({ id })), false, id);
});

test('K02 the message by which the libraries of Standard Webhooks are tested is verified', () => {
  const key = keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', standard) ?? assert.fail();
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const judge = (text: string) => verify(standard, [key], message(headers, text), 1_614_265_330_000);
  assert.equal(judge('{"test": 2432232314}')?.id, headers['webhook-id']);
  assert.equal(judge('{"test":2432232314}'), undefined);
});

test('K02 either of two secrets is enough, the old one and the new one', () => {
  const [first, second] = keys;
  const headers = signed();
  for (const order of [[first, second], [second, first], [first]] as const)
    assert.ok(
      verify(
        standard,
        order.map((key) => key ?? assert.fail()),
        message(headers),
        now,
      ),
    );
  assert.equal(verify(standard, [second ?? assert.fail()], message(headers), now), undefined);
});

function hmac(text: string, encoding: 'hex' | 'base64' = 'hex', key = keys[1] ?? assert.fail()): string {
  return createHmac('sha256', key).update(text).digest(encoding);
}

const plain: BlockHook = { signature: 'hmac', secrets: ['a'], header: 'X-Signature' };

test('K02 a message is signed by HMAC over its body, in the form that the hook has', () => {
  assert.ok(isVerified({ 'x-signature': hmac(body) }, body, plain));
  assert.ok(isVerified({ 'x-signature': hmac(body).toUpperCase() }, body, plain));
  const prefixed = { ...plain, prefix: 'sha256=' };
  assert.ok(isVerified({ 'x-signature': `sha256=${hmac(body)}` }, body, prefixed));
  const base64 = { ...plain, encoding: 'base64' } as const;
  assert.ok(isVerified({ 'x-signature': hmac(body, 'base64') }, body, base64));
  const wrong: readonly (readonly [string, Headers, BlockHook, string?])[] = [
    ['none', {}, plain],
    ['an empty one', { 'x-signature': '' }, plain],
    ['no prefix', { 'x-signature': hmac(body) }, prefixed],
    ['the prefix alone', { 'x-signature': 'sha256=' }, prefixed],
    ['another encoding', { 'x-signature': hmac(body, 'base64') }, plain],
    ['another body', { 'x-signature': hmac(body) }, plain, `${body} `],
    ['another key', { 'x-signature': hmac(body, 'hex', Buffer.alloc(32)) }, plain],
    ['the case of base64', { 'x-signature': hmac(body, 'base64').toLowerCase() }, base64],
  ];
  for (const [what, given, hook, text = body] of wrong) assert.equal(isVerified(given, text, hook), false, what);
});

test('the first thing that is wrong with a message is named', () => {
  const faultOf = (headers: Headers, hook: BlockHook = standard) => judgeMessage(hook, keys, message(headers), now);
  assert.equal(faultOf({}), 'signature_missing');
  assert.equal(faultOf(signed({ by: other })), 'signature_wrong');
  assert.equal(faultOf(signed({ at: now - 360_000 })), 'time_off');
  assert.equal(faultOf(signed({ id: 'two words' })), 'id_missing');
  assert.equal(faultOf({ 'x-signature': '' }, plain), 'signature_missing');
  assert.equal(faultOf({ 'x-signature': 'ab' }, plain), 'signature_wrong');
  assert.equal(faultOf({ 'x-signature': hmac(body) }, { ...plain, id_header: 'X-Id' }), 'id_missing');
});

test('K02 a time that is signed has a window, and an id that is not signed does not make a message new', () => {
  const timed: BlockHook = { ...plain, timestamp_header: 'X-Time' };
  const at = (time: string): Headers => ({ 'x-signature': hmac(`${time}.${body}`), 'x-time': time });
  assert.equal(verify(timed, keys, message(at(seconds)), now)?.isTimed, true);
  for (const time of [String(now / 1000 - 360), String(now / 1000 + 360), '', 'now', `${seconds}.0`, ` ${seconds}`])
    assert.equal(isVerified(at(time), body, timed), false, time);
  assert.equal(isVerified({ 'x-signature': hmac(body) }, body, timed), false);
  assert.equal(isVerified({ ...at(seconds), 'x-time': String(now / 1000 + 1) }, body, timed), false);
  const named: BlockHook = { ...plain, id_header: 'X-Id' };
  const idsOf = (id: string) =>
    verify(named, keys, message({ 'x-signature': hmac(body), 'x-id': id }), now)?.ids ?? assert.fail(id);
  assert.equal(idsOf('one').length, 2);
  assert.equal(idsOf('one').filter((id) => idsOf('two').includes(id)).length, 1);
  assert.equal(isVerified({ 'x-signature': hmac(body) }, body, named), false);
});

test('a secret that could be guessed is no key', () => {
  for (const short of ['', 'fifteen letters', 'whsec_', `whsec_${Buffer.alloc(15).toString('base64')}`])
    assert.equal(keyOf(short, standard), undefined, short);
  assert.equal(keyOf('sixteen letters.', standard)?.toString(), 'sixteen letters.');
});

test('a secret of Stripe is a key as it is shown, though it begins as one of Standard Webhooks', () => {
  const shown = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';
  assert.equal(keyOf(shown, { signature: 'stripe' })?.toString(), shown);
  assert.equal(keyOf('whsec_short', { signature: 'stripe' }), undefined);
  assert.equal(keyOf(shown, { signature: 'hmac' })?.toString('base64'), shown.slice('whsec_'.length));
});

const stripe: BlockHook = { signature: 'stripe', secrets: ['a'] };

test('K02 a message is signed as Stripe does, by any of the signatures of its version', () => {
  const at = (time: string, entries: readonly string[]): Headers => ({
    'stripe-signature': [`t=${time}`, ...entries].join(','),
  });
  const v1 = `v1=${hmac(`${seconds}.${body}`)}`;
  assert.equal(verify(stripe, keys, message(at(seconds, [v1])), now)?.isTimed, true);
  assert.ok(isVerified(at(seconds, ['v1=00', v1, 'v0=11']), body, stripe));
  assert.ok(isVerified({ 'stripe-signature': `${v1}, t=${seconds}` }, body, stripe), 'in any order');
  const late = String(now / 1000 - 301);
  const wrong: readonly (readonly [what: string, headers: Headers, text?: string])[] = [
    ['none', {}],
    ['no signature', at(seconds, [])],
    ['an empty one', at(seconds, ['v1='])],
    ['another version', at(seconds, [v1.replace('v1', 'v0')])],
    ['a bare one', { 'stripe-signature': v1.slice(3) }],
    ['no time', { 'stripe-signature': v1 }],
    ['another time', at(String(now / 1000 - 1), [v1])],
    ['a second time, which is not signed', { 'stripe-signature': `t=${now / 1000 - 1},t=${seconds},${v1}` }],
    ['a time of six minutes ago', at(late, [`v1=${hmac(`${late}.${body}`)}`])],
    ['the body alone', at(seconds, [`v1=${hmac(body)}`])],
    ['another body', at(seconds, [v1]), `${body} `],
    ['an eleventh entry', at(seconds, [...Array.from({ length: 9 }, () => 'v1=0'), v1])],
  ];
  for (const [what, headers, text = body] of wrong) assert.equal(isVerified(headers, text, stripe), false, what);
  const form = { header: 'Stripe-Signature', signature_key: 'v1', timestamp_key: 't' } as const;
  assert.ok(isVerified(at(seconds, [v1]), body, { signature: 'hmac', secrets: ['a'], ...form }));
});

test('K02 the message of the documentation of Slack is verified, and no other', () => {
  const hook: BlockHook = { signature: 'slack', secrets: ['a'] };
  const key = keyOf('8f742231b10e8888abcd99yyyzzz85a5', hook) ?? assert.fail();
  const text =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const time = '1531420618';
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
  const judge = (headers: Headers, sent = text) =>
    verify(hook, [key], message(headers, sent), Number(time) * 1000) !== undefined;
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': signature };
  assert.ok(judge(headers));
  assert.equal(judge(headers, `${text}&x=1`), false);
  assert.equal(judge({ ...headers, 'x-slack-request-timestamp': '1531420619' }), false);
  assert.equal(judge({ ...headers, 'x-slack-signature': signature.slice(3) }), false);
  assert.equal(judge({ 'x-slack-signature': signature }), false);
});

test('K02 the tolerance of a time is that of the hook, of each kind', () => {
  const before = (ms: number) => signed({ at: now - ms });
  assert.equal(isVerified(before(61_000), body, { ...standard, tolerance_seconds: 60 }), false);
  assert.ok(isVerified(before(59_000), body, { ...standard, tolerance_seconds: 60 }));
  assert.ok(isVerified(before(3_000_000), body, { ...standard, tolerance_seconds: 3600 }));
  const time = String(now / 1000 - 400);
  const headers = { 'stripe-signature': `t=${time},v1=${hmac(`${time}.${body}`)}` };
  assert.equal(isVerified(headers, body, stripe), false);
  assert.ok(isVerified(headers, body, { ...stripe, tolerance_seconds: 600 }));
});

test('a message is known by the id in its body, which is signed, and else by what was signed', () => {
  const headers = { 'stripe-signature': `t=${seconds},v1=${hmac(`${seconds}.${body}`)}` };
  const verified = verify(stripe, keys, message(headers), now) ?? assert.fail();
  const named = namedByBody(verified, { id: 'evt_1', type: 'paid' });
  assert.deepEqual([named.ids, named.id], [['field evt_1'], 'evt_1']);
  for (const other of [
    {},
    { id: 7 },
    { id: '' },
    { id: 'two words' },
    [],
    null,
    'evt_1',
    Object.create({ id: 'evt_1' }),
  ])
    assert.deepEqual(namedByBody(verified, other), verified);
  const plainly = verify(plain, keys, message({ 'x-signature': hmac(body) }), now) ?? assert.fail();
  assert.deepEqual(namedByBody(plainly, { id: 'evt_1' }), plainly, 'where the hook names no member');
});
