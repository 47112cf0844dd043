import type { AuditEntry } from '@freehold/contract/management/audit';
import type { Read } from '@freehold/contract/schema';
import { type DescribedEntry, predicateOf } from './sentences.ts';

export type Entry = Read<typeof AuditEntry>;

/** The present names of builders and of keys, by id. */
export type Names = ReadonlyMap<string, string>;

/** An entry as a sentence, such as `Ada published 3 items to production.` */
export function sentenceOf(entry: Entry, names: Names): string {
  return `${subjectOf(entry.actor, names)} ${predicateOf(entry.action, describeEntry(entry, names))}.`;
}

function subjectOf({ kind, id }: Entry['actor'], names: Names): string {
  const name = names.get(id);
  switch (kind) {
    case 'org_user':
      return name ?? 'A former member';
    case 'service_key':
      return name === undefined ? 'A service key' : `The service key ${name}`;
    case 'deploy_key':
      return name === undefined ? 'A deploy key' : `The deploy key ${name}`;
    case 'operator':
      return 'The operator';
    case 'app_user':
      return 'A user of the app';
    case 'automation':
      return 'Automation';
    case 'platform':
      return 'The platform';
  }
}

function describeEntry({ target, env, tenant_code = '', detail = {} }: Entry, names: Names): DescribedEntry {
  return {
    name: nameOf(target, names),
    environment: env === undefined ? '' : env === 'prod' ? 'production' : 'test',
    workspace: tenant_code,
    detail: (member) => (Object.hasOwn(detail, member) ? String(detail[member]) : ''),
  };
}

/** A member who has left has no name any more, and an id says nothing in a sentence. */
function nameOf(target: Entry['target'], names: Names): string {
  if (target === undefined) return '';
  const known = target.name ?? names.get(target.id);
  return known ?? (isGuid.test(target.id) ? '' : target.id);
}

const isGuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
