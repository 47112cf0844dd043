import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { endToken } from '../../people/app-tokens.ts';
import { type Change, isIndexPartition } from '../../store/port.ts';
import { partitionName, signalledPartitions, signalsOf } from './signalled-keys.ts';

/** Of which nothing that a node keeps can be wrong: read for each call, or part of a commit's conditions. */
const readEachTime = new Set(
  `alert-delivery alert-percents alert-webhook app-user-identity audit automation-alert automation-secret
  automation-secret-count chain chain-verified chosen-workspace command-sign-in count decision decision-days delivery
  delivery-event delivery-state deploy-key deploy-key-count deploy-key-hash deploy-key-use deploy disabled-app-user due
  entity event-secret fence hook hook-seen idempotency identity index-progress invitation invited
  job job-live kept kept-fill lease login-token mailed-code membership node number org-admins org-invitation
  org-invitation-code org-member org-user-email outbox past person-file person-job person-job-live   removal removed-member removing run run-of run-step schedule sealed service-key-count
  service-key-hash service-key-use session suspended-account suspended-workspace template-application
  template-application-live unique unverified-email usage used-step verified-email work`.split(/\s+/),
);

/** The partitions of everything that the platform stores, as the test of stored shapes sees it written. */
function storedPartitions(): ReadonlySet<string> {
  const file = join(import.meta.dirname, '..', '..', 'testing', 'older-data', 'shapes.txt');
  const lines = readFileSync(file, 'utf8').split('\n').slice(1);
  return new Set(lines.flatMap((line) => line.split(' | ')[1] ?? []));
}

test('each stored partition says whether its writes are signalled to other nodes', () => {
  const names = [...storedPartitions()]
    .filter((pk) => !isIndexPartition(pk))
    .map((pk) => partitionName(pk))
    // Records of entities that builders define are read for each call.
    .filter((name) => !name.startsWith('data#') || signalledPartitions.has(name));
  const undeclared = new Set(names.filter((name) => signalledPartitions.has(name) === readEachTime.has(name)));
  assert.deepEqual([...undeclared], [], 'say it in signalled-keys.ts, or among those that are read each time');
  const gone = [...signalledPartitions.keys(), ...readEachTime].filter((name) => !names.includes(name));
  assert.deepEqual(gone, [], 'nothing is stored there');
});

const put = (pk: string, sk: string, more: Partial<Change> = {}) =>
  ({ kind: 'put', pk, sk, value: '{}', if: 'any', ...more }) as Change;
const remove = (pk: string, sk: string): Change => ({ kind: 'remove', pk, sk, if: 'any' });

const cases: readonly (readonly [
  what: string,
  space: 'platform' | 'test',
  scope: string,
  Change,
  expected: unknown,
])[] = [
  ['a token', 'test', 'org#acme', put('ended-token', 'j'), { owner: 'org#acme' }],
  ['an account', 'test', 'org#acme', put('app-user', 'u-1'), { kind: 'tokens', name: 'org#acme-test-u-1' }],
  ['an account that is made', 'test', 'org#acme', put('app-user', 'u-1', { if: 'absent' }), undefined],
  ['a key', 'test', 'org#acme', remove('service-key', 'k-1'), { kind: 'tokens', name: 'org#acme-test-k-1' }],
  [
    'a link',
    'test',
    'org#acme-main',
    put('org#acme-main;data#useraclpolicy', 'x', { if: 'absent' }),
    { kind: 'rights', name: 'org#acme-main' },
  ],
  ['a record', 'test', 'org#acme-main', put('org#acme-main;data#order', 'x'), undefined],
  ['a workspace’s head', 'test', 'org#acme-main', put('workspace', 'head'), { kind: 'rights', name: 'org#acme-main' }],
  ['a workspace’s row', 'test', 'org#acme', put('workspace', 'main'), { kind: 'config', name: 'org#acme' }],
  ['a configuration', 'test', 'org#acme', put('config', 'head'), { kind: 'config', name: 'org#acme' }],
  ['a part of one', 'test', 'org#acme', put('config', 'references'), undefined],
  ['a plan', 'platform', 'platform', put('plan', 'acme'), { kind: 'plan', name: 'org#acme' }],
  ['keys that sign', 'platform', 'platform', put('platform', 'secrets'), { kind: 'keys', name: 'keys' }],
  ['the issuer', 'platform', 'platform', put('platform', 'issuer'), undefined],
  [
    'a builder’s session',
    'platform',
    'platform',
    remove('org-user-session;b-1', 's'),
    { kind: 'sessions', name: 'builder-b-1' },
  ],
  ['its use', 'platform', 'platform', put('org-user-session;b-1', 's'), undefined],
  ['a role', 'platform', 'platform', put('org-membership;b-1', 'acme'), { kind: 'sessions', name: 'builder-b-1' }],
  ['an org', 'platform', 'platform', put('org', 'acme'), { owner: 'org#acme' }],
  ['a condition', 'test', 'org#acme', { kind: 'check', pk: 'app-user', sk: 'u-1', if: 'present' }, undefined],
];

for (const [what, space, scope, change, expected] of cases)
  test(`${what} is signalled as ${JSON.stringify(expected) ?? 'nothing'}`, () => {
    assert.deepEqual(signalsOf({ space, scope }, [change]), expected === undefined ? [] : [expected]);
  });

test('the end of a token is signalled as of its person', () => {
  const claims = { jti: 'j', sub: 'u-1', exp: 1 } as Parameters<typeof endToken>[0];
  const signals = signalsOf({ space: 'prod', scope: 'org#acme' }, endToken(claims));
  assert.deepEqual(signals, [{ kind: 'tokens', name: 'org#acme-prod-u-1' }]);
});
