import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSlash, type Provider, pastedIssuer, withMember } from './provider.ts';

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

test('the issuer is taken from the address of its discovery document', () => {
  for (const [pasted, issuer] of [
    [' https://id.example ', 'https://id.example'],
    ['https://id.example/.well-known/openid-configuration', 'https://id.example'],
    ['https://id.example/tenant/v2.0/.well-known/openid-configuration/', 'https://id.example/tenant/v2.0'],
    ['https://id.example/', 'https://id.example/'],
    [
      'https://id.example/.well-known/openid-configuration/more',
      'https://id.example/.well-known/openid-configuration/more',
    ],
  ] as const)
    assert.equal(pastedIssuer(pasted), issuer);
  assert.deepEqual(['https://id.example', 'https://id.example/'].map(otherSlash), [
    'https://id.example/',
    'https://id.example',
  ]);
});
