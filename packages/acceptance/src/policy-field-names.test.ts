/** Which fields policies are about when these are renamed, removed, and come back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  manage,
  memberWith,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { onceAccepted } from './promotion.ts';

const gateways = await platformForTests();

interface Revived {
  readonly name: string;
  readonly policies: number;
  readonly examples: readonly { readonly tenant_code: string; readonly id: string }[];
}

test('P07: a field takes the name of a removed one only if no policy names it, or by force', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const fields = ['title', 'pay', 'rank', 'note'].map((name) => ({ name }));
  await defineEntity(org, definition('order', fields));
  const { id } = await create(founder, 'order', { title: 'a', pay: 'secret', note: 'n' });
  const reader = await memberWith(founder, [
    withFields(allow(['getorder', 'listorder']), 'title', 'p?y'),
    withCondition(deny('deleteorder'), { StringEquals: { 'record.before.Rank': 'high' } }),
    withFields(allow('getinvoice'), 'note'),
  ]);
  const put = (body: object, query = '') =>
    manage<{ readonly would_revive?: readonly Revived[] }>(org, 'PUT', `/api/create-order${query}`, { body });
  const removed = await put({ removeFields: ['pay', 'rank', 'note'] }, '?force=true');
  assert.equal(removed.status, 200, removed.text);
  const { body: before } = await manage(org, 'GET', '/api/entity?entityName=order');
  // Nothing but policies is against the fields that they name.
  const back = { UpdateParams: [{ name: 'pay', colType: 'encrypted' }, { name: 'rank' }] };
  const plan = await onceAccepted(() => put(back, '?dry_run=true'));
  const named = plan.body.would_revive?.map(({ name, policies, examples }) => [name, policies, examples.length]);
  assert.deepEqual(named, [
    ['pay', 1, 1],
    ['rank', 1, 1],
  ]);
  const problem = assertProblem(await put(back), 'conflict');
  assert.deepEqual(problem.would_revive, plan.body.would_revive);
  const [example] = plan.body.would_revive?.[0]?.examples ?? [];
  assert.equal((await act(founder, 'GET', `/item/aclpolicy/${example?.id}`)).status, 200);
  assert.deepEqual((await manage(org, 'GET', '/api/entity?entityName=order')).body, before);
  // What no policy of the entity names comes back without a word.
  assert.equal((await put({ UpdateParams: [{ name: 'note' }, { name: 'other' }] })).status, 200);
  assert.equal((await put({ UpdateParams: [{ name: 'pay' }, { name: 'rank' }] }, '?force=true')).status, 200);
  const again = await put({ UpdateParams: [{ name: 'pay', description: 'Again.' }] });
  assert.equal(again.status, 200, again.text);
  const shown = (await act(reader, 'GET', `/item/order/${id}`)).body;
  assert.deepEqual([shown.title, shown.pay, shown.note], ['a', undefined, undefined]);
});
