import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStepTokens, stepMilliseconds } from './step-tokens.ts';

const claims = { purpose: 'sign-in', user: 'u', epoch: 3, org: undefined, invitation: undefined } as const;

test('a token says what it was made for, to the last moment of its 5 minutes', () => {
  let now = 1_800_000_000_000;
  const steps = createStepTokens(Buffer.alloc(32, 1), { now: () => now });
  const { token, nonce } = steps.make(claims);
  const opened = steps.open(token);
  assert.deepEqual([opened?.claims, opened?.nonce], [{ purpose: 'sign-in', user: 'u', epoch: 3 }, nonce]);
  now += stepMilliseconds - 1;
  assert.ok(steps.open(token) !== undefined);
  now += 1;
  assert.equal(steps.open(token), undefined);
});

test('a token of another key, or a changed token, is none', () => {
  const clock = { now: () => 1_800_000_000_000 };
  const steps = createStepTokens(Buffer.alloc(32, 1), clock);
  const { token } = steps.make(claims);
  assert.equal(createStepTokens(Buffer.alloc(32, 2), clock).open(token), undefined);
  const [payload = '', mac = ''] = token.split('.');
  for (let at = 0; at < token.length; at += 7) {
    const other = token.at(at) === 'A' ? 'B' : 'A';
    assert.equal(steps.open(`${token.slice(0, at)}${other}${token.slice(at + 1)}`), undefined, String(at));
  }
  for (const wrong of ['', '.', payload, `${payload}.`, `.${mac}`, `${token}.`, `${token}A`])
    assert.equal(steps.open(wrong), undefined, wrong);
});
