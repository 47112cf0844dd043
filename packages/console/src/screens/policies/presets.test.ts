import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { presets } from './presets.ts';
import { actionsOf, matches } from './statements/action-patterns.ts';

test('roles that write leave the entities of access control out', () => {
  const writing = presets.filter(({ namesEntities }) => namesEntities === true);
  assert.deepEqual(
    writing.map(({ name }) => name),
    ['Reporter', 'Contributor', 'Editor', 'Manager'],
  );
  const actions = actionsOf(['order', 'note'], []);
  for (const preset of presets) {
    const statements = preset.statements(preset.namesEntities === true ? ['order', 'note'] : []);
    const patterns = statements.flatMap((one) => (one as { readonly Action: readonly string[] }).Action);
    const covered = actions.filter((action) => patterns.some((pattern) => matches(pattern, action)));
    const written = covered.filter((action) =>
      systemEntityNames.some((name) => ['create', 'update', 'delete'].some((verb) => action === verb + name)),
    );
    assert.deepEqual(written, [], preset.name);
    if (preset.namesEntities === true) assert.ok(covered.includes('createorder'), preset.name);
  }
});
