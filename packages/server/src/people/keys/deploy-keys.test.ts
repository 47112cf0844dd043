import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestamp } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { openForTest, storeKinds } from '../../store/testing/open-test-store.ts';
import { outcomeOf, SteppedClock } from '../../testing/record-bench.ts';
import { orgs } from '../org-users/org-directory.ts';
import { createDeployKeys, type DeployKeys } from './deploy-keys.ts';

const command = {
  orgCode: 'acme',
  auditContext: { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' },
} as const;
const body = { name: 'ci', scope: 'publish' } as const;

for (const kind of storeKinds) {
  test(`a key ends at its time, and stays in the list (${kind})`, async (context) => {
    const { keys, clock } = await opened(context, kind);
    const expires_at = timestamp(clock.now() + 60_000);
    const { key, id } = await keys.create(command, { ...body, expires_at });
    clock.advance(59_999);
    assert.equal((await keys.authenticate(key))?.id, id);
    clock.advance(1);
    assert.equal(await keys.authenticate(key), undefined);
    assert.deepEqual(
      (await keys.list('acme')).map((one) => [one.id, one.expires_at]),
      [[id, expires_at]],
    );
    await keys.remove(command, id);
    assert.deepEqual(await keys.list('acme'), []);
  });

  test(`of many who make the last key that an org may have one makes it (${kind})`, async (context) => {
    const { keys } = await opened(context, kind);
    const make = async (many: number): Promise<readonly string[]> =>
      (await Promise.all(Array.from({ length: many }, () => outcomeOf(keys.create(command, body))))).sort();
    assert.deepEqual(new Set(await make(49)), new Set(['done']));
    assert.deepEqual(await make(8), [...Array<string>(7).fill('conflict'), 'done']);
    const [first] = await keys.list('acme');
    const removals = Array.from({ length: 4 }, () => outcomeOf(keys.remove(command, first?.id ?? '')));
    assert.deepEqual((await Promise.all(removals)).sort(), ['done', 'not_found', 'not_found', 'not_found']);
    assert.deepEqual(await make(2), ['conflict', 'done']);
  });
}

test('a key is removed by its own org alone, and by no nonsense', async (context) => {
  const { keys } = await opened(context, 'memory');
  const { id, key } = await keys.create(command, body);
  for (const [orgCode, one] of [
    ['other', id],
    ['acme', ''],
    ['acme', 'nonsense'],
    ['acme;x', id],
  ] as const)
    await assert.rejects(
      keys.remove({ ...command, orgCode }, one),
      (error) => error instanceof Problem && error.code === 'not_found',
    );
  assert.equal((await keys.authenticate(key))?.org.code, 'acme');
});

async function opened(
  context: Parameters<typeof openForTest>[0],
  kind: Parameters<typeof openForTest>[1],
): Promise<{ readonly keys: DeployKeys; readonly clock: SteppedClock }> {
  const clock = new SteppedClock();
  const platform = (await openForTest(context, kind, clock)).store.scope('platform');
  await platform.commit([{ kind: 'put', ...orgs.key('acme'), value: JSON.stringify({ code: 'acme' }), if: 'absent' }]);
  return { keys: createDeployKeys({ platform, clock, newId: uuidv7Source(clock) }), clock };
}
