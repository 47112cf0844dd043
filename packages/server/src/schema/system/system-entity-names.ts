/** The entities of access control. They are in every workspace, and no builder can redefine them. */
export const systemEntityNames: readonly string[] = [
  'aclpolicy',
  'group',
  'useraclpolicy',
  'usergroup',
  'userrole',
  'user',
];
