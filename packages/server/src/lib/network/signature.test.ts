import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretText, signedHeaders } from './signature.ts';

test('a message is signed as the published example of Standard Webhooks is', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
  assert.deepEqual(signedHeaders([key], message, 1_614_265_330_999), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  assert.equal(secretText(key), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
});
