/** Entities whose name with a verb is the action of a route: none is new, and a stored entity is named and stays. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { allow, create, defineEntity, definition, foundedOrg, manage, signIn, signUp } from './org.ts';
import { commandToEnd, startPlatform, storeKind } from './platform.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

test('a new entity with the name of a route is refused, and the refusal proposes a name that is taken', async () => {
  const { org } = await foundedOrg(gateways);
  for (const name of ['workspace', 'invitation']) {
    const body = definition(name, [{ name: 'title' }]);
    for (const query of ['', '?dry_run=true']) {
      const refused = await manage(org, 'POST', `/api/create-${name}${query}`, { body });
      assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/entityName']);
    }
    const item = await manage(org, 'POST', '/config/entity', { body: { name, content: { definition: body } } });
    assert.deepEqual(pointers(assertProblem(item, 'validation_failed')), ['/content/definition/entityName']);
    const [, proposed = ''] = /such as `(\w+)`/.exec(item.text) ?? [];
    await defineEntity(org, { ...body, entityName: proposed });
  }
});

test('a stored one is changed and has records; the doctor and the lint of policies name it', {
  skip: storeKind !== 'sqlite' && 'not run: the data file is edited',
}, async (context) => {
  const first = await startPlatform();
  const { dataDir } = first;
  context.after(() => first.kill());
  const org = await signUp(first);
  await defineEntity(org, definition('substitute', [{ name: 'title' }]));
  await first.terminate();
  const examine = () => commandToEnd(['doctor'], { dataDir, env: { FREEHOLD_STORE: 'sqlite:' } });
  assert.match((await examine()).stdout, /^good {2}no entity has a name that policies take for routes$/m);
  const database = new DatabaseSync(join(dataDir, 'test.db'));
  const renamed = ['pk', 'sk', 'value'].map((column) => `${column} = replace(${column}, 'substitute', 'workspace')`);
  database.exec(`update items set ${renamed.join(', ')} where scope = 'org#${org.code}'`);
  database.close();
  const examined = await examine();
  assert.deepEqual([examined.code, examined.stderr], [0, '']);
  const sentence = `^note  the entity \`workspace\` of the app \`${org.code}\` in test has a name`;
  assert.match(examined.stdout, new RegExp(sentence, 'm'));
  const running = await startPlatform({ dataDir });
  context.after(() => running.kill());
  const again = { ...org, app: running.app, management: running.management };
  const body = { UpdateParams: [{ name: 'title' }, { name: 'more' }] };
  const changed = await manage(again, 'PUT', '/api/create-workspace', { body });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await create(await signIn(again), 'workspace', { more: 'x' })).more, 'x');
  const linted = await manage<{ readonly findings: readonly { readonly code: string }[] }>(again, 'POST', '/acl/lint', {
    body: { statements: [allow('updateworkspace')] },
  });
  assert.deepEqual(
    linted.body.findings.map(({ code }) => code),
    ['shared_action'],
  );
});
