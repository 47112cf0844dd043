import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import type { Scope } from '../store/port.ts';
import { openMemory } from '../store/testing/open-memory.ts';
import { platformIssuer } from './app-tokens.ts';

/** Fails where the issuer is looked up again and again, as it is where it is not kept. */
function scope(): Scope {
  const platform = openMemory({ clock: systemClock }).store.scope('platform');
  let reads = 0;
  return {
    ...platform,
    get: (keys) => {
      assert.ok(++reads <= 10, 'waited in vain for the issuer to be kept');
      return platform.get(keys);
    },
    commit: (...words) => platform.commit(...words),
  };
}

test('the issuer is the address of the first start, or an id, and stays', async () => {
  const named = scope();
  assert.equal(await platformIssuer(named, 'https://first.example'), 'https://first.example');
  assert.equal(await platformIssuer(named, 'https://second.example'), 'https://first.example');
  const unnamed = scope();
  const issuer = await platformIssuer(unnamed, undefined);
  assert.match(issuer, /^urn:uuid:[\da-f-]{36}$/);
  assert.equal(await platformIssuer(unnamed, 'https://second.example'), issuer);
});

test('of two first starts at once both have the issuer that was kept', async () => {
  const platform = scope();
  const [one, other] = await Promise.all([
    platformIssuer(platform, undefined),
    platformIssuer(platform, 'https://first.example'),
  ]);
  assert.equal(one, other);
});
