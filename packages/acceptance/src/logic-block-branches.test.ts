/** Branches of a logic block that write beside each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, count, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title' }]));

const make = (id: string) => ({ id, type: 'create', entity: 'order', values: { title: id } });
const branches = [[make('a'), make('b')], [make('c')], [make('d'), make('e')]];
const steps = [{ id: 'all', type: 'parallel', branches }];

for (const [name, more] of [
  ['each', {}],
  ['together', { transaction: true }],
] as const)
  test(`branches beside each other write every record once: ${name}`, async () => {
    const content = { name, steps, returns: '{{ steps.all }}', ...more };
    const made = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
    assert.equal(made.status, 201, made.text);
    const before = await count(founder, 'order');
    for (let runs = 0; runs < 5; runs++) {
      const { status, body, text } = await act<readonly unknown[]>(founder, 'POST', `/logicblocks/${name}`);
      assert.deepEqual([status, body.length], [200, 3], text);
    }
    assert.equal((await count(founder, 'order')) - before, 5 * 5);
  });
