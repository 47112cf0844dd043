import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentedManagement } from './documented-gateway.ts';
import { assertForOperatorAlone, shown } from './operator.ts';
import { act, foundedOrg } from './org.ts';
import { operatorKey, withOperator } from './plans.ts';
import { commandToEnd, whyNoDataDir } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';

interface Finding {
  readonly kind: string;
  readonly says: string;
}

interface Diagnosis {
  readonly at: string;
  readonly complete: boolean;
  readonly faults: number;
  readonly items: readonly Finding[];
}

const embedded = { FREEHOLD_STORE: 'sqlite:', ...withOperator.env };

/** The figures that change from one reading to the next. */
function withoutNumbers({ kind, says }: Finding): string {
  return `${kind} ${says.replaceAll(/\d+/g, '0')}`;
}

test('the doctor finds beside the platform what the command finds', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await platformOf(t, { env: embedded });
  const { founder } = await foundedOrg(platform);
  const { dataDir } = platform;
  const diagnosis = await shown<Diagnosis>(platform, '/doctor');
  assert.deepEqual([diagnosis.complete, diagnosis.faults], [true, 0], JSON.stringify(diagnosis.items));
  assert.deepEqual(await shown<Diagnosis>(platform, '/doctor'), diagnosis, 'the result is kept');
  const command = await commandToEnd(['doctor', '--running', '--json'], { dataDir, env: embedded });
  assert.deepEqual([command.code, command.stderr], [0, '']);
  const lines = command.stdout.trim().split('\n');
  assert.deepEqual(
    diagnosis.items.map(withoutNumbers),
    lines.map((line) => withoutNumbers(JSON.parse(line) as Finding)),
  );
  const warnings = diagnosis.items.map(({ says }) => says).join('\n');
  assert.match(warnings, /the secrets can be read/);
  assert.doesNotMatch(warnings, /port \d+|end it before another one/);
  const plain = await commandToEnd(['doctor'], { dataDir, env: embedded });
  assert.match(plain.stdout, /end it before another one is started on it/);
  // The platform has its files and its locks as before.
  assert.equal((await act(founder, 'GET', '/user/me')).status, 200);
  assert.equal((await act(founder, 'POST', '/create/group', { body: { name: 'g', acl_policies: [] } })).status, 201);
  const second = await commandToEnd(['start'], { dataDir, env: embedded });
  assert.notEqual(second.code, 0);
  assert.match(second.stderr + second.stdout, /open|process|platform/);
});

test('a fault is told with what to do about it', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t, { env: embedded });
  chmodSync(join(platform.dataDir, 'secrets.json'), 0o644);
  const { complete, faults, items } = await shown<Diagnosis>(platform, '/doctor');
  assert.deepEqual([complete, faults], [true, 1]);
  const [fault] = items.filter(({ kind }) => kind === 'fault');
  assert.match(fault?.says ?? '', /secrets\.json` can be read by others: `chmod 600` closes it/);
});

const gateways = await platformOfFile(withOperator);

test('the doctor of the platform is for the operator alone, and tells no secret', async () => {
  const founded = await foundedOrg(gateways);
  await assertForOperatorAlone('/doctor', founded);
  const { items, at } = await shown<Diagnosis>(gateways, '/doctor');
  assert.ok(items.length > 0 && Date.parse(at) <= Date.now());
  for (const { says } of items)
    for (const secret of [operatorKey, founded.org.builder.email]) assert.ok(!says.includes(secret), says);
  const management = await documentedManagement(founded.org);
  await management.send('readDiagnosis', { token: operatorKey });
  assert.ok(management.hasMet('readDiagnosis', 200));
});
