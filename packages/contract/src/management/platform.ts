import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, guid, itemsOf, named, oneOf, reason, text, time } from '../schema.ts';

export const SigningKey = named(
  'SigningKey',
  Type.Object({
    kid: text,
    state: oneOf(['published', 'signing', 'retiring']),
    created_at: time,
    signs_from: time,
    verifies_until: Type.Optional(
      Type.String({ format: 'date-time', description: 'Set if another key has replaced this one.' }),
    ),
  }),
);

export const platformApi = {
  listSigningKeys: route({
    method: 'GET',
    path: '/platform/keys',
    access: 'operator',
    tag: 'platform',
    summary: 'The keys that app JWTs are signed and verified by',
    description: 'In the order they sign.',
    replies: { 200: reply('The keys.', itemsOf(SigningKey)) },
    problems: ['rate_limited'],
  }),
  rotateSigningKeys: route({
    method: 'POST',
    path: '/platform/keys/rotate',
    access: 'operator',
    tag: 'platform',
    summary: 'Publishes a new signing key',
    description: 'It signs ten minutes later; tokens of the previous key stay valid.',
    replies: {
      201: reply('Made and published.', SigningKey),
      200: reply('Another key is already published and does not sign yet.', SigningKey),
    },
    problems: ['rate_limited', 'conflict'],
    refusedAs: 'signing_key.rotation_refused',
  }),
  revokeSigningKey: route({
    method: 'DELETE',
    path: '/platform/keys/:kid',
    access: 'operator',
    tag: 'platform',
    summary: 'Revokes a key and every token that it signed',
    description: 'If it was the signing key, another one signs at once.',
    replies: { 204: reply('Revoked.') },
    problems: ['rate_limited', 'not_found'],
    refusedAs: 'signing_key.revocation_refused',
  }),
  resetAccountFactors: route({
    method: 'POST',
    path: '/platform/accounts/reset-factors',
    access: 'operator',
    tag: 'platform',
    summary: 'Removes all second factors of a builder’s account',
    description:
      'Also if the account is in several orgs; its sessions end. For a person who has lost all of them, once the operator is sure who asks. The person gets a mail. The reason stands in the operator’s audit log and in that of each org of the account.',
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }), reason }),
    replies: {
      200: reply(
        'Removed: from now on the password alone signs in.',
        Type.Object({ id: guid, orgs: Type.Array(text, { description: 'The codes of the orgs of the account.' }) }),
      ),
    },
    problems: ['rate_limited', 'not_found', 'conflict'],
    refusedAs: 'second_factor.reset_refused',
  }),
  readMetrics: route({
    method: 'GET',
    path: '/metrics',
    access: 'operator',
    tag: 'platform',
    summary: 'The metrics of this node since it started, for Prometheus',
    compressed: 'reply',
    replies: { 200: { description: 'The text format 0.0.4.', content: { 'text/plain': text } } },
    problems: ['rate_limited', 'origin_refused'],
  }),
};
