import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorKinds } from '../operations/audit/operator-kinds.ts';
import { actionKinds } from './action-kinds.ts';
import { predicates } from './sentences.ts';

/** Kinds that are in the operator's log alone. */
const ofOperator = ['signing_key.', 'backup.'];
/** Is the last line of a file, and in no log. */
const inNoLog = ['audit.export_continues'];

// A test of the sentences compares them with the actions that the server writes.
const actions = Object.keys(predicates).filter((action) => !inNoLog.includes(action));

test('every action of the log of an org is of a kind that can be chosen', () => {
  const kinds = [...actionKinds.map(([kind]) => kind), ...ofOperator];
  assert.deepEqual(
    actions.filter((action) => !kinds.some((kind) => action.startsWith(kind))),
    [],
  );
  assert.deepEqual(
    ofOperator.filter((kind) => !operatorKinds.some(({ value }) => value === kind)),
    [],
  );
});

test('every kind that can be chosen has actions of its own, and a name of its own', () => {
  for (const [kind] of actionKinds) {
    const others = actionKinds.filter(([other]) => other !== kind);
    const own = actions.filter((action) => action.startsWith(kind));
    assert.ok(own.length > 0, kind);
    for (const [other] of others) assert.ok(!own.some((action) => action.startsWith(other)), `${kind} and ${other}`);
  }
  assert.equal(new Set(actionKinds.map(([, name]) => name)).size, actionKinds.length);
});
