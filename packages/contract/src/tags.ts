/** What the operations of each group are about, as documents say it. */
export const tags = {
  'access control': 'What policies allow: decisions, simulations and findings.',
  account: 'The builder’s own account, sessions and org.',
  audit: 'The audit log of an org: actions with their actors, chained by digests.',
  automation: 'Logic blocks: business logic that lies in the configuration.',
  batches: 'Several records in one call.',
  config: 'Configuration items of every kind, with their versions.',
  deploy: 'Promotion of configuration from test to production, and rollback.',
  entity: 'Definitions of entities, each of which has an API at once.',
  events: 'What is delivered after writes of records, and what became of it.',
  impersonation: 'Tokens by which a builder sees an app as one of its users does.',
  invitations: 'Invitations into a workspace.',
  jobs: 'Work that goes on after the reply.',
  'mailed codes': 'Password reset and email verification by mailed codes.',
  operation: 'Health, readiness, metrics and documents of the process.',
  'org users': 'The people of an org and their roles.',
  platform: 'The operator’s routes: signing keys, plans, audit log, metrics.',
  secrets: 'Values for other systems, by environment: set and never shown.',
  'service keys': 'Keys by which servers call an app.',
  settings: 'The settings of an app, such as how its users sign in.',
  'signing in': 'Log-ins, tokens and the keys that verify them.',
  'suspended accounts': 'Accounts whose email address another account has verified.',
  'the caller': 'The user of the token.',
  usage: 'The usage of an org’s plan, and alerts.',
  workspaces: 'The isolated workspaces of an app.',
} as const;

export type Tag = keyof typeof tags;
