/** The check that other tests hold signatures to: by the example that the libraries of the specification are tested by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signMessage, verifyMessage } from './standard-webhook.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';

test('a message is signed as the libraries of Standard Webhooks sign it', () => {
  assert.deepEqual(signMessage(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', body, new Date(1_614_265_330_000)), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a message is verified by one of its signatures, and refused where anything of it is another', () => {
  const headers = signMessage(secret, 'one', body);
  verifyMessage(secret, { headers, body });
  const signature = headers['webhook-signature'];
  verifyMessage(secret, { headers: { ...headers, 'webhook-signature': `v1,x v1a,y ${signature}` }, body });
  assert.throws(() => verifyMessage(secret, { headers, body: `${body} ` }), /no signature/);
  assert.throws(() => verifyMessage('whsec_b3RoZXI=', { headers, body }), /no signature/);
  for (const [name, value, reported] of [
    ['webhook-id', 'two', /no signature/],
    ['webhook-id', '', /no webhook-id/],
    ['webhook-timestamp', String(Number(headers['webhook-timestamp']) - 1), /no signature/],
    ['webhook-timestamp', 'soon', /another time/],
    ['webhook-signature', signature.replace('v1,', 'v2,'), /no signature/],
    ['webhook-signature', undefined, /no webhook-signature/],
  ] as const)
    assert.throws(() => verifyMessage(secret, { headers: { ...headers, [name]: value }, body }), reported, name);
  for (const minutes of [-6, 6]) {
    const early = signMessage(secret, 'one', body, new Date(Date.now() + minutes * 60_000));
    assert.throws(() => verifyMessage(secret, { headers: early, body }), /another time/);
  }
});
