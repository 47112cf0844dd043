import type { secretsApi } from '@freehold/contract/management/secrets';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { SealedLocation, Sealer } from '../../records/port.ts';
import type { Change, Key, Scope, Store } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { placeOf, type StoredSecret, secretNamePattern, secretPartition, secrets } from './secret-rows.ts';

/**
 * The secrets of an org for other systems, by environment. They are sealed at rest, belong to no configuration, and no
 * function returns a value to a caller of the API.
 */
export interface SecretVault {
  /** By name. */
  list(env: Environment, orgCode: string): Promise<readonly ShownSecret[]>;
  /** Replaces value and hosts together. @throws Problem `validation_failed`, `conflict` where the org has 100. */
  set(command: SecretCommand, wanted: BodyOf<typeof secretsApi.setSecret>): Promise<ShownSecret>;
  /** @throws Problem `not_found`. */
  remove(command: SecretCommand): Promise<void>;
}

export type ShownSecret = ReplyOf<typeof secretsApi.setSecret>;

export interface SecretCommand {
  readonly env: Environment;
  readonly orgCode: string;
  readonly name: string;
  readonly auditContext: AuditContext;
}

export interface SecretVaultDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly sealer: Sealer;
}

const countKey: Key = { pk: 'automation-secret-count', sk: 'all' };
/** In an environment of an org. */
const secretsMax = 100;

export function createSecretVault(deps: SecretVaultDeps): SecretVault {
  return {
    list: async (env, orgCode) => {
      const rows = await secrets.range(deps.stores[env].scope(orgScopeName(orgCode)), secretPartition, {
        limit: secretsMax,
      });
      return rows.map(({ sk, value }) => shown(sk, value));
    },
    set: (command, wanted) => setSecret(deps, command, wanted),
    remove: (command) => removeSecret(deps, command),
  };
}

/** The stored secrets of an org that no known key opens, or that were changed or moved. */
export async function unopenedSecrets(scope: Scope, sealer: Pick<Sealer, 'open'>): Promise<readonly Key[]> {
  const rows = await secrets.range(scope, secretPartition, { limit: secretsMax });
  return rows.filter(({ sk, value }) => !opens(sealer, value.sealed, placeOf(scope, sk)));
}

function opens(sealer: Pick<Sealer, 'open'>, sealed: string, place: SealedLocation): boolean {
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
  { stores, sealer }: SecretVaultDeps,
  command: SecretCommand,
  { value, hosts }: BodyOf<typeof secretsApi.setSecret>,
): Promise<ShownSecret> {
  const { env, orgCode, name, auditContext } = command;
  if (!secretNamePattern.test(name)) throw invalidName();
  const scope = stores[env].scope(orgScopeName(orgCode));
  const sealed = sealer.seal(value, placeOf(scope, name));
  const updated = { hosts, updated_at: auditContext.at, updated_by: auditContext.actor.id, sealed };
  const { planned } = await transact(scope, async () => {
    const row = await secrets.read(scope, name);
    const stored: StoredSecret = { created_at: row?.value.created_at ?? auditContext.at, ...updated };
    const told = audited(command, 'secret.set');
    const changes: readonly Change[] =
      row === undefined
        ? [{ kind: 'add', ...countKey, by: 1, max: secretsMax }, secrets.insert(name, stored), told]
        : [secrets.replace(row, stored), told];
    const refused = (index: number): void => {
      if (row === undefined && index === 0)
        throw new Problem('conflict', `an environment has at most ${secretsMax} secrets: remove some`);
    };
    return { changes, stored, refused };
  });
  return shown(name, planned.stored);
}

async function removeSecret({ stores }: SecretVaultDeps, command: SecretCommand): Promise<void> {
  const { env, orgCode, name } = command;
  if (!secretNamePattern.test(name)) throw notFound();
  const scope = stores[env].scope(orgScopeName(orgCode));
  await transact(scope, async () => {
    const row = await secrets.read(scope, name);
    if (row === undefined) throw notFound();
    const changes: readonly Change[] = [
      removeAsRead(row),
      { kind: 'add', ...countKey, by: -1, min: 0 },
      audited(command, 'secret.removed'),
    ];
    return { changes };
  });
}

function audited({ env, name, auditContext }: SecretCommand, action: 'secret.set' | 'secret.removed'): Change {
  return auditEntry(auditContext, { action, target: { kind: 'secret', id: name }, env });
}

function invalidName(): Problem {
  const message = 'the name must start with a letter and have at most 64 letters, digits, `_` and `-`';
  return invalidBody([{ pointer: '/name', code: 'invalid_name', message }]);
}
