export type Role = 'org_admin' | 'developer';

export const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'developer', label: 'Developer' },
  { value: 'org_admin', label: 'Org admin' },
];
