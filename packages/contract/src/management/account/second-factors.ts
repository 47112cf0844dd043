import { Type } from '@sinclair/typebox';
import { sessionHeader } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, lineTitle, named, orNull, text, time } from '../../schema.ts';
import { LoggedIn, OrgSecurity, Password } from '../accounts.ts';
import { NewPasskey, PasskeyAssertion, PasskeyCreation, PasskeyRequest, proofMembers } from './second-factor-step.ts';

/** Who has a second factor proves it; who has none, the password. */
const proof = closed({ password: Type.Optional(Password), ...proofMembers });

export const Passkey = named(
  'Passkey',
  Type.Object({
    id: text,
    name: text,
    created_at: time,
    last_used_at: Type.Optional(time),
    is_backed_up: Type.Boolean({ description: 'Whether the device keeps a copy of it elsewhere.' }),
  }),
);

export const SecondFactors = named(
  'SecondFactors',
  Type.Object({
    totp: orNull(
      Type.Object({
        confirmed_at: time,
        last_used_at: Type.Optional(time),
        locked: Type.Optional(
          Type.Literal(true, {
            description: 'Set after 10 wrong codes in a row: no code is taken until another factor was proved.',
          }),
        ),
      }),
    ),
    passkeys: Type.Array(Passkey),
    recovery_codes: count,
    passkey_site: orNull(text, {
      description: 'The host that passkeys are made for; `null` where the console has an address that takes none.',
    }),
  }),
);

export const TotpSecret = named(
  'TotpSecret',
  Type.Object({
    secret: Type.String({ description: 'In base32, for an authenticator app.' }),
    uri: Type.String({ description: 'The same as an `otpauth:` URI, for a QR code.' }),
    expires_at: time,
  }),
);

const recoveryCodes = Type.Array(text, { description: 'Shown in this response only. Each is valid once.' });

export const NewRecoveryCodes = named('NewRecoveryCodes', Type.Object({ recovery_codes: recoveryCodes }));

export const FactorAdded = named(
  'FactorAdded',
  Type.Object({ recovery_codes: Type.Optional(recoveryCodes), passkey: Type.Optional(Passkey) }),
);

const shownOnce = 'returns a secret, which is never stored in plain text; every call returns another one';
const provedOnce = 'takes a proof that is valid once, so a repeated request is refused';

export const secondFactorsApi = {
  completeSignIn: route({
    method: 'POST',
    path: '/auth/second-factor',
    access: 'public',
    tag: 'account',
    summary: 'Completes a sign-in by a second factor',
    description:
      'Creates a session. Takes the token of the sign-in, and one of `code`, `recovery_code` and `passkey`. After 10 wrong codes in a row no ' +
      'code of the account is taken until a passkey or a recovery code was used. An account with neither waits 15 minutes, ' +
      'and twice as long after each further wrong code, up to a day.',
    headers: [sessionHeader],
    body: closed({ token: Type.String({ minLength: 1, maxLength: 2048 }), ...proofMembers }),
    replies: { 200: reply('Logged in.', LoggedIn) },
    problems: [
      'credentials_invalid',
      'token_invalid',
      'second_factor_locked',
      'escalation_refused',
      'not_found',
      'conflict',
      'rate_limited',
    ],
    repeats: { notRemembered: provedOnce },
  }),
  readPasskeyChallenge: route({
    method: 'GET',
    path: '/auth/passkey-challenge',
    access: 'public',
    tag: 'account',
    summary: 'What a browser needs to sign in with a passkey alone',
    description: 'Valid for 5 minutes.',
    replies: { 200: reply('Options for `navigator.credentials.get`.', PasskeyRequest) },
    problems: ['not_found'],
  }),
  signInByPasskey: route({
    method: 'POST',
    path: '/auth/passkey-sign-in',
    access: 'public',
    tag: 'account',
    summary: 'Creates a session by a passkey that has verified its user',
    headers: [sessionHeader],
    body: closed({ passkey: PasskeyAssertion, org: Type.Optional(text) }),
    replies: { 200: reply('Logged in.', LoggedIn) },
    problems: ['credentials_invalid', 'not_found', 'rate_limited'],
    repeats: { notRemembered: provedOnce },
  }),
  listSecondFactors: route({
    method: 'GET',
    path: '/auth/second-factors',
    access: 'developer',
    tag: 'account',
    summary: 'The caller’s own second factors',
    replies: { 200: reply('The factors, without their secrets.', SecondFactors) },
    takesUnprotected: true,
  }),
  readFactorChallenge: route({
    method: 'GET',
    path: '/auth/second-factors/challenge',
    access: 'developer',
    tag: 'account',
    summary: 'What a browser needs to prove a passkey of the caller',
    description: 'In this session; valid for 5 minutes.',
    replies: { 200: reply('Options for `navigator.credentials.get`.', PasskeyRequest) },
    problems: ['not_found'],
  }),
  beginTotp: route({
    method: 'POST',
    path: '/auth/second-factors/totp',
    access: 'developer',
    tag: 'account',
    summary: 'Makes a secret for an authenticator app',
    description:
      'It protects the account once a code of it was confirmed. A caller with a second factor proves it; a caller without one proves the password.',
    body: proof,
    replies: { 201: reply('Made. It is shown in this response only.', TotpSecret) },
    problems: ['credentials_invalid', 'second_factor_locked', 'conflict', 'rate_limited'],
    takesUnprotected: true,
    repeats: { notRemembered: shownOnce },
  }),
  confirmTotp: route({
    method: 'POST',
    path: '/auth/second-factors/totp/confirm',
    access: 'developer',
    tag: 'account',
    summary: 'Confirms the authenticator app by a code of the new secret',
    description: 'With the first factor of an account, every other session of the user ends.',
    body: closed({ code: Type.String({ minLength: 1, maxLength: 16 }) }),
    replies: { 200: reply('Confirmed; with recovery codes if it is the first factor.', FactorAdded) },
    problems: ['credentials_invalid', 'not_found', 'conflict'],
    takesUnprotected: true,
    repeats: { notRemembered: shownOnce },
  }),
  beginPasskey: route({
    method: 'POST',
    path: '/auth/passkeys/options',
    access: 'developer',
    tag: 'account',
    summary: 'What a browser needs to make a passkey for the caller',
    description:
      'Valid for 5 minutes in this session. A caller with a second factor proves it; a caller without one proves the password.',
    body: proof,
    replies: { 201: reply('Options for `navigator.credentials.create`.', PasskeyCreation) },
    problems: ['credentials_invalid', 'second_factor_locked', 'not_found', 'conflict', 'rate_limited'],
    takesUnprotected: true,
    repeats: { notRemembered: provedOnce },
  }),
  addPasskey: route({
    method: 'POST',
    path: '/auth/passkeys',
    access: 'developer',
    tag: 'account',
    summary: 'Adds a passkey to the caller’s account',
    description: 'With the first factor of an account, every other session of the user ends.',
    body: closed({ name: lineTitle, passkey: NewPasskey }),
    replies: { 201: reply('Added; with recovery codes if it is the first factor.', FactorAdded) },
    problems: ['credentials_invalid', 'not_found', 'conflict'],
    takesUnprotected: true,
    repeats: { notRemembered: provedOnce },
  }),
  renamePasskey: route({
    method: 'PUT',
    path: '/auth/passkeys/:id',
    access: 'developer',
    tag: 'account',
    summary: 'Renames a passkey of the caller',
    body: closed({ name: lineTitle }),
    replies: { 200: reply('Renamed.', Passkey) },
    problems: ['not_found', 'conflict'],
  }),
  removeSecondFactor: route({
    method: 'POST',
    path: '/auth/second-factors/:id/remove',
    access: 'developer',
    tag: 'account',
    summary: 'Removes a second factor of the caller',
    description: 'The authenticator app (`totp`) or a passkey, by its id; the recovery codes end with the last factor.',
    body: proof,
    replies: { 204: reply('Removed.') },
    problems: ['credentials_invalid', 'second_factor_locked', 'not_found', 'conflict', 'rate_limited'],
    repeats: { notRemembered: provedOnce },
  }),
  renewRecoveryCodes: route({
    method: 'POST',
    path: '/auth/recovery-codes',
    access: 'developer',
    tag: 'account',
    summary: 'Makes 10 recovery codes; the former ones end',
    body: proof,
    replies: { 201: reply('Made.', NewRecoveryCodes) },
    problems: ['credentials_invalid', 'second_factor_locked', 'conflict', 'rate_limited'],
    repeats: { notRemembered: shownOnce },
  }),
  changeOrgSecurity: route({
    method: 'PUT',
    path: '/org/security',
    access: 'org_admin',
    tag: 'org users',
    summary: 'Sets whether every member of the org needs a second factor',
    description:
      'A member without one can then only add one and sign out, in sessions that go on too: 403 ' +
      '`second_factor_required`. An admin who requires it must have one.',
    body: OrgSecurity,
    replies: { 200: reply('Set.', OrgSecurity) },
    problems: ['conflict'],
    refusedAs: 'org_security.change_refused',
  }),
  resetSecondFactors: route({
    method: 'POST',
    path: '/org/users/:id/reset-second-factors',
    access: 'org_admin',
    tag: 'org users',
    summary: 'Removes all second factors of another member',
    description: 'Of one who is in this org alone; the member’s sessions end.',
    replies: { 204: reply('Removed.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'second_factor.reset_refused',
  }),
};
