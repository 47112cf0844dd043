import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditEntry as entrySchema } from '@freehold/contract/management/audit';
import { type AuditEntry, actorKinds } from '../../audit/audit-entry.ts';

/** The compiler sees to it that these are all. */
const members: Readonly<Record<keyof AuditEntry, 'needed' | 'optional'>> = {
  at: 'needed',
  actor: 'needed',
  request_id: 'needed',
  action: 'needed',
  target: 'optional',
  env: 'optional',
  tenant_code: 'optional',
  detail: 'optional',
};

const kinds: Readonly<Record<AuditEntry['actor']['kind'], true>> = {
  org_user: true,
  service_key: true,
  deploy_key: true,
  operator: true,
  app_user: true,
  automation: true,
  platform: true,
};

test('the document tells of every member and every kind of actor that an entry can have, and of no other', () => {
  const { properties, required } = entrySchema;
  assert.deepEqual(Object.keys(properties).sort(), Object.keys(members).sort());
  const needed = Object.entries(members).filter(([, need]) => need === 'needed');
  assert.deepEqual(
    required,
    needed.map(([name]) => name),
  );
  const { kind } = properties.actor.properties;
  assert.deepEqual(kind.enum, actorKinds);
  assert.deepEqual([...actorKinds].sort(), Object.keys(kinds).sort());
});
