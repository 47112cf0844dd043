/** The entities of access control, which every workspace has and no builder defines. */
export const systemEntityNames: readonly string[] = [
  'aclpolicy',
  'group',
  'user',
  'useraclpolicy',
  'usergroup',
  'userrole',
];

/** Those whose records are held by others, which a removal by `force` makes let go. */
export const forcedEntityNames: readonly string[] = ['aclpolicy', 'group'];

/** Those whose records no call creates: a member is made by signing in. */
export const uncreatedEntityNames: readonly string[] = ['user'];
