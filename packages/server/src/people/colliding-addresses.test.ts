import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressCollisions } from './colliding-addresses.ts';

function rows(...found: readonly (readonly [scope: string, pk: string, sk: string, id: string])[]) {
  const collisions = new AddressCollisions();
  for (const [scope, pk, sk, id] of found)
    collisions.add({ scope, pk, sk, value: JSON.stringify(pk === 'org-user-email' ? { id } : { user_id: id }) });
  return collisions.list();
}

test('A29 accounts that have one address in several spellings are listed, by the scope that they are in', () => {
  const found = rows(
    ['platform', 'org-user-email', 'bea@bücher.example', 'b1'],
    ['platform', 'org-user-email', 'bea@xn--bcher-kva.example', 'b2'],
    ['org#acme', 'identity', 'password;ann@bücher.example', 'a1'],
    ['org#acme', 'identity', 'password;ann@bÜcher.example', 'a2'],
    ['org#acme', 'verified-email', 'ann@xn--bcher-kva.example', 'a3'],
    ['org#acme', 'identity', 'password;100%25@bücher.example', 'c1'],
    ['org#acme', 'verified-email', '100%@xn--bcher-kva.example', 'c2'],
  );
  assert.deepEqual(found, [
    { scope: 'platform', ids: ['b1', 'b2'] },
    { scope: 'org#acme', ids: ['a1', 'a2', 'a3'] },
    { scope: 'org#acme', ids: ['c1', 'c2'] },
  ]);
});

test('A29 no others are', () => {
  const found = rows(
    ['org#acme', 'identity', 'password;ann@bücher.example', 'a1'],
    // One account; and two of the same spelling, of which one has proved it.
    ['org#acme', 'verified-email', 'ann@xn--bcher-kva.example', 'a1'],
    ['org#acme', 'identity', 'password;bob@bücher.example', 'b1'],
    ['org#acme', 'verified-email', 'bob@bücher.example', 'b2'],
    ['org#other', 'identity', 'password;ann@xn--bcher-kva.example', 'o1'],
    ['org#acme', 'identity', 'https://p.example;ann@xn--bcher-kva.example', 'p1'],
    ['org#acme', 'identity', 'password;dan@example.com', 'd1'],
    ['org#acme', 'verified-email', 'dan@example.com', 'd2'],
  );
  assert.deepEqual(found, []);
});
