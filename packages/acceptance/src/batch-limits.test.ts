import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { apart, atomic, creating, deleting, together, updating } from './batches.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const { org, founder } = await foundedOrg(await platformForTests());
await defineEntity(org, definition('part', [{ name: 'note' }]));

test('everything that is wrong with the shape of a batch is said at once', async () => {
  const id = '01890000-0000-7000-8000-000000000000';
  const shapes: readonly (readonly [unknown, readonly string[]])[] = [
    [[], ['']],
    [{}, ['/mode', '/operations']],
    [{ mode: 'both', operations: {}, more: 1 }, ['/mode', '/more', '/operations']],
    [{ mode: 'atomic', operations: [] }, ['/operations']],
    [{ mode: null, operations: null }, ['/mode', '/operations']],
  ];
  const operations: readonly (readonly [unknown, readonly string[]])[] = [
    [null, ['']],
    [{}, ['/action']],
    [{ action: 'list', entity: 'part' }, ['/action']],
    [{ action: 'create' }, ['/data', '/entity']],
    [{ action: 'create', entity: 'part', data: {}, id, if_match: '*' }, ['/id', '/if_match']],
    [{ action: 'create', entity: 'a/../b', data: [] }, ['/data', '/entity']],
    [{ action: 'update', entity: 'part', data: 1, if_match: 7 }, ['/data', '/id', '/if_match']],
    [{ action: 'update', entity: 'part', id: '../x', data: {}, if_match: 'x' }, ['/id', '/if_match']],
    [{ action: 'delete', entity: 7, id, data: {}, more: 1 }, ['/data', '/entity', '/more']],
  ];
  const placed = operations.flatMap(([, places], index) => places.map((place) => `/operations/${index}${place}`));
  for (const mode of ['atomic', 'independent'])
    for (const [body, places] of [
      ...shapes,
      [{ mode, operations: operations.map(([operation]) => operation) }, placed.sort()] as const,
    ]) {
      const problem = assertProblem(await act(founder, 'POST', '/batch', { body }), 'validation_failed');
      assert.deepEqual(pointers(problem), places, JSON.stringify(body));
    }
  assertProblem(await act(founder, 'POST', '/batch?all=true', { body: { mode: 'atomic' } }), 'invalid_request');
  const unknown = { mode: 'atomic', operations: [{ ...creating('part', {}), more: 1 }] };
  assertProblem(await act(founder, 'POST', '/batch', { body: unknown }), 'unknown_field');
});

test('a batch has at most 100 operations', async () => {
  const operations = Array.from({ length: 101 }, () => creating('pile', {}));
  await defineEntity(org, definition('pile', []));
  for (const mode of ['atomic', 'independent']) {
    const reply = await act(founder, 'POST', '/batch', { body: { mode, operations } });
    assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/operations']);
  }
  assert.equal(await count(founder, 'pile'), 0);
  assert.equal((await together(founder, operations.slice(1))).length, 100);
  assert.equal((await apart(founder, operations.slice(1))).length, 100);
  assert.equal(await count(founder, 'pile'), 200);
});

test('a record has one operation of an atomic batch, and any number of another', async () => {
  const record = await create(founder, 'part', {});
  const operations = [updating('part', record, { note: 'a' }), creating('part', {}), deleting('part', record)];
  const problem = assertProblem(await atomic(founder, operations), 'validation_failed');
  assert.deepEqual(pointers(problem), ['/operations/0/id', '/operations/2/id']);
  assert.match(problem.detail, /operations 0 and 2/);
  const results = await apart(founder, operations);
  assert.deepEqual(
    results.map(({ status }) => status),
    [200, 201, 204],
  );
});

test('an atomic batch has one operation on access control at most', async () => {
  const role = (name: string) => creating('userrole', { name });
  const refused = await atomic(founder, [role('a'), creating('part', {}), role('b')]);
  const problem = assertProblem(refused, 'validation_failed');
  assert.deepEqual((await list(founder, 'userrole')).items, []);
  assert.deepEqual(pointers(problem), ['/operations/2/entity']);
  const results = await together(founder, [creating('part', {}), role('c')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 201],
  );
});

test('an atomic batch that is more than one commit takes is refused', async () => {
  const words = (from: number) => Array.from({ length: 200 }, (_, index) => `w${from + index}`).join(' ');
  await defineEntity(org, definition('book', [{ name: 'text', search: true }]));
  const operations = Array.from({ length: 100 }, (_, index) => creating('book', { text: words(index) }));
  const problem = assertProblem(await atomic(founder, operations), 'body_too_large');
  assert.match(problem.detail, /commit/);
  assert.equal(await count(founder, 'book'), 0);
  assert.equal((await together(founder, operations.slice(0, 40))).length, 40);
});
