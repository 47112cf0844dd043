import type { ConfigSet } from '../../config/port.ts';
import { definitions } from '../../config/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { apiName, isObject } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';

/**
 * The body of a create with the name that it was called under. The generated name says nothing, so that what a file
 * says stays.
 * @throws Problem `validation_failed` where the body says another name.
 */
export function underApiName(api: string, body: unknown): unknown {
  if (!isObject(body) || api === apiName('create', String(body.entityName))) return body;
  const { apiname = api, ...members } = body;
  if (apiname !== api) {
    const message = '`apiname` is not the name that the path has';
    throw invalidBody([{ pointer: '/apiname', code: 'contradiction', message }]);
  }
  return { ...members, apiname };
}

interface NamedChange {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly api: string;
  readonly body: unknown;
}

const namedMax = 10;

/**
 * The entity that was created under a name; where several were, the body names it.
 * @throws Problem `not_found`, and `conflict` where there are several and the body names none of them.
 */
export async function createdUnder(store: Store, { orgCode, set, api, body }: NamedChange): Promise<string> {
  const scope = store.scope(orgScopeName(orgCode));
  const found: string[] = [];
  // One by one: all definitions of an org together may have 32 MB.
  for (const entityName of set.entityNames) {
    const version = set.active(entityName)?.versions.create ?? 0;
    const row = await definitions.read(scope, { entityName, version });
    if (row?.value.apiname === api) found.push(entityName);
  }
  const [first] = found;
  if (first === undefined) throw new Problem('not_found', `there is no API \`${api.slice(0, 100)}\``);
  if (found.length === 1) return first;
  const asked = isObject(body) ? found.find((name) => name === body.entityName) : undefined;
  if (asked !== undefined) return asked;
  const named = found.slice(0, namedMax).map((name) => `\`${name}\``);
  const message = `${found.length} entities were created under \`${api}\`: say by \`entityName\` which one is meant, such as ${named.join(' or ')}`;
  throw new Problem('conflict', message);
}
