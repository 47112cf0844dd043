import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { CompactEncrypt, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { thinned } from '../../store/testing/quick.ts';
import type { IssuerEntry } from '../settings/issuers.ts';
import {
  discoveryPath,
  keysPath,
  type LoopbackProvider,
  makeKeyPair,
  type ProviderKeyPair,
  startLoopbackProvider,
} from '../testing/loopback-provider.ts';
import { createProviderTokens } from './provider-tokens.ts';

let now = 1_800_000_000_000;
const clock = { now: () => now };
const audience = 'acme-web';
const rsa = await makeKeyPair('RS256', 'rsa');
const ec = await makeKeyPair('ES256', 'ec');
const attackerKey = await makeKeyPair('RS256', 'rsa');

let provider: LoopbackProvider;
let stranger: LoopbackProvider;
let entry: IssuerEntry;
let tokens = createProviderTokens({ clock, allowPrivateAddresses: true });

before(async () => {
  provider = await startLoopbackProvider();
  stranger = await startLoopbackProvider();
  entry = { issuer: provider.issuer, audiences: [audience] };
});

beforeEach(() => {
  tokens = createProviderTokens({ clock, allowPrivateAddresses: true });
  provider.publish(rsa, ec);
  stranger.publish(attackerKey);
  provider.calls.length = 0;
  stranger.calls.length = 0;
});

after(async () => {
  await provider.stop();
  await stranger.stop();
});

function claimsWith(changes: Readonly<Record<string, unknown>> = {}) {
  const seconds = Math.floor(now / 1000);
  return { iss: provider.issuer, sub: 'ann', aud: audience, iat: seconds, exp: seconds + 3600, ...changes };
}

function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

async function assertRefused(token: string, code = 'token_invalid', issuers: readonly IssuerEntry[] = [entry]) {
  const status = code === 'unavailable' ? 503 : 401;
  await assert.rejects(tokens.verify(token, issuers), { name: 'Problem', code, status }, token);
}

/** So that a refusal is not for want of keys. */
async function warmUp(): Promise<void> {
  await tokens.verify(await rsa.sign(claimsWith()), [entry]);
  provider.calls.length = 0;
}

test('tells who a token is from, by the provider’s own keys', async () => {
  for (const pair of [rsa, ec]) {
    const token = await pair.sign(claimsWith({ email: 'ann@example.com', email_verified: true, given_name: 'Ann' }));
    assert.deepEqual(await tokens.verify(token, [entry]), {
      iss: provider.issuer,
      sub: 'ann',
      email: 'ann@example.com',
      email_verified: true,
      fn: 'Ann',
      ln: '',
    });
  }
  assert.deepEqual(provider.calls, [discoveryPath, keysPath], 'keys are asked for once');
});

test('A11 makes no request about an issuer that is not on the list, however little it differs', async () => {
  const { issuer } = provider;
  const spellings = [`${issuer}/`, issuer.toUpperCase(), ` ${issuer}`, `${issuer}\0`, `${issuer}#`, `${issuer}?`];
  const others = [stranger.issuer, 'https://accounts.google.com', '', issuer.replace('127.0.0.1', 'localhost')];
  for (const iss of [...spellings, ...others]) {
    await assertRefused(await attackerKey.sign(claimsWith({ iss })), 'issuer_not_allowed');
    await assertRefused(await rsa.sign(claimsWith({ iss })), 'issuer_not_allowed');
  }
  await assertRefused(await rsa.sign(claimsWith()), 'issuer_not_allowed', []);
  assert.deepEqual([provider.calls, stranger.calls], [[], []]);
});

test('A32 what is no token at all is refused before anything is asked', async () => {
  const [header = '', payload = '', signature = ''] = (await rsa.sign(claimsWith())).split('.');
  const texts = ['', ' ', 'null', 'undefined', '.', '..', '...', 'a.b.c', `${header}.${payload}`, `${payload}`];
  const payloads = ['', '{}', 'null', '[]', '"text"', '{', { iss: null }, { iss: [entry.issuer] }, { iss: {} }];
  for (const text of texts) await assertRefused(text);
  for (const part of payloads) await assertRefused(`${header}.${encoded(part)}.${signature}`);
  const long = `${header}.${encoded(claimsWith({ long: 'x'.repeat(8192) }))}.${signature}`;
  await assertRefused(long);
  assert.deepEqual(provider.calls, []);
});

test('A01 A02 an unsigned token is refused, however it spells that, without any request', async () => {
  const [, , signature = ''] = (await rsa.sign(claimsWith())).split('.');
  await assertRefused(new UnsecuredJWT(claimsWith()).encode());
  for (const alg of ['none', 'None', 'nOnE', 'NONE', 'none ', '', null, 0, ['RS256'], { toString: 1 }, undefined]) {
    const unsigned = `${encoded({ alg, kid: 'rsa' })}.${encoded(claimsWith())}.`;
    await assertRefused(unsigned);
    await assertRefused(`${unsigned}${signature}`);
  }
  assert.deepEqual(provider.calls, []);
  const stripped = `${encoded({ alg: 'RS256', kid: 'rsa' })}.${encoded(claimsWith())}.`;
  await assertRefused(stripped);
});

test('A04 A05 the public key is no secret: a token that is signed with it as one is refused without any request', async () => {
  const publicKey = createPublicKey({ key: { ...rsa.jwk, kty: 'RSA' }, format: 'jwk' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const secrets = [pem, pem.trim(), `\n${pem}`, pkcs1, pkcs1.trim(), JSON.stringify(rsa.jwk), String(rsa.jwk.n), 'rsa'];
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    for (const secret of secrets) {
      const key = new TextEncoder().encode(secret.padEnd(64, '\0'));
      const forged = await new SignJWT(claimsWith()).setProtectedHeader({ alg, kid: 'rsa' }).sign(key);
      await assertRefused(forged);
    }
  }
  assert.deepEqual(provider.calls, []);
});

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

test('A04 a key without an algorithm verifies those of its type that the platform takes, and no other', async () => {
  const bare = await makeKeyPair('RS512', 'bare', { alg: undefined });
  provider.publish(bare, ec);
  await tokens.verify(await bare.sign(claimsWith()), [entry]);
  const [, payload = '', signature = ''] = (await bare.sign(claimsWith())).split('.');
  const others = ['RS256', 'PS512', 'ES256', 'ES384', 'EdDSA', 'Ed25519', 'HS256', 'HS512', 'RSA1_5', 'none'];
  for (const alg of others) await assertRefused(`${encoded({ alg, kid: 'bare' })}.${payload}.${signature}`);
  for (const alg of rsaAlgorithms) {
    const pair = await makeKeyPair(alg, alg, { alg: undefined });
    provider.publish(pair, ec);
    now += 60_000;
    assert.equal((await tokens.verify(await pair.sign(claimsWith()), [entry])).sub, 'ann', alg);
  }
});

test('A04 the public key without an algorithm is no secret either', async () => {
  const bare = await makeKeyPair('RS256', 'bare', { alg: undefined });
  provider.publish(bare);
  await tokens.verify(await bare.sign(claimsWith()), [entry]);
  const publicKey = createPublicKey({ key: { ...bare.jwk, kty: 'RSA' }, format: 'jwk' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  for (const alg of ['HS256', 'HS384', 'HS512'])
    for (const secret of [pem, pem.trim(), String(bare.jwk.n), JSON.stringify(bare.jwk)]) {
      const key = new TextEncoder().encode(secret.padEnd(64, '\0'));
      await assertRefused(await new SignJWT(claimsWith()).setProtectedHeader({ alg, kid: 'bare' }).sign(key));
    }
});

test('a token with a key id is verified by the only key that fits, where that key has no id', async () => {
  for (const alg of [...rsaAlgorithms, 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    const unnamed = await makeKeyPair(alg, 'signer', { kid: undefined, alg: undefined });
    const other = alg.startsWith('ES') ? rsa : ec;
    provider.publish(unnamed, other);
    now += 600_000;
    assert.equal((await tokens.verify(await unnamed.sign(claimsWith()), [entry])).sub, 'ann', alg);
    await assertRefused(await (await makeKeyPair(alg, 'signer')).sign(claimsWith()));
  }
});

test('A04 a key verifies its own algorithm and nothing else', async () => {
  const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
  const pairs = await Promise.all(algorithms.map((alg) => makeKeyPair(alg, alg)));
  provider.publish(...pairs);
  for (const [index, pair] of pairs.entries()) {
    const token = await pair.sign(claimsWith());
    assert.equal((await tokens.verify(token, [entry])).sub, 'ann');
    const [, payload = '', signature = ''] = token.split('.');
    for (const alg of algorithms.filter((_, other) => other !== index))
      await assertRefused(`${encoded({ alg, kid: pair.jwk.kid })}.${payload}.${signature}`);
  }
});

test('a symmetric key, one for encryption, one with its private half and one for other uses verify nothing', async () => {
  const secret = { kty: 'oct', k: encoded('s'.repeat(64)), kid: 'secret', alg: 'HS256' };
  const encryption = await makeKeyPair('RS256', 'encryption', { use: 'enc' });
  const unusable: readonly ProviderKeyPair[] = [
    {
      jwk: secret,
      sign: async (claims) =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', kid: 'secret' }).sign(Buffer.alloc(64, 's')),
    },
    encryption,
    await makeKeyPair('RS256', 'told', { d: 'AQAB' }),
    await makeKeyPair('RS256', 'operations', { key_ops: ['encrypt'] }),
    await makeKeyPair('RS256', 'other', { alg: 'RSA-OAEP' }),
  ];
  provider.publish(...unusable, rsa);
  for (const pair of unusable) await assertRefused(await pair.sign(claimsWith()));
  await tokens.verify(await rsa.sign(claimsWith()), [entry]);
});

test('A07 a token that demands an extension to be understood is refused', async () => {
  await warmUp();
  await assertRefused(await rsa.sign(claimsWith(), { crit: ['x'], x: 1 }));
  await assertRefused(await rsa.sign(claimsWith(), { crit: ['b64'], b64: true }));
  for (const crit of [[], 'x', ['x'], ['b64'], null, {}, ['exp']]) {
    const [, payload, signature] = (await rsa.sign(claimsWith())).split('.');
    await assertRefused(`${encoded({ alg: 'RS256', kid: 'rsa', crit })}.${payload}.${signature}`);
  }
});

test('A10 a key that a token brings along or points to is not looked at', async () => {
  await warmUp();
  const address = `${stranger.issuer}${keysPath}`;
  const pointers = [{ jwk: attackerKey.jwk }, { jku: address }, { x5u: address }, { x5c: ['AAAA'] }];
  for (const pointer of pointers) {
    await assertRefused(await attackerKey.sign(claimsWith(), pointer));
    await tokens.verify(await rsa.sign(claimsWith(), pointer), [entry]);
  }
  assert.deepEqual([provider.calls, stranger.calls], [[], []]);
});

test('A38 an encrypted token is refused without a look inside or any request', async () => {
  const inner = new TextEncoder().encode(await rsa.sign(claimsWith()));
  const key = await importJWK({ ...rsa.jwk, alg: 'RSA-OAEP', use: 'enc' });
  const header = { alg: 'RSA-OAEP', enc: 'A256GCM', cty: 'JWT', iss: entry.issuer };
  await assertRefused(await new CompactEncrypt(inner).setProtectedHeader(header).encrypt(key));
  const costly = encoded({ alg: 'PBES2-HS256+A128KW', p2c: 2 ** 31, p2s: 'AAAA', enc: 'A128GCM', zip: 'DEF' });
  await assertRefused(`${costly}.AAAA.${encoded(claimsWith())}.AAAA.AAAA`);
  assert.deepEqual(provider.calls, []);
});

test('the id of a key is a text or left out', async () => {
  const lone = await makeKeyPair('RS384', 'lone');
  provider.publish(rsa, lone);
  const [, payload, signature] = (await lone.sign(claimsWith(), { kid: undefined })).split('.');
  for (const kid of [null, 7, [], ['lone'], {}, true])
    await assertRefused(`${encoded({ alg: 'RS384', kid })}.${payload}.${signature}`);
  assert.deepEqual(provider.calls, []);
  await tokens.verify(await lone.sign(claimsWith(), { kid: undefined }), [entry]);
});

test('an access token and a notice of a sign-out are no identity tokens', async () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  await assertRefused(await rsa.sign(claimsWith({ events })));
  for (const typ of ['at+jwt', 'application/at+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt', '', null, 7])
    await assertRefused(await rsa.sign(claimsWith(), { typ }));
  for (const typ of ['JWT', 'jwt', 'application/jwt', undefined])
    await tokens.verify(await rsa.sign(claimsWith(), typ === undefined ? {} : { typ }), [entry]);
});

test('a signature holds for the very text that was signed', async () => {
  await warmUp();
  const token = await rsa.sign(claimsWith());
  const [header = '', payload = '', signature = ''] = token.split('.');
  await assertRefused(`${header}.${encoded(claimsWith({ sub: 'bob' }))}.${signature}`);
  await assertRefused(`${header}.${payload}.${(await rsa.sign(claimsWith({ sub: 'bob' }))).split('.')[2]}`);
  await assertRefused(await attackerKey.sign(claimsWith()));
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.nat(255), async (at, byte) => {
      const changed = token.slice(0, at) + String.fromCharCode(byte) + token.slice(at + 1);
      const verdict = await tokens.verify(changed, [entry]).then(
        ({ sub }) => sub,
        ({ code }) => code,
      );
      if (changed === token) return;
      assert.match(verdict, /^(token_invalid|issuer_not_allowed)$/, changed);
    }),
    { numRuns: thinned(300) },
  );
});

test('A05 a token has one spelling: padding, other alphabets and bits behind the last byte are refused', async () => {
  await warmUp();
  const [header = '', payload = '', signature = ''] = (await rsa.sign(claimsWith({ n: '?>' }))).split('.');
  const parts = [header, payload, signature];
  const spelled = (at: number, change: (part: string) => string): string =>
    parts.map((part, index) => (index === at ? change(part) : part)).join('.');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const nextBit = (part: string): string =>
    part.slice(0, -1) + alphabet.charAt(alphabet.indexOf(part.slice(-1)) ^ (part.length % 4 === 0 ? 0 : 1));
  await tokens.verify(parts.join('.'), [entry]);
  for (const at of [0, 1, 2])
    for (const change of [
      (part: string) => `${part}=`,
      (part: string) => part.padEnd(Math.ceil(part.length / 4) * 4 + 4, '='),
      (part: string) => `${part}A`,
      (part: string) => `${part} `,
      (part: string) => `${part.slice(0, 4)}\n${part.slice(4)}`,
      (part: string) => part.replaceAll('-', '+').replaceAll('_', '/'),
      nextBit,
    ]) {
      const changed = spelled(at, change);
      if (changed !== parts.join('.')) await assertRefused(changed);
    }
  assert.notEqual(spelled(2, nextBit), parts.join('.'), 'a signature of 256 bytes has bits to spare');
});

test('a key of the curve Ed25519 verifies `EdDSA` and `Ed25519`, which are one algorithm, under either name', async () => {
  for (const [published, expected] of [
    ['EdDSA', 'EdDSA'],
    ['EdDSA', 'Ed25519'],
    ['Ed25519', 'EdDSA'],
    ['Ed25519', 'Ed25519'],
  ]) {
    const pair = await makeKeyPair('Ed25519', 'okp', { alg: published });
    provider.publish(pair);
    tokens = createProviderTokens({ clock, allowPrivateAddresses: true });
    assert.equal((await tokens.verify(await pair.sign(claimsWith(), { alg: expected }), [entry])).sub, 'ann');
    const stranger = await makeKeyPair('Ed25519', 'okp');
    await assertRefused(await stranger.sign(claimsWith(), { alg: expected }));
  }
});

test('A13 A14 A16 A17 a token is good for the clients of its entry alone', async () => {
  await warmUp();
  const two = { ...entry, audiences: [audience, 'acme-ios', ''] };
  const refused: readonly Readonly<Record<string, unknown>>[] = [
    ...[undefined, null, '', [], [''], [null], {}, 0, true, 'other', ['other'], audience.toUpperCase()],
    ...[` ${audience}`, [[audience]], `${audience} other`, { 0: audience, length: 1 }],
  ].map((aud) => ({ aud }));
  const severalFor = [audience, 'other'];
  const foreign = [undefined, null, '', 'other', [audience], 'constructor'].map((azp) => ({ aud: severalFor, azp }));
  for (const changes of [...refused, ...foreign])
    await assertRefused(await rsa.sign(claimsWith(changes)), 'audience_mismatch', [two]);
  const good = [{ aud: [audience] }, { aud: 'acme-ios' }, { aud: severalFor, azp: audience }, { azp: 'acme-android' }];
  for (const changes of [...good, { aud: severalFor, azp: 'acme-ios' }])
    await tokens.verify(await rsa.sign(claimsWith(changes)), [two]);
  const beta = { ...entry, audiences: ['beta-web'] };
  await assertRefused(await rsa.sign(claimsWith()), 'audience_mismatch', [beta]);
  await assertRefused(await rsa.sign(claimsWith()), 'audience_mismatch', [{ ...entry, audiences: [] }]);
});

test('A23 times are held to with a minute of leeway, at every use', async () => {
  const seconds = Math.floor(now / 1000);
  const verdicts: readonly (readonly [changes: Readonly<Record<string, unknown>>, verdict: string])[] = [
    [{ exp: seconds - 59 }, 'ann'],
    [{ exp: seconds - 60 }, 'token_expired'],
    [{ nbf: seconds + 60, iat: seconds + 60 }, 'ann'],
    [{ nbf: seconds + 61 }, 'token_invalid'],
    [{ iat: seconds + 61 }, 'token_invalid'],
    [{ iat: undefined }, 'ann'],
    [{ exp: 253_402_300_799 }, 'ann'],
    ...[253_402_300_800, now + 3_600_000, seconds + 60.5, 1e20, 1e300, -1].map(
      (exp) => [{ exp }, 'token_invalid'] as const,
    ),
    ...[undefined, null, '2030-01-01', String(seconds + 60), [seconds + 60], {}].map(
      (exp) => [{ exp }, 'token_invalid'] as const,
    ),
    ...[null, '0', [], true, 0.5, -1, -1e20].flatMap(
      (time) =>
        [
          [{ nbf: time }, 'token_invalid'],
          [{ iat: time }, 'token_invalid'],
        ] as const,
    ),
    [{ aud: 'other', exp: seconds - 60 }, 'audience_mismatch'],
  ];
  for (const [changes, expected] of verdicts) {
    const verdict = tokens.verify(await rsa.sign(claimsWith(changes)), [entry]);
    assert.equal(
      await verdict.then(
        ({ sub }) => sub,
        ({ code }) => code,
      ),
      expected,
      inspect(changes),
    );
  }
  const token = await rsa.sign(claimsWith());
  await tokens.verify(token, [entry]);
  now += 3_660_000;
  await assertRefused(token, 'token_expired');
});

test('a refusal says nothing of what stands in the token, also not to a log', async () => {
  const email = 'canary@example.com';
  const seconds = Math.floor(now / 1000);
  for (const changes of [{ exp: seconds - 3600 }, { aud: 'other' }, { sub: '' }, { nbf: seconds + 3600 }]) {
    const token = await rsa.sign(claimsWith({ email, ...changes }));
    await assert.rejects(tokens.verify(token, [entry]), (error) => {
      const shown = inspect(error, { depth: 9 });
      return !shown.includes(email) && !shown.includes(token.slice(0, 50));
    });
  }
});
