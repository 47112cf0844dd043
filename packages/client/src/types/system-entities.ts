/** The entities of access control, which every app has. */
import type { EntityConfigs } from './definition.ts';

const label = (name: string) => ({ name, validate: true });
const guid = (name: string) => ({ name, colType: 'guid', validate: true, index: true });

function system(entityName: string, ...UpdateParams: readonly object[]): EntityConfigs {
  return { entityName, create: { entityName, UpdateParams } };
}

export const systemEntities: readonly EntityConfigs[] = [
  system('aclpolicy', label('name'), { name: 'statements', colType: 'json', validate: true }),
  system('group', label('name'), { name: 'acl_policies', colType: 'json' }),
  system('useraclpolicy', guid('user_id'), guid('acl_policy_id')),
  system('usergroup', guid('user_id'), guid('group_id')),
  system('userrole', label('name')),
  system(
    'user',
    { ...label('email'), index: true },
    { name: 'fn' },
    { name: 'ln' },
    { name: 'picture' },
    { name: 'role' },
    { name: 'status', colType: 'enum', enumValues: ['active', 'suspended', 'password_suspended'] },
  ),
];
