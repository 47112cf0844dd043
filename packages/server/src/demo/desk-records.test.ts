import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desks, type Ids, loadsOf } from './desk-records.ts';

const madeAt = Date.parse('2026-11-23T00:00:01Z');
const day = 86_400_000;
const nothing: Ids = { users: new Map(), tags: new Map(), customers: new Map(), tickets: new Map() };

const rowsOf = (entity: string) =>
  desks.map((desk) =>
    loadsOf(desk, madeAt)
      .filter((load) => load.entity === entity)
      .flatMap(({ rows }) => rows(nothing)),
  );

test('both desks together have 2,000 records with the two that the automation brings', () => {
  const loads = desks.flatMap((desk) => loadsOf(desk, madeAt));
  assert.equal(
    loads.reduce((sum, { rows }) => sum + rows(nothing).length, 0),
    1998,
  );
});

test('the same day gives the same records', () => {
  for (const desk of desks) {
    const texts = () => JSON.stringify(loadsOf(desk, madeAt).map(({ rows }) => rows(nothing)));
    assert.equal(texts(), texts());
  }
});

test('tickets are opened one after the other within 90 days, none of them today', () => {
  for (const tickets of rowsOf('tickets')) {
    const opened = tickets.map((ticket) => Date.parse(String(ticket.opened_at)));
    assert.ok(opened.every((time, index) => index === 0 || time > (opened[index - 1] ?? time)));
    assert.ok(opened.every((time) => time >= madeAt - 90 * day - 1000 && time < madeAt));
  }
});

test('everything that rows refer to is among the names of the desk', () => {
  for (const desk of desks) {
    const loads = loadsOf(desk, madeAt);
    const known = (entity: string, key: string) =>
      new Map(
        loads
          .filter((load) => load.entity === entity)
          .flatMap(({ rows }) => rows(nothing).map((row) => [String(row[key]), 'id'] as const)),
      );
    const users = new Map(desk.members.map(({ fn }) => [fn, 'id']));
    const ids = {
      users,
      tags: known('tags', 'name'),
      customers: known('customers', 'name'),
      tickets: known('tickets', 'opened_at'),
    };
    for (const { author, rows } of loads) {
      assert.ok(users.has(author));
      for (const row of rows(ids))
        for (const [name, value] of Object.entries(row))
          if (/_ids?$/.test(name) && name !== 'assignee_id')
            assert.deepEqual(
              [value].flat().filter((id) => id !== 'id'),
              [],
              name,
            );
    }
  }
});

test('no text is left with a placeholder', () => {
  for (const entity of ['tickets', 'comments'])
    assert.doesNotMatch(JSON.stringify(rowsOf(entity)), /\{\w+\}|undefined/);
});
