import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { items } from './automation.ts';
import { change, definitions, policies } from './help-desk.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'modelling.md'), 'utf8');

interface Definition {
  readonly entityName: string;
  readonly UpdateParams: readonly { readonly name: string }[];
  readonly [member: string]: unknown;
}

/** The JSON in the quotes behind what the pattern finds. */
function jsonIn(pattern: RegExp): readonly unknown[] {
  return [...page.matchAll(pattern)].map(([, text = '']) => JSON.parse(text));
}

test('each entity that the page about modelling defines is one of the demo, field by field', () => {
  const onPage = jsonIn(/define \w+ '([^']+)'/g) as readonly Definition[];
  assert.deepEqual(
    onPage.map(({ entityName }) => entityName),
    definitions.map(({ entityName }) => entityName).filter((name) => name !== 'tag'),
  );
  for (const { UpdateParams, ...rest } of onPage) {
    const made: Definition | undefined = definitions.find(({ entityName }) => entityName === rest.entityName);
    assert.ok(made !== undefined);
    for (const field of UpdateParams)
      assert.deepEqual(
        made.UpdateParams.find(({ name }) => name === field.name),
        field,
      );
    for (const [member, value] of Object.entries(rest)) {
      assert.deepEqual(made[member], value, `${rest.entityName}.${member}`);
    }
  }
});

test('the demo makes the change that the page makes', () => {
  const [onPage] = jsonIn(/CHANGE='([^']+)'/g);
  assert.deepEqual(onPage, change.body);
});

test('what happens by itself on the page is what happens in the demo, but for descriptions', () => {
  const shown = jsonIn(/^config \S+ \S+ '([^']+)'/gm) as readonly { readonly [member: string]: unknown }[];
  const made = items.map(([, name, content]) => [name, { ...content, description: undefined }]);
  assert.deepEqual(
    Object.fromEntries(shown.map((content) => [content.event_name ?? content.name, content])),
    JSON.parse(JSON.stringify(Object.fromEntries(made))),
  );
});

test('the roles that the page gives are those of the demo, statement by statement', () => {
  const onPage = jsonIn(/create\/aclpolicy '([^']+)'/g) as readonly {
    readonly name: string;
    readonly statements: readonly object[];
  }[];
  assert.deepEqual(
    onPage.map(({ name }) => name),
    ['requester', 'agent'],
  );
  for (const { name, statements } of onPage) {
    const made: readonly object[] = policies[name as keyof typeof policies];
    for (const statement of statements)
      assert.ok(
        made.some((one) => isDeepStrictEqual(one, statement)),
        JSON.stringify(statement),
      );
  }
});
