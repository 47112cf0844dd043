/** The largest of what the operator may ask. */
import assert from 'node:assert/strict';
import { ask } from '../send.ts';
import { random, type Stage } from '../stage.ts';
import type { Rows } from '../worst-case.ts';
import { one, plain, small } from './row-kinds.ts';

export const operatorRows: Rows = {
  'GET /metrics': plain('/metrics', 'operator'),
  'GET /platform/audit': small('/platform/audit', 'operator'),
  'GET /platform/doctor': plain('/platform/doctor', 'operator'),
  'GET /platform/errors': small(`/platform/errors?pagesize=100&request_id=${'a'.repeat(128)}`, 'operator'),
  'GET /platform/health': plain('/platform/health', 'operator'),
  'GET /platform/backups': small('/platform/backups?pagesize=200', 'operator'),
  'POST /platform/backups': plain('/platform/backups', 'operator'),
  'GET /platform/backups/:name': one('/platform/backups/none.backup', 'operator'),
  'POST /platform/backups/:name/test': one('/platform/backups/none.backup/test', 'operator'),
  'DELETE /platform/backups/:name': one('/platform/backups/none.backup', 'operator'),
  'GET /platform/keys': plain('/platform/keys', 'operator'),
  'POST /platform/accounts/reset-factors': small('/platform/accounts/reset-factors', 'operator'),
  'POST /platform/keys/rotate': plain('/platform/keys/rotate', 'operator'),
  'DELETE /platform/keys/:kid': one('/platform/keys/none', 'operator'),
  'GET /platform/orgs': {
    as: 'operator',
    target: () => '/platform/orgs?pagesize=50&part=O',
    largest: [
      {
        what: 'orgs',
        ask: async (stage) => {
          await addOrgs(stage);
          return {};
        },
      },
    ],
  },
  'GET /platform/orgs/:org': {
    as: 'operator',
    target: ({ org }) => `/platform/orgs/${org}`,
    largest: [{ what: 'records and policies of an org', ask: () => ({}) }],
  },
  'GET /platform/orgs/:org/plan': one('/platform/orgs/none/plan', 'operator'),
  'PUT /platform/orgs/:org/plan': small('/platform/orgs/none/plan', 'operator'),
  'GET /openapi.json': plain('/openapi.json', 'anyone'),
  'GET /inbox': {
    as: 'anyone',
    target: () => '/inbox',
    largest: [{ what: 'mails', ask: () => ({ headers: { accept: 'application/json' } }) }],
  },
};

const pageOfOrgs = 50;
const added = new WeakSet<Stage>();

/** So many orgs that a page is full. */
async function addOrgs(stage: Stage): Promise<void> {
  if (added.has(stage)) return;
  added.add(stage);
  for (let count = 0; count < pageOfOrgs; count++) {
    const code = `o${random()}`;
    const signUp = { email: `${code}@example.com`, password: 'correct horse battery', name: 'Bea' };
    const { status, text } = await ask({
      method: 'POST',
      url: `${stage.gateways.management}/auth/signup`,
      body: JSON.stringify({ ...signUp, org_name: code, org_code: code }),
    });
    assert.ok(status < 300, text);
  }
}
