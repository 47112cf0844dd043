import type { ConfigReader } from '../../config/port.ts';
import { settingOf } from '../../config/port.ts';
import type { AccessEpochs } from '../../iam/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Scope, Store } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { cacheSeconds } from '../settings/plain-settings.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';

export interface SessionDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly platform: Scope;
  readonly signingKeys: SigningKeys;
  readonly issuer: string;
  readonly epochs: AccessEpochs;
  /** By `tokensKeyOf` and `sessionsKeyOf`: tells that this process has ended tokens of a person, or sessions of a builder. */
  readonly revocations: AccessEpochs;
  readonly clock: Clock;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/**
 * Whose name calls are made in: a person who has signed in, also where a builder acts for him; a server that holds a
 * key; a builder in his own name; or the app itself, which no token names.
 */
export type CallerKind = 'person' | 'service_key' | 'builder' | 'app';

/** A token that has been proven and had not been ended when it was looked at last. */
export interface Session {
  readonly kind: CallerKind;
  readonly claims: AppTokenClaims;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Undefined for a token without a workspace. */
  readonly personKey: string | undefined;
  /** Why a token is without a workspace, where there is more to say. */
  readonly outside?: string | undefined;
  readonly tokensKey: string;
  /** The same of the builder who acts, where one does. */
  readonly actorKey?: string | undefined;
  readonly checkedAt: number;
  readonly freshMilliseconds: number;
  /** Of both keys, when the session was looked at. */
  readonly change: number;
  /** Of the signing keys, when the token was verified. */
  readonly removals: number;
}

/** Another number once this process has ended tokens of the person, or sessions of the builder who acts for him. */
export function currentChange(
  { revocations }: Pick<SessionDeps, 'revocations'>,
  { tokensKey, actorKey }: Pick<Session, 'tokensKey' | 'actorKey'>,
): number {
  // Both only grow, so no two states have one sum.
  return revocations.current(tokensKey) + (actorKey === undefined ? 0 : revocations.current(actorKey));
}

/** One for all of a person's tokens for a workspace, and for no other person's. */
export function personKeyOf(kind: CallerKind, claims: AppTokenClaims): string | undefined {
  const { env, org, tenant_id, tenant_code, member_since, sub } = claims;
  if (tenant_id === undefined) return undefined;
  return JSON.stringify([kind, env, org, tenant_id, tenant_code, member_since, sub]);
}

/** For how long a node may go by what it knows. */
export async function freshMilliseconds(
  { configs }: Pick<SessionDeps, 'configs'>,
  { env, org }: Pick<AppTokenClaims, 'env' | 'org'>,
): Promise<number> {
  return settingOf(await configs[env].current(org), env, cacheSeconds) * 1000;
}
