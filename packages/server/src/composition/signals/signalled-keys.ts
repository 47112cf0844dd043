/** Which writes change what nodes keep in memory: by the place of what is written, whichever route or job writes it. */
import { configHeadKey } from '../../config/port.ts';
import { tokensKeyOf } from '../../people/app-tokens.ts';
import { appUserPartition, sessionsKeyOf } from '../../people/port.ts';
import { secretsKey } from '../../people/secrets.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Signal } from '../../signals/signal-set.ts';
import type { Change, Put, Remove, ScopeName } from '../../store/port.ts';
import { type Environment, orgScopeName, ownerOfScope } from '../../tenancy/port.ts';

interface SpaceScope {
  readonly space: 'platform' | Environment;
  readonly scope: ScopeName;
}

/** @param all the changes of the commit. */
type Rule = (change: Put | Remove, place: SpaceScope, all: readonly Change[]) => Signal | undefined;

/** By the first word of the partition; `data#` of the entities of access control. Others hold nothing that nodes keep. */
export const signalledPartitions: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['platform', ({ sk }) => (sk === secretsKey.sk ? { kind: 'keys', name: 'keys' } : undefined)],
  ['plan', ({ sk }) => ({ kind: 'plan', name: orgScopeName(sk) })],
  ['org', ofKnown(({ sk }) => ({ owner: orgScopeName(sk) }))],
  ['org-user', ofKnown(({ sk }) => ofBuilder(sk))],
  ['org-user-session', ({ kind, pk }) => (kind === 'remove' ? ofBuilder(behindSemicolon(pk)) : undefined)],
  ['org-membership', ofKnown(({ pk }) => ofBuilder(behindSemicolon(pk)))],
  ['factors', ({ sk }) => ofBuilder(sk)],
  ['app-user', ofKnown(({ sk }, place) => ofPerson(sk, place))],
  ['service-key', ofKnown(({ sk }, place) => ofPerson(sk, place))],
  // Only an expired row is removed.
  ['ended-token', ({ kind }, place, all) => (kind === 'put' ? ofPerson(personIn(all), place) : undefined)],
  ['config', ({ pk, sk }, place) => (pk === configHeadKey.pk && sk === configHeadKey.sk ? ofConfig(place) : undefined)],
  ['event-pause', (_, place) => ofConfig(place)],
  // Of an org the row, by which automation knows that one is suspended; of a workspace its head.
  [
    'workspace',
    (_, place) => (ownerOfScope(place.scope)?.tenantCode === undefined ? ofConfig(place) : ofRights(place)),
  ],
  ['iam', (_, place) => ofRights(place)],
  ...[...systemEntities.keys()].map((name): [string, Rule] => [`data#${name}`, (_, place) => ofRights(place)]),
]);

/** The part of it that a commit changes. */
export function signalsOf(place: SpaceScope, changes: readonly Change[]): readonly Signal[] {
  const signals: Signal[] = [];
  for (const change of changes) {
    if (change.kind !== 'put' && change.kind !== 'remove') continue;
    const rule = signalledPartitions.get(partitionName(change.pk));
    const signal = rule?.(change, place, changes);
    if (signal !== undefined) signals.push(signal);
  }
  return signals;
}

export function partitionName(pk: string): string {
  if (pk.startsWith('org#')) return pk.slice(pk.indexOf(';') + 1);
  const end = pk.search(/[;#]/);
  return end === -1 ? pk : pk.slice(0, end);
}

/** Of an account or a key that is being made, no node keeps anything yet. */
function ofKnown(rule: Rule): Rule {
  return (change, ...of) => (change.if === 'absent' ? undefined : rule(change, ...of));
}

function ofBuilder(id: string): Signal {
  return { kind: 'sessions', name: sessionsKeyOf(id) };
}

function ofPerson(sub: string | undefined, { space, scope }: SpaceScope): Signal | undefined {
  const org = ownerOfScope(scope)?.orgCode;
  if (org === undefined || space === 'platform') return undefined;
  return sub === undefined ? { owner: scope } : { kind: 'tokens', name: tokensKeyOf({ env: space, org, sub }) };
}

function ofConfig({ scope }: SpaceScope): Signal {
  return { kind: 'config', name: scope };
}

function ofRights({ scope }: SpaceScope): Signal {
  return { kind: 'rights', name: scope };
}

function behindSemicolon(pk: string): string {
  return pk.slice(pk.indexOf(';') + 1);
}

/** The account that the commit is held to. */
function personIn(changes: readonly Change[]): string | undefined {
  for (const change of changes) if (change.kind === 'check' && change.pk === appUserPartition) return change.sk;
  return undefined;
}
