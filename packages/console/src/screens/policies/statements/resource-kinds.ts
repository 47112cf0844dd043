/** What resources there are: paths after `/app/{org}`, by the calls that have them. */
export interface ResourceKind {
  readonly name: string;
  readonly about: string;
  /** Where `{entity}` stands for an entity, which `*` may take the place of. */
  readonly pattern: string;
}

const ofCaller = `$${'{user.id}'}`;

export const resourceKinds: readonly ResourceKind[] = [
  { name: 'Everything', about: 'Any path. The action alone says what it is about.', pattern: '*' },
  { name: 'Records by id', about: 'Reading single records.', pattern: '/item/{entity}/*' },
  {
    name: 'Lists',
    about: 'Lists and searches. What a list holds is decided record by record.',
    pattern: '/list/{entity}',
  },
  { name: 'Counts', about: 'Counts of records.', pattern: '/count/{entity}' },
  { name: 'Exports', about: 'Files of records.', pattern: '/export/{entity}' },
  { name: 'New records', about: 'Creating single records.', pattern: '/create/{entity}' },
  { name: 'Imports', about: 'Creating records from files.', pattern: '/import/{entity}' },
  { name: 'Changes', about: 'Updating records.', pattern: '/update/{entity}/*' },
  { name: 'Removals', about: 'Deleting records.', pattern: '/delete/{entity}/*' },
  {
    name: 'The caller’s own profile',
    about: 'Changing the `user` record of the caller.',
    pattern: `/update/user/${ofCaller}`,
  },
  {
    name: 'Logic blocks',
    about: 'Running logic blocks, with or without a path after the name.',
    pattern: '/logicblocks/*',
  },
  { name: 'The workspace', about: 'Its name and settings, and its removal.', pattern: '/user/workspace' },
  { name: 'Invitations', about: 'Inviting users into the workspace.', pattern: '/user/invitations*' },
];

export function resourceOf({ pattern }: ResourceKind, entity: string | undefined): string {
  return pattern.replace('{entity}', entity ?? '*');
}
