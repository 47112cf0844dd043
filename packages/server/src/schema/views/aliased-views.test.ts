import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileEntity } from '../compile-entity.ts';
import type { EntityDefinition } from '../definition.ts';
import { lookedUpViews, shownFields } from './entity-views.ts';

const definition: EntityDefinition = {
  entityName: 'comment',
  UpdateParams: [
    { name: 'name', aliases: ['title'] },
    { name: 'text', aliases: ['body'] },
    { name: 'ticket', colType: 'guid', lookup: { entity: 'ticket' }, aliases: ['ticket_id'] },
  ],
  Views: {
    old: {
      fields: [{ name: 'body' }, { name: 'text', as: 'shown' }, { name: 'ticket_id', lookup: { view: 'v', as: 'of' } }],
    },
  },
};
const { views } = compileEntity(definition, 1);

function membersOf(name: string) {
  const projection = views.of('get', name);
  assert.ok(projection !== undefined && projection !== 'stored');
  return projection.map(({ as, field }) => `${as}=${field}`);
}

test('the generated views show a value under each name of its field', () => {
  const stamps = ['created_at', 'updated_at', 'created_by', 'updated_by', 'version'].map((name) => `${name}=${name}`);
  const names = ['name=name', 'title=name', 'text=text', 'body=text', 'ticket=ticket', 'ticket_id=ticket'];
  assert.deepEqual(membersOf('default'), ['id=id', ...names, ...stamps]);
  assert.deepEqual(membersOf('compact'), ['id=id', 'name=name']);
});

test('a field that was renamed away from `name` is still shown in short', () => {
  const { views: renamed } = compileEntity(
    { entityName: 'a', UpdateParams: [{ name: 'label', aliases: ['name'] }] },
    1,
  );
  const compact = renamed.of('get', 'compact');
  assert.deepEqual(compact !== 'stored' && compact?.map(({ as, field }) => `${as}=${field}`), ['id=id', 'name=label']);
});

test('a view of its own shows a field by the name that it has there', () => {
  assert.deepEqual(membersOf('old'), ['body=text', 'shown=text', 'of=ticket']);
  assert.deepEqual(shownFields({ definition, views: {} }, 'get').slice(0, 4), ['id', 'name', 'text', 'ticket']);
  assert.deepEqual(
    lookedUpViews(definition.UpdateParams, definition.Views, '/Views').map(({ entity, view }) => [entity, view]),
    [['ticket', 'v']],
  );
});

test('records of an entity without aliases are shown as they are stored', () => {
  assert.equal(
    compileEntity({ entityName: 'a', UpdateParams: [{ name: 'text' }] }, 1).views.of('get', 'default'),
    'stored',
  );
});
