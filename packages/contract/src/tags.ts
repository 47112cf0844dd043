/** What the operations of each group are about, as documents say it. */
export const tags = {
  'access control': 'What policies allow: decisions, simulations and findings.',
  account: 'The builder’s own account, sessions and org.',
  audit: 'What was done in an org, by whom, in a chained log.',
  batches: 'Several records in one call.',
  config: 'Configuration items of every kind, with their versions.',
  deploy: 'Configuration on its way from test to production, and back.',
  entity: 'Definitions of entities, each with the API that it has at once.',
  impersonation: 'How a builder sees an app as one of its users does.',
  invitations: 'Invitations into a workspace.',
  'mailed codes': 'What a person does by a code in a mail.',
  operation: 'Health, readiness, metrics and documents of the process.',
  'org users': 'The people of an org and their roles.',
  platform: 'What the operator of a platform does.',
  'service keys': 'Keys by which servers call an app.',
  settings: 'What an org decides of its app, such as who gets in.',
  'signing in': 'Log-ins, tokens and the keys that verify them.',
  'suspended accounts': 'Accounts that another account took the address of.',
  'the caller': 'The person behind the token.',
  usage: 'What an org uses of its plan, and alerts.',
  workspaces: 'The isolated workspaces of an app.',
} as const;

export type Tag = keyof typeof tags;
