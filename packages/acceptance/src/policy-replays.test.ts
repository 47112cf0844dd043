/** A replay is held to what becomes of the same calls once the draft is the policy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, allow, create, deny, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { replayed, type Shop, shop } from './recorded-calls.ts';

const gateways = await platformForTests();

const keys = ['record.status', 'record.before.status', 'record.after.status', 'request.body.status', 'record.title'];
const values = ['open', 'shut', 'a'];
const operators = ['StringEquals', 'StringNotEquals', 'StringLike', 'StringEqualsIfExists', 'StringNotEqualsIfExists'];
const actions = ['getorder', 'updateorder', 'deleteorder', 'createorder', '*order', 'update*'];
const draftsTried = 30;

/** The same drafts in each run. */
function drafts(): readonly (readonly object[])[] {
  let dice = 42;
  const next = (count: number): number => {
    dice = (dice * 16_807 + 7) % 2_147_483_647;
    return dice % count;
  };
  const pick = (all: readonly string[]): string => all[next(all.length)] ?? '';
  const statement = (): object => {
    const plain = next(4) === 0 ? deny(pick(actions)) : allow(pick(actions));
    return next(3) === 0 ? plain : { ...plain, Condition: { [pick(operators)]: { [pick(keys)]: pick(values) } } };
  };
  return Array.from({ length: draftsTried }, () => Array.from({ length: 1 + next(4) }, statement));
}

/** One call of each kind, of which a policy may ask for all keys. @returns whether it was allowed. */
async function callsOf({ clerk }: Shop, [got = '', updated = '', deleted = '']: readonly string[]) {
  const replies = {
    getorder: await act(clerk, 'GET', `/item/order/${got}`),
    updateorder: await act(clerk, 'PUT', `/update/order/${updated}`, { body: { status: 'shut' } }),
    deleteorder: await act(clerk, 'DELETE', `/delete/order/${deleted}`),
    createorder: await act(clerk, 'POST', '/create/order', { body: { title: 'a', status: 'open' } }),
  };
  return Object.entries(replies).map(([action, { status }]) => ({ action, isAllowed: status < 300 }));
}

test('a call is answered under the draft as its replay said', async () => {
  const asksAll = keys.map((key) => ({ ...deny('*order'), Condition: { StringEquals: { [key]: 'never' } } }));
  const statements = [allow('*order'), ...asksAll];
  const of = await shop(gateways, statements);
  const { org, founder, policyId } = of;
  const order = async () => (await create(founder, 'order', { title: 'a', status: 'open' })).id;
  const ids = [await order(), await order()];
  for (const { action, isAllowed } of await callsOf(of, [...ids, await order()])) assert.ok(isAllowed, action);
  await replayed(of, { draft: { policy_id: policyId, statements } });
  const setting = { group: 'acl', name: 'record_decisions', value: false };
  assert.equal((await manage(org, 'PUT', '/org/settings', { body: setting })).status, 200);
  const save = async (saved: readonly object[]): Promise<void> => {
    const reply = await act(founder, 'PUT', `/update/aclpolicy/${policyId}`, { body: { statements: saved } });
    assert.equal(reply.status, 200, reply.text);
  };
  const seen = { allowed: 0, denied: 0 };
  for (const draft of drafts()) {
    const reported = await replayed(of, { draft: { policy_id: policyId, statements: draft } });
    // The update answers a record that is shut, as a get; the create answers an open record, as the get itself does.
    const denied = reported.newly_denied.items.filter(({ action, calls }) => action !== 'getorder' || calls > 1);
    assert.equal(reported.undecidable.count, 0);
    await act(founder, 'PUT', `/update/order/${ids[1]}`, { body: { status: 'open' } });
    const deleted = await order();
    await save(draft);
    for (const { action, isAllowed } of await callsOf(of, [...ids, deleted])) {
      assert.equal(
        isAllowed,
        denied.every((one) => one.action !== action),
        `${action} under ${JSON.stringify(draft)}`,
      );
      seen[isAllowed ? 'allowed' : 'denied'] += 1;
    }
    await save(statements);
  }
  assert.ok(seen.allowed > 15 && seen.denied > 30, JSON.stringify(seen));
});
