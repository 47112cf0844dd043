/** Kinds of actions in the operator's log, by how the names of the actions begin. */
export const operatorKinds = [
  { value: 'signing_key.', label: 'Signing keys' },
  { value: 'backup.', label: 'Backups' },
  { value: 'second_factor.', label: 'Second factors of accounts' },
  // The others are in the logs of their orgs.
  { value: 'plan.', label: 'Refused changes of plans' },
] as const;
