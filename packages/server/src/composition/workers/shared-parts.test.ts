import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionCounts } from '../../gateway/listener.ts';
import { connectionServices, countedParts } from './shared-parts.ts';

type Call = (...args: readonly unknown[]) => unknown;

test('what arrives from a worker that has ended changes no count of the others', () => {
  const all = new Map<string, ConnectionCounts>();
  const workerOf = () => {
    const { services, releaseAll } = connectionServices(all);
    const { take, release } = services.connections as Record<'take' | 'release', Call>;
    return { take: () => take('app', '::1', 2), release: () => release('app', '::1'), releaseAll };
  };
  const [ended, other] = [workerOf(), workerOf()];
  assert.deepEqual([ended.take(), other.take(), other.take()], [true, true, false]);
  ended.releaseAll();
  ended.release();
  assert.deepEqual([ended.take(), other.take(), other.take()], [false, true, false]);
});

test('of a denial no more passes to the main thread than it keeps', () => {
  const sent: unknown[] = [];
  const { decisions } = countedParts({ call: (...args) => sent.push(args) }, { principal: undefined, org: undefined });
  const long = ['x'.repeat(100_000)];
  const matched = Array.from({ length: 100 }, (_, index) => ({ index, conditions: [{ values: long }] }));
  const near = matched.map((statement) => ({ ...statement, failed_condition: { actual: long } }));
  decisions.add('acme', { explanation: { matched, near } } as unknown as Parameters<typeof decisions.add>[1]);
  const { length } = JSON.stringify(sent);
  assert.ok(length > 1000 && length < 10_000, `${length} characters`);
});
