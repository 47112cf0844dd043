import { type CompactJWSHeaderParameters, compactVerify, errors } from 'jose';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { AddressRefused, type ResolveHost } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import { isCanonicalToken, unverifiedClaim } from '../app-tokens.ts';
import type { IssuerEntry } from '../settings/issuers.ts';
import { type Claims, checkAudience, checkTimes, invalidToken, type ProviderIdentity, readIdentity } from './claims.ts';
import { createFetchJson, type FetchJson, findKey, membersOf, type ProviderKey, readKeySet } from './fetch-json.ts';

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

/** The checks of a token, in the order that decides which refusal a caller sees. */
export type TokenCheck = 'form' | 'issuer' | 'signature' | 'audience' | 'times' | 'identity';

export type OnPassed = (check: TokenCheck, claims?: Claims) => void;

export interface ProviderTokensDeps {
  readonly clock: Clock;
  /** In development providers on this machine are called, and by plain http; in production public ones by https. */
  readonly allowPrivateAddresses: boolean;
  readonly limits?: Partial<ProviderLimits>;
  /** The way the name of a provider becomes addresses; the system's own way unless given. */
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

/** The algorithms by which a holder of the public key can check a token and cannot make one. */
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

/** The algorithm is judged before `findKey` is called, and the key is one of this algorithm. */
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

/** Whose keys: the address of the key set is looked up where it is not given. */
export interface KeyOwner {
  readonly issuer: string;
  readonly jwks_uri?: string;
}

/** The key that a token's header names for its signature. */
interface KeyName {
  readonly alg: string;
  readonly kid: string | undefined;
}

export interface ProviderKeysDeps {
  readonly clock: Clock;
  readonly fetchJson: FetchJson;
  /** Key sets in memory; beyond, the one not used for the longest time is forgotten. */
  readonly providersMax: number;
}

/** @throws Problem `token_invalid` without such a key, `unavailable` and `issuer_not_allowed` where there is no telling. */
export type FindProviderKey = (owner: KeyOwner, name: KeyName) => Promise<ProviderKey>;

export function createProviderKeys({ clock, fetchJson, providersMax }: ProviderKeysDeps): FindProviderKey {
  const rings = new BoundedMap<string, KeyRing>(providersMax);
  return (owner, name) => {
    // Both, since the builder of an app chooses both: the keys that one app names for an issuer are not another's.
    const ringName = JSON.stringify([owner.issuer, owner.jwks_uri]);
    const ring = rings.get(ringName) ?? new KeyRing(clock, (known) => findKeySet(fetchJson, owner, known));
    rings.set(ringName, ring);
    return ring.find(name);
  };
}

const freshMilliseconds = 10 * 60 * 1000;
/** The time for which keys outlive a provider that does not answer. */
const heldMilliseconds = 24 * 60 * 60 * 1000;
const askAgainMilliseconds = 30 * 1000;
/** The same after a failure without keys, if a user waits to sign in. */
const retryMilliseconds = 5 * 1000;

interface KeySet {
  readonly keys: readonly ProviderKey[];
  /** The address of the keys. */
  readonly address: string;
}

/** Receives the address where the keys were found, so that nothing need be asked but the keys. */
type FetchKeySet = (known: string | undefined) => Promise<KeySet>;

/** The keys of one provider, asked for as seldom as may be whatever tokens come in. */
class KeyRing {
  readonly #clock: Clock;
  readonly #fetchKeySet: FetchKeySet;
  #held: (KeySet & { readonly at: number }) | undefined;
  #failure: { readonly problem: Problem; readonly at: number } | undefined;
  #missedAt = Number.NEGATIVE_INFINITY;
  #flight: Promise<void> | undefined;

  constructor(clock: Clock, fetchKeySet: FetchKeySet) {
    this.#clock = clock;
    this.#fetchKeySet = fetchKeySet;
  }

  async find(name: KeyName): Promise<ProviderKey> {
    const before = this.#held;
    if (!this.#isHeldFor(freshMilliseconds)) await this.#refresh();
    const found = this.#pick(name) ?? (await this.#pickAgain(name, this.#held !== before));
    if (found !== undefined) return found;
    throw this.#failure?.problem ?? new Problem('token_invalid', 'the identity token is not valid', {}, 'key');
  }

  /** A key that is not there may be new. Anybody can name keys that are not there, so that is asked now and then only. */
  async #pickAgain(name: KeyName, isJustFetched: boolean): Promise<ProviderKey | undefined> {
    const now = this.#clock.now();
    const isTooSoon = now - this.#missedAt < askAgainMilliseconds;
    if (isTooSoon && this.#flight === undefined) return undefined;
    this.#missedAt = now;
    if (!isJustFetched) await this.#refresh(this.#held?.address);
    return this.#pick(name);
  }

  #pick(name: KeyName): ProviderKey | undefined {
    return this.#isHeldFor(heldMilliseconds) ? findKey(this.#held?.keys ?? [], name) : undefined;
  }

  #isHeldFor(milliseconds: number): boolean {
    return this.#held !== undefined && this.#clock.now() - this.#held.at < milliseconds;
  }

  /** Fetches, or joins who does; never fails, and does nothing soon after a failure. */
  async #refresh(known?: string): Promise<void> {
    const pause = this.#isHeldFor(heldMilliseconds) ? askAgainMilliseconds : retryMilliseconds;
    const isTooSoon = this.#failure !== undefined && this.#clock.now() - this.#failure.at < pause;
    if (isTooSoon) return this.#flight;
    this.#flight ??= this.#fetch(known).finally(() => {
      this.#flight = undefined;
    });
    await this.#flight;
  }

  async #fetch(known: string | undefined): Promise<void> {
    try {
      this.#held = { ...(await this.#fetchKeySet(known)), at: this.#clock.now() };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { problem: explain(error), at: this.#clock.now() };
    }
  }
}

async function findKeySet(fetchJson: FetchJson, owner: KeyOwner, known: string | undefined): Promise<KeySet> {
  const address = owner.jwks_uri ?? known ?? (await fetchMetadata(fetchJson, owner.issuer)).jwks_uri;
  return { keys: readKeySet(await fetchJson(address)), address };
}

/**
 * Says no more than whether to try again: why a connection failed would reveal the network of the platform to a
 * stranger.
 */
function explain(error: unknown): Problem {
  if (error instanceof AddressRefused || error instanceof IssuerMismatch)
    return new Problem('issuer_not_allowed', 'the issuer of the token cannot be trusted', {}, error);
  const details = { retry_after_seconds: retryMilliseconds / 1000 };
  return new Problem('unavailable', 'the keys of the issuer cannot be fetched now', details, error);
}

/** The members of an issuer's discovery document: its keys, and members that only some readers need. */
export interface ProviderMetadata extends Readonly<Record<string, unknown>> {
  readonly jwks_uri: string;
}

/** The discovery document does not belong to the issuer that it was asked for. */
export class IssuerMismatch extends Error {
  /** The issuer that it names. */
  readonly named: unknown;

  constructor(named: unknown) {
    super('the discovery document names another issuer');
    this.named = named;
  }
}

/** The discovery document does not say where the keys are. */
export class NoKeySet extends Error {}

/** OpenID Connect Discovery 1.0, section 4.1. */
export function discoveryAddress(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The document, held to its issuer (OpenID Connect Discovery 1.0, section 4.3). */
export async function fetchMetadata(fetchJson: FetchJson, issuer: string): Promise<ProviderMetadata> {
  const metadata = membersOf(await fetchJson(discoveryAddress(issuer)));
  if (metadata.issuer !== issuer) throw new IssuerMismatch(metadata.issuer);
  const { jwks_uri } = metadata;
  if (typeof jwks_uri !== 'string') throw new NoKeySet('the discovery document names no key set');
  return { ...metadata, jwks_uri };
}
