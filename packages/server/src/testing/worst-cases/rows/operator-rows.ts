/** The largest of what the operator may ask. */
import assert from 'node:assert/strict';
import { ask } from '../send.ts';
import { random, type Stage } from '../stage.ts';
import type { Rows } from '../worst-case.ts';

export const operatorRows: Rows = {
  'GET /platform/orgs': {
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
  'GET /inbox': {
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
