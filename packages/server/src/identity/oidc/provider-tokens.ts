import { type CompactJWSHeaderParameters, compactVerify, errors } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import type { ResolveHost } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import type { IssuerEntry } from '../settings/issuers.ts';
import { isCanonicalToken, unverifiedClaim } from '../tokens/app-tokens.ts';
import { type Claims, checkAudience, checkTimes, invalidToken, type ProviderIdentity, readIdentity } from './claims.ts';
import { createFetchJson } from './fetch-json.ts';
import { membersOf, type ProviderKey } from './key-set.ts';
import { createProviderKeys, type KeyName } from './provider-keys.ts';

/** Reads identity tokens of the OpenID Connect providers that an app trusts. */
export interface ProviderTokens {
  /**
   * Checks, in this order: that the token has its one spelling; that the issuer is one of `issuers`, before anything is sent anywhere; the signature, by
   * the issuer's own keys; for whom the token was made; its times, with 60 seconds of leeway.
   * @throws Problem `token_invalid`, `issuer_not_allowed`, `audience_mismatch`, `token_expired`, and `unavailable`
   * when the provider does not answer and no key that is held serves.
   * @param onPassed Called after each check that the token has passed; from `signature` on the claims are the provider's.
   */
  verify(token: string, issuers: readonly IssuerEntry[], onPassed?: OnPassed): Promise<ProviderIdentity>;
}

/** What a token is held to, in the order that decides which refusal a caller sees. */
export type TokenCheck = 'form' | 'issuer' | 'signature' | 'audience' | 'times' | 'identity';

export type OnPassed = (check: TokenCheck, claims?: Claims) => void;

export interface ProviderTokensDeps {
  readonly clock: Clock;
  /** In development providers on this machine are called, and by plain http; in production public ones by https. */
  readonly allowPrivateAddresses: boolean;
  readonly limits?: Partial<ProviderLimits>;
  /** How the name of a provider becomes addresses; the system's own way unless given. */
  readonly resolve?: ResolveHost;
}

export interface ProviderLimits {
  /** Of one call to a provider. */
  readonly timeoutMilliseconds: number;
  readonly bodyBytesMax: number;
  /** Of providers whose keys are held. */
  readonly providersMax: number;
}

export const defaultLimits: ProviderLimits = { timeoutMilliseconds: 5000, bodyBytesMax: 256 * 1024, providersMax: 500 };

export function createProviderTokens({ clock, limits, ...outbound }: ProviderTokensDeps): ProviderTokens {
  const { providersMax, ...fetchLimits } = { ...defaultLimits, ...limits };
  const fetchJson = createFetchJson({ ...outbound, ...fetchLimits });
  const findKey = createProviderKeys({ clock, fetchJson, providersMax });
  return {
    verify: async (token, issuers, onPassed = () => undefined) => {
      const claimed = isCanonicalToken(token) ? unverifiedClaim(token, 'iss') : undefined;
      if (claimed === undefined) throw invalidToken('form');
      onPassed('form');
      const entry = issuers.find(({ issuer }) => issuer === claimed);
      if (entry === undefined) throw new Problem('issuer_not_allowed', 'the issuer of the token is not allowed here');
      onPassed('issuer');
      const claims = await verifiedClaims(token, (name) => findKey(entry, name));
      // INVARIANT: whose keys were used is who the token is from, even if its text could be read in two ways.
      if (claims.iss !== entry.issuer) throw invalidToken('claim iss');
      onPassed('signature', claims);
      checkAudience(claims, entry.audiences);
      onPassed('audience');
      const nowSeconds = Math.floor(clock.now() / 1000);
      checkTimes(claims, nowSeconds);
      onPassed('times');
      const identity = readIdentity(claims, entry, nowSeconds);
      onPassed('identity');
      return identity;
    },
  };
}

/** What a holder of the public key can check and cannot make. */
export const tokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** The algorithm is judged before `findKey` is called, and the key is one that verifies it. */
async function verifiedClaims(token: string, findKey: (name: KeyName) => Promise<ProviderKey>): Promise<Claims> {
  try {
    const keyOf = async (header: CompactJWSHeaderParameters) => (await findKey(readHeader(header))).key;
    const { payload } = await compactVerify(token, keyOf, { algorithms: [...tokenAlgorithms] });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    return membersOf(claims);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw invalidToken(error.code);
    if (error instanceof SyntaxError) throw invalidToken('payload');
    throw error;
  }
}

/**
 * Keys that a header brings along or points to (`jwk`, `jku`, `x5c`, `x5u`) are not looked at. Some providers do write
 * the address of their keys there, so a token is not refused for it.
 */
function readHeader({ alg, kid, typ, crit }: CompactJWSHeaderParameters): KeyName {
  if (crit !== undefined) throw invalidToken('header crit');
  // Other types are access tokens and notices of a provider, which hold for something else (RFC 8725, 3.11).
  if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?jwt$/i.test(typ)))
    throw invalidToken('header typ');
  if (kid !== undefined && typeof kid !== 'string') throw invalidToken('header kid');
  return { alg, kid };
}
