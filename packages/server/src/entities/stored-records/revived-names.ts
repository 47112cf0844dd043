import { namesField } from '../../access/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Looked, lookAtRecords } from './look-at-records.ts';
import { NotedRecords, type RecordExample } from './noted-records.ts';

/** A name of a removed field that a field has now, and the policies that name it: they would be about that field. */
export interface RevivedName {
  readonly name: string;
  readonly policies: number;
  /** Some of the policies. */
  readonly examples: readonly RecordExample[];
}

export interface RevivedNames extends Looked {
  /** Those that some policy names. */
  readonly names: readonly RevivedName[];
}

/** Looks at the policies of all workspaces. Undefined where no name is revived. */
export async function revivedByPolicies(
  store: Store,
  {
    orgCode,
    entityName,
    revived,
  }: { readonly orgCode: string; readonly entityName: string; readonly revived: readonly string[] },
): Promise<RevivedNames | undefined> {
  if (revived.length === 0) return undefined;
  const noted = new NotedRecords();
  const looked = await lookAtRecords(
    store,
    { orgCode, entity: systemEntity('aclpolicy') },
    async ({ tenantCode }, { id, statements }) => {
      for (const field of revived)
        if (namesField(statements, { entityName, field })) noted.note(field, { tenant_code: tenantCode, id });
    },
  );
  const names = revived.map((name): RevivedName => {
    const { records: policies, examples } = noted.of(name);
    return { name, policies, examples };
  });
  return { names: names.filter(({ policies }) => policies > 0), ...looked };
}

/** Whether policies name such a field, or not all could be looked at. */
export function isRevived({ names, complete }: RevivedNames): boolean {
  return names.length > 0 || !complete;
}

export function revivedSentence({ names, checked, complete }: RevivedNames): string {
  const some = complete ? `all ${checked} policies` : `the first ${checked} policies, which are not all`;
  const counts = names.map(({ name, policies }) => `${policies} name \`${name}\``);
  const told = counts.length > 0 ? counts.join(', ') : 'none names it';
  return `a field gets the name of a removed one, and policies that name it would apply to it: of ${some}, ${told}`;
}
