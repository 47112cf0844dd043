import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Provider, withMember } from './provider.ts';

const provider: Provider = { issuer: 'https://id.example', audiences: ['app'], name: 'Id' };

test('a member that is emptied is left out, and a member that every provider has stays', () => {
  assert.deepEqual(withMember(provider, 'name', ''), { issuer: 'https://id.example', audiences: ['app'] });
  assert.deepEqual(withMember(provider, 'audiences', []), { ...provider, audiences: [] });
  assert.deepEqual(withMember(provider, 'email_domains', []), provider);
  assert.deepEqual(withMember(provider, 'email_verified_as_string', true), {
    ...provider,
    email_verified_as_string: true,
  });
  assert.deepEqual(
    withMember({ ...provider, email_verified_as_string: true }, 'email_verified_as_string', false),
    provider,
  );
});
