import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { referencePage, referencePath } from './reference.ts';

test('the page of all routes and refusals is what the contract says', () => {
  const committed = readFileSync(join(import.meta.dirname, '../..', referencePath), 'utf8');
  assert.equal(committed, referencePage(), 'run `node tools/docs/reference.ts`');
});

test('it has every route and every refusal once', () => {
  const page = referencePage();
  for (const line of [
    '| `POST /auth/login` | `public` | Creates a session |',
    '| `GET /app/{org}/list/{entity}` | `list` | Lists records, a page at a time |',
    '| `not_found` | 404 | There is nothing here |',
  ])
    assert.equal(page.split(`${line}\n`).length, 2, line);
});
