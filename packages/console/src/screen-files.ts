/** The files of the screens below `/o/{org}/{environment}`, by their paths there. */
export const screenFiles = {
  '': () => import('./screens/home/home.tsx'),
  account: () => import('./screens/account/account.tsx'),
  entities: () => import('./screens/entities/entities.tsx'),
  'new-entity': () => import('./screens/entities/new-entity.tsx'),
  'entities/$entity': () => import('./screens/entities/entity.tsx'),
  deploy: () => import('./screens/deploy/deploy.tsx'),
  'config/$kind': () => import('./screens/config/config-list.tsx'),
  'config/$kind/$name': () => import('./screens/config/config-item.tsx'),
  'new-config/$kind': () => import('./screens/config/new-config-item.tsx'),
  records: () => import('./screens/records/records.tsx'),
  'records/$entity': () => import('./screens/records/entity-records.tsx'),
  api: () => import('./screens/api/api.tsx'),
  users: () => import('./screens/who-can/users.tsx'),
  'users/$user': () => import('./screens/who-can/user.tsx'),
  simulator: () => import('./screens/simulator/simulator.tsx'),
  decisions: () => import('./screens/decisions/decisions.tsx'),
  policies: () => import('./screens/policies/policies.tsx'),
  'new-policy': () => import('./screens/policies/new-policy.tsx'),
  'policies/$policy': () => import('./screens/policies/policy.tsx'),
  'policy-template': () => import('./screens/policies/templates/template.tsx'),
  groups: () => import('./screens/groups/groups.tsx'),
  'groups/$group': () => import('./screens/groups/group.tsx'),
  usage: () => import('./screens/usage/usage.tsx'),
  audit: () => import('./screens/audit/audit.tsx'),
  team: () => import('./screens/team/team.tsx'),
  keys: () => import('./screens/keys/keys.tsx'),
} as const;

/** The path by which the router names the screen of these segments, such as `entities/$entity`. */
export function screenOf(segments: readonly string[]): keyof typeof screenFiles | undefined {
  const paths = Object.keys(screenFiles) as (keyof typeof screenFiles)[];
  return paths.find((path) => {
    const parts = path === '' ? [] : path.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('$') || part === segments[at]);
  });
}
