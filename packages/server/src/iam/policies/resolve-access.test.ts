import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { openMemory } from '../../store/testing/open-memory.ts';
import { foundWorkspace } from '../testing/founded-workspace.ts';
import { resolveAccess } from './resolve-access.ts';

const allow = (patterns: number) => ({
  Effect: 'Allow',
  Action: ['get*'],
  Resource: Array.from({ length: patterns - 1 }, (_, index) => `/${index}*`),
});

for (const [what, policies, one] of [
  ['500 statements', Array.from({ length: 10 }, () => Array.from({ length: 50 }, () => allow(2))), [allow(2)]],
  ['2500 patterns and values', Array.from({ length: 5 }, () => [allow(500)]), [allow(2)]],
] as const)
  test(`I08: a person may hold ${what}; with one policy more everything is denied, until it is taken away`, async () => {
    const { store } = await openMemory({ clock: systemClock });
    const { workspace, founderId, join, as } = await foundWorkspace(store, systemClock);
    const founder = as(founderId);
    const userId = await join();
    const hold = async (name: string, statements: readonly object[]): Promise<string> => {
      const policyId = await founder.create('aclpolicy', { name, statements });
      return founder.create('useraclpolicy', { user_id: userId, acl_policy_id: policyId });
    };
    for (const [index, statements] of policies.entries()) await hold(`p${index}`, statements);
    const { access: held } = await resolveAccess(workspace, userId);
    assert.ok(held.statementCount === 500 || held.patternCount === 2500);
    const link = await hold('more', one);
    const { access, excess } = await resolveAccess(workspace, userId);
    assert.match(excess ?? '', /at most (500|2500) are evaluated/);
    assert.equal(access.statementCount, 0);
    await founder.remove('useraclpolicy', link);
    const after = await resolveAccess(workspace, userId);
    assert.deepEqual([after.excess, after.access.statementCount], [undefined, held.statementCount]);
  });
