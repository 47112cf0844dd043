/** Secrets of an org for other systems: how they are stored, set, opened, and named by logic blocks. */
import type { ListedSecret, secretsApi } from '@freehold/contract/management/secrets';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { Read } from '@freehold/contract/schema';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigReader, itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { Sealer } from '../../records/port.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { json, removeAsRead, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type OrgPlace, orgScope, type SharedDeps } from '../automation-deps.ts';
import { storedContents } from '../blocks/stored-blocks.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { placedSteps } from '../kinds/logicblock-steps.ts';

interface StoredSecret extends Omit<ReplyOf<typeof secretsApi.setSecret>, 'name'> {
  readonly sealed: string;
}

const secretPartition = 'automation-secret';
const secretNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const secrets = table(
  (name: string) => ({ pk: secretPartition, sk: name }),
  json<StoredSecret>('secret', { sealed: 'string', hosts: 'object', created_at: 'string', updated_at: 'string' }),
);

/** A value is sealed for its place, so that it opens at no other. */
function placeOf(scope: Scope, name: string) {
  return { scope: scope.name, entityName: secretPartition, id: name, field: 'value' };
}

export type SecretVault = ReturnType<typeof createSecretVault>;

type ShownSecret = ReplyOf<typeof secretsApi.setSecret>;

interface SecretCommand extends OrgPlace {
  readonly name: string;
  readonly auditContext: AuditContext;
}

interface SecretVaultDeps extends Pick<SharedDeps, 'stores'> {
  readonly sealer: Sealer;
}

const countKey: Key = { pk: 'automation-secret-count', sk: 'all' };
/** In an environment of an org. */
const secretsMax = 100;

/**
 * The secrets of an org for other systems, by environment. They are sealed at rest, belong to no configuration, and no
 * function returns a value to a caller of the API.
 */
export function createSecretVault(deps: SecretVaultDeps) {
  return {
    /** By name. */
    list: async (env: Environment, orgCode: string): Promise<readonly ShownSecret[]> => {
      const rows = await secrets.range(orgScope(deps, { env, orgCode }), secretPartition, { limit: secretsMax });
      return rows.map(({ sk, value }) => shown(sk, value));
    },
    /** Replaces value and hosts together. @throws Problem `validation_failed`, `conflict` where the org has 100. */
    set: (command: SecretCommand, wanted: BodyOf<typeof secretsApi.setSecret>) => setSecret(deps, command, wanted),
    /** @throws Problem `not_found`. */
    remove: (command: SecretCommand) => removeSecret(deps, command),
  };
}

/** The stored secrets of an org that no known key opens, or that were changed or moved. */
export async function unopenedSecrets(scope: Scope, sealer: Pick<Sealer, 'open'>): Promise<readonly Key[]> {
  const rows = await secrets.range(scope, secretPartition, { limit: secretsMax });
  return rows.filter(({ sk, value }) => !opens(sealer, value.sealed, placeOf(scope, sk)));
}

function opens(sealer: Pick<Sealer, 'open'>, sealed: string, place: ReturnType<typeof placeOf>): boolean {
  try {
    sealer.open(sealed, place);
    return true;
  } catch {
    return false;
  }
}

/** Names the members, so that a member that is stored later stays hidden. */
function shown(name: string, { hosts, created_at, updated_at, updated_by }: StoredSecret): ShownSecret {
  return { name, hosts, created_at, updated_at, updated_by };
}

async function setSecret(
  deps: SecretVaultDeps,
  command: SecretCommand,
  { value, hosts }: BodyOf<typeof secretsApi.setSecret>,
): Promise<ShownSecret> {
  const { name, auditContext } = command;
  const message = 'the name must start with a letter and have at most 64 letters, digits, `_` and `-`';
  if (!secretNamePattern.test(name)) throw invalidBody([{ pointer: '/name', code: 'invalid_name', message }]);
  const scope = orgScope(deps, command);
  const sealed = deps.sealer.seal(value, placeOf(scope, name));
  const updated = { hosts, updated_at: auditContext.at, updated_by: auditContext.actor.id, sealed };
  const { planned } = await transact(scope, async () => {
    const row = await secrets.read(scope, name);
    const stored: StoredSecret = { created_at: row?.value.created_at ?? auditContext.at, ...updated };
    const entries = audited(command, 'secret.set');
    const changes: readonly Change[] =
      row === undefined
        ? [{ kind: 'add', ...countKey, by: 1, max: secretsMax }, secrets.insert(name, stored), entries]
        : [secrets.replace(row, stored), entries];
    const refused = (index: number): void => {
      if (row === undefined && index === 0)
        throw new Problem('conflict', `an environment has at most ${secretsMax} secrets: remove some`);
    };
    return { changes, stored, refused };
  });
  return shown(name, planned.stored);
}

async function removeSecret(deps: SecretVaultDeps, command: SecretCommand): Promise<void> {
  const { name } = command;
  if (!secretNamePattern.test(name)) throw notFound();
  const scope = orgScope(deps, command);
  await transact(scope, async () => {
    const row = await secrets.read(scope, name);
    if (row === undefined) throw notFound();
    const count: Change = { kind: 'add', ...countKey, by: -1, min: 0 };
    return { changes: [removeAsRead(row), count, audited(command, 'secret.removed')] };
  });
}

function audited({ env, name, auditContext }: SecretCommand, action: 'secret.set' | 'secret.removed'): Change {
  return auditEntry(auditContext, { action, target: { kind: 'secret', id: name }, env });
}

export type SecretReader = ReturnType<typeof createSecretReader>;

/** Opens secrets for what the platform itself sends and checks. No handler of a request has one. */
export function createSecretReader(deps: Pick<SharedDeps, 'stores'> & { readonly sealer: Pick<Sealer, 'open'> }) {
  return {
    /** As it is stored now, with the hosts to which it may be sent; undefined where there is none of the name. */
    open: async (env: Environment, orgCode: string, name: string) => {
      if (!secretNamePattern.test(name)) return undefined;
      const scope = orgScope(deps, { env, orgCode });
      const row = await secrets.read(scope, name);
      if (row === undefined) return undefined;
      const { sealed, hosts } = row.value;
      return { value: deps.sealer.open(sealed, placeOf(scope, name)), hosts };
    },
  };
}

type SecretReference = NonNullable<Read<typeof ListedSecret>['referenced_by']>[number];

export type SecretReferences = ReturnType<typeof createSecretReferences>;

const blocksMax = 1000;

/**
 * Which live logic blocks of an org name which secrets: by the name of the secret, in the order of the blocks. `isPartial`
 * says that there are blocks that were not looked at.
 */
export function createSecretReferences(deps: {
  readonly stores: SharedDeps['stores'];
  readonly configs: Readonly<Record<Environment, Pick<ConfigReader, 'refresh'>>>;
}) {
  return async (env: Environment, orgCode: string) => {
    const blocks = itemsOfKind(await deps.configs[env].refresh(orgCode), 'logicblock');
    const looked = blocks.toSorted((one, other) => compareBytes(one.name, other.name)).slice(0, blocksMax);
    const byName = new Map<string, SecretReference[]>();
    for await (const { name: logicblock, content } of storedContents(orgScope(deps, { env, orgCode }), looked))
      for (const [secret, use] of namedIn(content))
        byName.set(secret, [...(byName.get(secret) ?? []), { logicblock, use }]);
    return { byName, isPartial: looked.length < blocks.length };
  };
}

/** Each secret once for its use. */
function namedIn(block: LogicBlockContent | undefined): readonly (readonly [string, SecretReference['use']])[] {
  if (block === undefined) return [];
  const inSteps = placedSteps(block.steps).flatMap(({ step }) =>
    step.type === 'http' && step.secret !== undefined ? [step.secret.name] : [],
  );
  return [
    ...[...new Set(block.hook?.secrets)].map((name) => [name, 'hook'] as const),
    ...[...new Set(inSteps)].map((name) => [name, 'http'] as const),
  ];
}
