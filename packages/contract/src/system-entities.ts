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
