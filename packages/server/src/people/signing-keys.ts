import type { KeyObject } from 'node:crypto';
import type { platformApi } from '@freehold/contract/management/platform';
import type { ReplyOf } from '@freehold/contract/route';
import { platformActor } from '../audit/audit-entry.ts';
import type { OperatorLog } from '../audit/operator-log.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import { type Repeated, repeat } from '../lib/scheduling/repeat.ts';
import { createSerializer } from '../lib/scheduling/serializer.ts';
import type { SecretsVault } from './secrets.ts';
import {
  type KeyTimeline,
  openSigningKey,
  type PublicSigningJwk,
  publishedMilliseconds,
  type RecordKeyChange,
  type SigningKey,
  SpareKey,
  type StoredSigningKey,
  signerAt,
  type TimedKey,
  timelineOf,
  waitingAt,
  withoutExpired,
  withoutKey,
} from './signing-key.ts';

/** The keys that app tokens are signed and verified by, as this node knows them now. */
export interface SigningKeys {
  /** Signs new tokens. */
  current(): { readonly kid: string; readonly privateKey: KeyObject };
  /** The public key of this id, while its tokens hold. */
  find(kid: string): KeyObject | undefined;
  /** The body of `/.well-known/jwks.json`: every key whose tokens hold, also those to come. */
  jwks(): { readonly keys: readonly PublicSigningJwk[] };
  /** Grows when keys are gone: what was verified before has to be verified again. */
  readonly removals: number;
}

/** An operator's actions on them. A change is kept when it resolves, and holds here; on others once they look. */
interface SigningKeyAdmin {
  list(): readonly ShownSigningKey[];
  /** The key that is to sign next: a new one, or the one already waiting. @throws Problem `conflict`. */
  rotate(recordChange?: RecordKeyChange): Promise<{ readonly key: ShownSigningKey; readonly isNew: boolean }>;
  /** Ends every token of a key; where no other is there to sign, one is made. @throws Problem `not_found`. */
  revoke(
    kid: string,
    recordChange?: { readonly revoked: RecordKeyChange; readonly made: RecordKeyChange },
  ): Promise<void>;
}

export type ShownSigningKey = ReplyOf<typeof platformApi.rotateSigningKeys>;

export interface LiveSigningKeys extends SigningKeys, SigningKeyAdmin {
  /** Learns what another node has changed, beside any change that is under way here. */
  learn(): Promise<void>;
  /** Learns what other nodes changed, drops what has expired, and has a key that is too old followed by another. */
  tend(recordChange?: RecordKeyChange): Promise<void>;
}

export interface SigningKeysDeps {
  readonly vault: SecretsVault;
  readonly clock: Clock;
  /** The maximum age of a key that signs; 0 is any age. */
  readonly ageDaysMax?: number;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

const recordNothing: RecordKeyChange = async () => undefined;

/** The key set is fetched by every verifier, so it stays short whatever is asked for. */
const keysMax = 8;

/** @throws Error with a sentence for the operator when there are no keys, or damaged ones. */
export async function openSigningKeys(deps: SigningKeysDeps): Promise<LiveSigningKeys> {
  const { clock } = deps;
  const inTurn = createSerializer<'keys' | 'learning'>();
  let learned = 0;
  // In turn and from the vault, so that what is known never becomes older.
  const learn = (): Promise<void> => {
    learned += 1;
    return inTurn('learning', async () => adopt((await deps.vault.read()).secrets.signing_keys ?? []));
  };
  let ring = openRing((await deps.vault.read()).secrets.signing_keys ?? []);
  let removals = 0;
  const spare = new SpareKey();
  const adopt = (keys: readonly StoredSigningKey[]): void => {
    const before = ring;
    ring = openRing(keys, before);
    spare.see(keys);
    if (before.timeline.some(({ stored: { kid } }) => !ring.byKid.has(kid))) removals += 1;
  };
  const change = (plan: KeyPlan): Promise<void> =>
    inTurn('keys', async () => {
      const before = learned;
      // If the outcome of the last change was unknown, it is learned here.
      const learnAndPlan: KeyPlan = (keys, now) => {
        if (learned === before) adopt(keys);
        return plan(keys, now);
      };
      const changed = await changeKeys(deps, learnAndPlan);
      if (learned === before) adopt(changed);
      else await learn();
    });
  const holding = () => ring.timeline.filter(({ verifiesUntil }) => verifiesUntil > clock.now());
  const list = () => holding().map((key) => shown(key, ring.timeline, clock.now()));
  return {
    learn,
    current: () => signerAt(ring.timeline, clock.now()).key,
    find: (kid) => {
      const found = ring.byKid.get(kid);
      return found !== undefined && found.verifiesUntil > clock.now() ? found.key.publicKey : undefined;
    },
    jwks: () => ({ keys: holding().map(({ key }) => key.publicJwk) }),
    get removals() {
      return removals;
    },
    list,
    rotate: async (recordChange = recordNothing) => {
      let isNew = false;
      await change(async (keys, now) => {
        isNew = waitingAt(timelineOf(keys), now) === undefined;
        return isNew ? withNewKey(withoutExpired(keys, now), now, { spare, recordChange }) : keys;
      });
      const key = list().find(({ state }) => state === 'published');
      if (key === undefined) throw new Problem('conflict', 'the keys have changed meanwhile: list them and try again');
      return { key, isNew };
    },
    revoke: (kid, notify = { revoked: recordNothing, made: recordNothing }) => {
      let isRecorded = false;
      return change(async (keys, now) => {
        if (!keys.some((key) => key.kid === kid)) throw notFound();
        if (!isRecorded) await notify.revoked(kid);
        isRecorded = true;
        return withoutKey(keys, kid, { now, fresh: () => spare.take({ now }, notify.made) });
      });
    },
    tend: (recordChange = recordNothing) =>
      change(async (keys, now) => {
        const validKeys = withoutExpired(keys, now);
        return isTooOld(validKeys, now, deps.ageDaysMax ?? 0)
          ? withNewKey(validKeys, now, { spare, recordChange })
          : validKeys;
      }),
  };
}

interface KeyRing {
  readonly timeline: readonly RingKey[];
  readonly byKid: ReadonlyMap<string, RingKey>;
}

interface RingKey extends TimedKey {
  readonly key: SigningKey;
}

/** Opening a key is a few hundred microseconds of cryptography: those known from before are taken over. */
function openRing(keys: readonly StoredSigningKey[], before?: KeyRing): KeyRing {
  const timeline = timelineOf(keys).map((timed) => {
    const known = before?.byKid.get(timed.stored.kid)?.key;
    return { ...timed, key: known ?? openSigningKey(timed.stored) };
  });
  signerAt(timeline, 0);
  return { timeline, byKid: new Map(timeline.map((key) => [key.stored.kid, key])) };
}

function shown({ stored, signsFrom, verifiesUntil }: TimedKey, timeline: KeyTimeline, now: number): ShownSigningKey {
  const signer = signerAt(timeline, now);
  const phase = signsFrom > signer.signsFrom ? 'published' : 'retiring';
  return {
    kid: stored.kid,
    state: stored.kid === signer.stored.kid ? 'signing' : phase,
    created_at: stored.created_at,
    signs_from: stored.signs_from,
    ...(Number.isFinite(verifiesUntil) ? { verifies_until: timestamp(verifiesUntil) } : {}),
  };
}

type KeyPlan = (
  keys: readonly StoredSigningKey[],
  now: number,
) => readonly StoredSigningKey[] | Promise<readonly StoredSigningKey[]>;

/** Plans again where another node was faster. A plan that gives back the very keys it was given writes nothing. */
async function changeKeys({ vault, clock }: SigningKeysDeps, plan: KeyPlan): Promise<readonly StoredSigningKey[]> {
  for (;;) {
    const kept = await vault.read();
    const { signing_keys: keys = [] } = kept.secrets;
    const planned = await plan(keys, clock.now());
    if (planned === keys || (await vault.write({ ...kept.secrets, signing_keys: planned }, kept))) return planned;
  }
}

async function withNewKey(
  keys: readonly StoredSigningKey[],
  now: number,
  { spare, recordChange }: { readonly spare: SpareKey; readonly recordChange: RecordKeyChange },
): Promise<readonly StoredSigningKey[]> {
  if (keys.length >= keysMax)
    throw new Problem('conflict', `there are ${keysMax} keys already: wait until the oldest verifies no more tokens`);
  return [...keys, await spare.take({ now, signsFrom: now + publishedMilliseconds }, recordChange)];
}

/** Whether the key that signs is due to be followed by another, and there is room for one. */
function isTooOld(keys: readonly StoredSigningKey[], now: number, ageDaysMax: number): boolean {
  const timeline = timelineOf(keys);
  const age = now - Date.parse(signerAt(timeline, now).stored.created_at);
  const isDue = ageDaysMax > 0 && age > ageDaysMax * dayMilliseconds && waitingAt(timeline, now) === undefined;
  return isDue && keys.length < keysMax;
}

/** The time within which a node learns of changes of the keys by another. */
const turnMilliseconds = 10_000;

export interface KeyUpkeepDeps {
  readonly keys: Pick<LiveSigningKeys, 'tend'>;
  readonly operatorLog: OperatorLog;
  readonly onError: (error: unknown) => void;
}

/** Tends the keys in the background, so that no request ever waits for it. A turn that fails is tried again by the next. */
export function startKeyUpkeep({ keys, operatorLog, onError }: KeyUpkeepDeps): Repeated {
  const recordChange = (kid: string): Promise<void> =>
    operatorLog.record('', { action: 'signing_key.made', target: { kind: 'signing_key', id: kid } }, platformActor);
  return repeat(() => keys.tend(recordChange), { milliseconds: turnMilliseconds, onError });
}
