import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { beginTrace } from './call-trace.ts';
import { createRateLimits } from './rate-limits.ts';

class Clock {
  time = 1_000_000;

  now(): number {
    return this.time;
  }
}

function traceOf(org: string, principal: string, env: 'test' | 'prod' = 'test') {
  return Object.assign(beginTrace('r', { method: 'GET', traceparent: undefined }), { org, env, principal });
}

function isLimited(take: () => void): boolean {
  try {
    take();
    return false;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'rate_limited');
    return true;
  }
}

const perMinute = (calls: number) => ({ calls, seconds: 60 });

test('so many calls of a principal are taken in a window, and as many in the next one', () => {
  const clock = new Clock();
  const limits = createRateLimits({ principal: perMinute(3), org: undefined }, clock);
  const trace = traceOf('acme', 'ann');
  const left: unknown[] = [];
  for (let call = 0; call < 3; call++) {
    limits.take(trace);
    left.push(trace.replyHeaders?.RateLimit);
  }
  assert.deepEqual(left, ['"principal";r=2;t=60', '"principal";r=1;t=60', '"principal";r=0;t=60']);
  assert.equal(trace.replyHeaders?.['RateLimit-Policy'], '"principal";q=3;w=60');
  clock.time += 59_001;
  assert.throws(
    () => limits.take(trace),
    (error) => error instanceof Problem && error.details.retry_after_seconds === 1,
  );
  assert.equal(trace.replyHeaders?.RateLimit, '"principal";r=0;t=1');
  clock.time += 999;
  limits.take(trace);
  assert.equal(trace.replyHeaders?.RateLimit, '"principal";r=2;t=60');
});

test('a principal is one of an org and of an environment, and none takes from another', () => {
  const limits = createRateLimits({ principal: perMinute(1), org: undefined }, new Clock());
  const traces = [
    traceOf('acme', 'ann'),
    traceOf('acme', 'bob'),
    traceOf('other', 'ann'),
    traceOf('acme', 'ann', 'prod'),
  ];
  assert.deepEqual(
    [...traces, ...traces].map((trace) => isLimited(() => limits.take(trace))),
    [false, false, false, false, true, true, true, true],
  );
});

test('a builder who acts for a person uses up none of the person’s calls, nor another builder’s', () => {
  const limits = createRateLimits({ principal: perMinute(1), org: undefined }, new Clock());
  const traces = ['bea', 'bob', undefined].map((builder) => ({ ...traceOf('acme', 'ann', 'prod'), builder }));
  assert.deepEqual(
    [...traces, ...traces].map((trace) => isLimited(() => limits.take(trace))),
    [false, false, false, true, true, true],
  );
});

test('an org has a limit of its own, to which what is refused by the other does not count', () => {
  const limits = createRateLimits({ principal: perMinute(2), org: perMinute(3) }, new Clock());
  const [ann, bob] = [traceOf('acme', 'ann'), traceOf('acme', 'bob')];
  const refused = [ann, ann, ann, ann, bob, bob].map((trace) => isLimited(() => limits.take(trace)));
  assert.deepEqual(refused, [false, false, true, true, false, true]);
  assert.equal(bob.replyHeaders?.RateLimit, '"principal";r=1;t=60, "org";r=0;t=60');
  assert.equal(
    isLimited(() => limits.take(traceOf('other', 'ann'))),
    false,
  );
});

test('a clock that is set back holds no caller for longer than a window', () => {
  const clock = new Clock();
  const limits = createRateLimits({ principal: perMinute(1), org: undefined }, clock);
  const trace = traceOf('acme', 'ann');
  limits.take(trace);
  clock.time -= 500_000;
  limits.take(trace);
  assert.equal(trace.replyHeaders?.RateLimit, '"principal";r=0;t=60');
});

test('without a limit nothing is counted and no header is sent', () => {
  const limits = createRateLimits({ principal: undefined, org: undefined }, new Clock());
  const trace = traceOf('acme', 'ann');
  limits.take(trace);
  assert.equal(trace.replyHeaders, undefined);
});
