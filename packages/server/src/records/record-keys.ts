import type { AuditCaller } from '../audit/audit-entry.ts';
import { Problem } from '../lib/problem.ts';
import { type CompiledEntity, fillTemplate, readTemplate, reservedTokens } from '../schema/port.ts';
import { type Key, limits } from '../store/port.ts';
import { type Workspace, workspaceOrg } from '../tenancy/port.ts';
import type { RecordData, StoredRecord } from './record.ts';

/** The key of a new record. @throws Problem `validation_failed` naming the token that has no value, or too long a one. */
export function newRecordKey(entity: CompiledEntity, data: RecordData, workspace: Workspace, actor: Actor): Key {
  return fillKey(entity, (token) => {
    const own = workspaceToken(token, workspace);
    if (own !== undefined) return own;
    if (entity.fields.has(token)) return asToken(data[token]);
    if (token === 'id') return data.id;
    if (token === 'user_id') return actor.userId;
    return asToken(actor.claims[token]);
  });
}

/**
 * The key of a record after an update. Tokens that are not fields keep the value the record was made with, so that
 * another person's update does not move it.
 */
export function updatedRecordKey(entity: CompiledEntity, stored: StoredRecord, data: RecordData): Key {
  const tokens = [...entity.keys.pk.tokens, ...entity.keys.sk.tokens];
  const isMoved = (token: string): boolean =>
    entity.fields.has(token) && !reservedTokens.includes(token) && data[token] !== stored.data[token];
  if (!tokens.some(isMoved)) return stored.key;
  const pkValues = readTemplate(entity.keys.pk, stored.key.pk);
  const skValues = readTemplate(entity.keys.sk, stored.key.sk);
  return fillKey(entity, (token) =>
    isMoved(token) ? asToken(data[token]) : (pkValues.get(token) ?? skValues.get(token)),
  );
}

/** The key of a record whose id is known, where its templates allow to say so without reading. */
export function directKey(entity: CompiledEntity, workspace: WorkspaceCodes, id: string): Key | undefined {
  if (entity.directSortPrefix === undefined) return undefined;
  return { pk: directPartition(entity, workspace), sk: entity.directSortPrefix + id };
}

type WorkspaceCodes = Pick<Workspace, 'orgCode' | 'tenantCode'>;

/** The item that is there as long as the record is: the record itself, or its place in the id index. */
export function recordPlace(entity: CompiledEntity, workspace: WorkspaceCodes, id: string): Key {
  return directKey(entity, workspace, id) ?? { pk: entity.idIndexPk, sk: id };
}

/** The one partition that holds every record of an entity that is keyed by id. */
export function directPartition(entity: CompiledEntity, workspace: WorkspaceCodes): string {
  const org = workspaceOrg(workspace);
  let partition = '';
  for (const part of entity.keys.pk.parts) partition += 'literal' in part ? part.literal : org;
  return partition;
}

type TokenValues = (token: string) => string | number | boolean | undefined;

function fillKey(entity: CompiledEntity, values: TokenValues): Key {
  return { pk: fillPart(entity, entity.keys.pk, values), sk: fillPart(entity, entity.keys.sk, values) };
}

function fillPart(entity: CompiledEntity, template: CompiledEntity['keys']['pk'], values: TokenValues): string {
  const filled = fillTemplate(template, values);
  if (filled !== 'too long' && 'missing' in filled) {
    const { missing } = filled;
    throw badKey([missing], 'required', `the record's key needs a value for \`${missing}\``);
  }
  if (filled === 'too long' || Buffer.byteLength(filled.key) > limits.keyBytesMax) {
    const fields = template.tokens.filter((token) => entity.fields.has(token) && !reservedTokens.includes(token));
    throw badKey(fields, 'too_long', `the record's key would be longer than ${limits.keyBytesMax} bytes`);
  }
  return filled.key;
}

/** Tells keys apart: no part of one holds U+0000. */
export function keyText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}

function badKey(tokens: readonly string[], code: string, message: string): Problem {
  const errors = tokens.map((token) => ({ pointer: `/${token}`, code, message }));
  return new Problem('validation_failed', message, { errors });
}

function workspaceToken(token: string, workspace: Workspace): string | undefined {
  switch (token) {
    case 'org':
      return workspaceOrg(workspace);
    case 'tenant_id':
      return workspace.tenantId;
    case 'tenant_code':
      return workspace.tenantCode;
    default:
      return undefined;
  }
}

function asToken(value: unknown): string | number | boolean | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** The author of a write to a record, and the values of the claims in key templates. */
export interface Actor {
  readonly userId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The caller in the audit log. Left out, it is the app's user himself. */
  readonly auditCaller?: AuditCaller;
}
