import { type RecordData, systemData } from '../../records/port.ts';
import { fieldIndex, indexPrefix, systemEntity } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';

/** The policy that makes an admin: every workspace keeps it as it is, and at least one active holder of it. */
export const adminPolicy = 'adminacl';

/** The policy that a workspace gives to new members, unless it names another. */
export const viewerPolicy = 'vieweracl';

/** What every workspace is founded with, whatever an org adds. */
export const platformPolicies: readonly string[] = [adminPolicy, viewerPolicy];

export const adminGroup = 'default-admins';

export const platformGroups: readonly string[] = [adminGroup];

/** The id of the policy of a name, by the name's own index. */
export async function policyIdByName(scope: Scope, name: string): Promise<string | undefined> {
  return (await recordByName(scope, 'aclpolicy', name))?.id;
}

/** The policy or group of a name, by the name's own index. */
export async function recordByName(
  scope: Scope,
  entity: 'aclpolicy' | 'group',
  name: string,
): Promise<RecordData | undefined> {
  const index = fieldIndex(systemEntity(entity), 'name');
  if (index === undefined) throw new TypeError(`${entity} has no index on its name`);
  const [found] = await scope.follow(index.pk, { prefix: indexPrefix(index.order.encode(name)), limit: 1 });
  return found === undefined ? undefined : systemData(found);
}

/** What the policies of a logic block are called, which are no records of a workspace and have no id. */
export function blockPolicyName(block: string): string {
  return `logic block ${block}`;
}
