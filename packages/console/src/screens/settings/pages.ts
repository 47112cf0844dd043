/** The pages of the settings. A setting that no page has is edited as JSON. */
export interface SettingsPage {
  /** Below `/settings/`. */
  readonly path: string;
  readonly label: string;
  /** What is settled there. */
  readonly intro: string;
  /** The settings that the page edits, by `<group>.<name>`: these are promoted. None for what belongs to the org itself. */
  readonly settings: readonly string[];
}

export const settingsPages: readonly SettingsPage[] = [
  {
    path: 'providers',
    label: 'Sign-in providers',
    intro: 'The OpenID Connect providers whose identity tokens the app takes.',
    settings: ['auth.issuers'],
  },
  {
    path: 'origins',
    label: 'Origins and links',
    intro: 'The web pages that may call the app from a browser, and the page that links in mails lead to.',
    settings: ['auth.allowed_domains', 'auth.app_url'],
  },
  {
    path: 'passwords',
    label: 'Passwords',
    intro: 'Whether app users sign in with a password, and how long a new password has to be.',
    settings: ['auth.password_login'],
  },
  {
    path: 'tenancy',
    label: 'Tenancy',
    intro: 'Whether users share one workspace or make their own, and what a new member may do there.',
    settings: ['tenancy.tenancy_type', 'tenancy.founder_email', 'tenancy.default_member_access'],
  },
  {
    path: 'mail',
    label: 'Mails',
    intro: 'The texts of the mails that the platform sends to app users.',
    settings: [
      'mail.verify_email',
      'mail.merge_accounts',
      'mail.reset_password',
      'mail.reset_suspended_password',
      'mail.invitation',
    ],
  },
  {
    path: 'templates',
    label: 'Workspace templates',
    intro: 'The policies and groups of new workspaces, and the workspaces that differ from them.',
    settings: ['tenancy.workspace_templates'],
  },
  {
    path: 'access',
    label: 'Access control',
    intro:
      'How soon a change of access holds on every node, what callers may grant, and whether decisions are recorded.',
    settings: ['acl.cache_seconds', 'acl.escalation_check', 'acl.record_decisions'],
  },
  {
    path: 'outgoing-calls',
    label: 'Outgoing calls',
    intro: 'The hosts that logic blocks may call.',
    settings: ['automation.http_hosts'],
  },
  {
    path: 'client-ids',
    label: 'Client ids',
    intro: 'The id by which apps name each environment, and a new one when it has to change.',
    settings: [],
  },
  {
    path: 'builders',
    label: 'Sign-in of builders',
    intro: 'Whether the builders of the org need a second factor.',
    settings: [],
  },
  {
    path: 'alerts',
    label: 'Alerts',
    intro: 'When the platform warns of the limits of the plan, and the webhook that gets the warnings.',
    settings: [],
  },
];

export function pageOfSetting(key: string): SettingsPage | undefined {
  return settingsPages.find(({ settings }) => settings.includes(key));
}
