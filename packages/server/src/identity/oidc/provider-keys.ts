import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { AddressRefused } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import { fetchMetadata, IssuerMismatch } from './discovery.ts';
import type { FetchJson } from './fetch-json.ts';
import { findKey, type ProviderKey, readKeySet } from './key-set.ts';

/** Whose keys: the address of the key set is looked up where it is not given. */
export interface KeyOwner {
  readonly issuer: string;
  readonly jwks_uri?: string;
}

/** What a token's header says of the key that it is signed with. */
export interface KeyName {
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
/** How long keys outlive a provider that does not answer. */
const heldMilliseconds = 24 * 60 * 60 * 1000;
const askAgainMilliseconds = 30 * 1000;
/** The same after a failure without keys, if a user waits to sign in. */
const retryMilliseconds = 5 * 1000;

interface KeySet {
  readonly keys: readonly ProviderKey[];
  /** Where they are. */
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
