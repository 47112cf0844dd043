/** The entities of access control, which every workspace has and no builder defines. */
export const systemEntityNames: readonly string[] = [
  'aclpolicy',
  'group',
  'user',
  'useraclpolicy',
  'usergroup',
  'userrole',
];
