import { counted } from '../../components/words/counted.ts';

/**
 * What each action of the audit log is called in a sentence: `Ada published 3 items to production`. A test compares the list
 * with the actions that the server writes. An action that is not here gets a sentence from its name.
 */

/** The source of a sentence, as texts. */
export interface DescribedEntry {
  /** The name of the object, or else its id. Empty if there is none. */
  readonly name: string;
  /** `test` or `production`; empty if the entry is about no environment. */
  readonly environment: string;
  /** The code of the workspace; empty if the entry is about none. */
  readonly workspace: string;
  /** A member of the detail as text; empty if it is not there. */
  detail(member: string): string;
}

type Predicate = string | ((described: DescribedEntry) => string);

const inEnvironment = ({ environment }: DescribedEntry) => (environment === '' ? '' : ` in ${environment}`);
const inWorkspace = (described: DescribedEntry) =>
  described.workspace === ''
    ? inEnvironment(described)
    : ` in the workspace ${described.workspace}${inEnvironment(described)}`;
const items = ({ detail }: DescribedEntry) => amountOf(detail('items'), 'item');
const named = (verb: string, what: string) => (described: DescribedEntry) =>
  `${verb} the ${what} ${described.name}${inEnvironment(described)}`;
const within = (verb: string, what: string) => (described: DescribedEntry) =>
  `${verb} ${what}${inWorkspace(described)}`;
const refused = (attempt: string) => (described: DescribedEntry) =>
  `tried ${attempt}${described.name === '' ? '' : ` (${described.name})`} and was refused${reasonOf(described)}`;

function reasonOf({ detail }: DescribedEntry): string {
  const reason = detail('reason') === '' ? detail('code').replaceAll('_', ' ') : detail('reason');
  return reason === '' ? '' : `: ${reason}`;
}

function amountOf(count: string, one: string, many = `${one}s`): string {
  return count === '' ? `some ${many}` : counted(Number(count), one, many);
}

function role(text: string): string {
  return text === 'org_admin' ? 'org admin' : text;
}

function factor(kind: string): string {
  return kind === 'passkey' ? 'a passkey' : 'an authenticator app';
}

/** After the name of the actor, by action. Append new actions to the group that they belong to. */
export const predicates: Readonly<Record<string, Predicate>> = {
  // The org and its members
  'org.created': ({ name }) => `created the org ${name}`,
  'org_user.invited': ({ detail }) => `invited a person as ${role(detail('role'))}`,
  'org_user.joined': ({ detail }) => `joined the org as ${role(detail('role'))}`,
  'org_user.role_changed': ({ name, detail }) => `gave ${name || 'a member'} the role ${role(detail('role'))}`,
  'org_user.removed': ({ name }) => `removed ${name || 'a member'} from the org`,
  'org_invitation.role_changed': ({ detail }) => `changed the role of an invitation to ${role(detail('role'))}`,
  'org_invitation.withdrawn': 'withdrew an invitation',
  'org_security.changed': ({ detail }) =>
    `made a second factor ${detail('second_factor') === 'required' ? 'required' : 'optional'} for the members of the org`,
  'org_security.change_refused': refused('to change whether a second factor is required'),
  'second_factor.added': ({ detail }) => `added ${factor(detail('kind'))} to the account`,
  'second_factor.removed': ({ detail }) => `removed ${factor(detail('kind'))} from the account`,
  'second_factor.recovery_codes_renewed': 'made other recovery codes for the account',
  'second_factor.recovery_code_used': ({ detail }) =>
    detail('as') === 'proof'
      ? `proved a change of the second factors by a recovery code, of which ${detail('left')} are left`
      : `signed in by a recovery code, of which ${detail('left')} are left`,
  'second_factor.codes_locked': ({ detail }) =>
    `had ${detail('wrong_codes')} wrong codes in a row: no code of the authenticator app is taken until another factor is proved`,
  'second_factor.reset': ({ name }) => `removed the second factors of ${name || 'an account'}`,
  'second_factor.reset_refused': refused('to remove the second factors of an account'),
  'audit.export_continues': 'noted that an export goes on in another file',
  'session.org_refused': refused('to act in another org than the session’s'),

  // Environments, plan and alerts
  'environment.founder_named': 'named who becomes the first admin of production',
  'environment.provisioned': 'provisioned production',
  'environment.provision_refused': refused('to provision production'),
  'client_id.rotated': ({ environment }) => `rotated the client id of ${environment}`,
  'client_id.rotation_refused': refused('to rotate a client id'),
  'plan.changed': ({ name }) => `set the plan ${name}`,
  'plan.change_refused': refused('to set the plan'),
  'plan.limit_near': ({ name, detail }) =>
    `noted that ${detail('percent')} % of the limit of ${name.replaceAll('_', ' ')} is used`,
  'alert_percents.changed': ({ detail }) => `has the org warned at ${detail('percents')} % of a limit`,
  'alert_percents.change_refused': refused('to change when the org is warned'),
  'alert_webhook.set': 'set where alerts are sent',
  'alert_webhook.removed': 'removed where alerts are sent',
  'alert_webhook.failed': ({ detail }) => `gave up sending an alert after ${amountOf(detail('attempts'), 'attempt')}`,

  // Keys
  'service_key.created': ({ name, workspace, environment }) =>
    `created the service key ${name} for the workspace ${workspace} in ${environment}`,
  'service_key.removed': ({ name, workspace, environment }) =>
    `revoked the service key ${name} of the workspace ${workspace} in ${environment}`,
  'deploy_key.created': ({ name, detail }) => `created the deploy key ${name}, which may ${detail('scope')}`,
  'deploy_key.removed': ({ name }) => `revoked the deploy key ${name}`,
  'signing_key.made': 'made a signing key',
  'signing_key.revoked': ({ name }) => `revoked the signing key ${name}`,
  'signing_key.rotation_refused': refused('to rotate the signing keys'),
  'signing_key.revocation_refused': refused('to revoke a signing key'),
  'backup.begun': ({ name }) => `began the backup ${name}`,
  'backup.completed': ({ name }) => `completed the backup ${name}`,
  'backup.failed': (described) => `failed to make the backup ${described.name}${reasonOf(described)}`,
  'backup.test_begun': ({ name }) => `began a restore test of the backup ${name}`,
  'backup.tested': ({ name, detail }) => `tested the restore of the backup ${name}: ${detail('result')}`,
  'backup.downloaded': ({ name }) => `downloaded the backup ${name}`,
  'backup.removed': (described) => `removed the backup ${described.name}${reasonOf(described)}`,
  'backup.begin_refused': refused('to begin a backup'),
  'backup.test_refused': refused('to test the restore of a backup'),
  'backup.download_refused': refused('to download a backup'),
  'backup.removal_refused': refused('to remove a backup'),
  'secret.set': named('set', 'secret'),
  'secret.removed': named('removed', 'secret'),
  'secret.change_refused': refused('to set a secret'),
  'secret.removal_refused': refused('to remove a secret'),

  // Configuration
  'entity.defined': named('defined', 'entity'),
  'entity.changed': named('changed', 'entity'),
  'entity.removed': named('removed', 'entity'),
  'setting.changed': named('changed', 'setting'),
  'setting.defined': named('set', 'setting'),
  'setting.removed': named('reset', 'setting'),
  'logicblock.defined': named('created', 'logic block'),
  'logicblock.changed': named('changed', 'logic block'),
  'logicblock.removed': named('removed', 'logic block'),
  'event.defined': named('created', 'event'),
  'event.changed': named('changed', 'event'),
  'event.removed': named('removed', 'event'),
  'crew.defined': named('created', 'crew'),
  'crew.changed': named('changed', 'crew'),
  'crew.removed': named('removed', 'crew'),

  // Deploys
  'deploy.published': (described) => `published ${items(described)} to production`,
  'deploy.publication_refused': refused('to publish to production'),
  'deploy.unstaged': (described) => `withdrew ${items(described)} that waited to become live`,
  'deploy.withdrawal_refused': refused('to withdraw what waits to become live'),
  'deploy.activated': (described) => `activated ${items(described)} in production, as release ${described.name}`,
  'deploy.activation_refused': refused('to activate in production'),
  'deploy.rolled_back': ({ name, detail }) =>
    `rolled production back to release ${detail('restored')}, as release ${name}`,
  'deploy.rollback_refused': refused('to roll production back'),
  'deploy.records_removed': ({ name }) => `removed the records of the retired entity ${name} from production`,
  'deploy.removal_refused': refused('to remove the records of a retired entity'),
  'deploy.import_refused': refused('to import configuration'),

  // Automation
  'hook.changed': ({ name, environment, detail }) =>
    `${detail('paused') === 'true' ? 'paused' : 'changed'} the hook ${name} in ${environment}`,
  'hook.change_refused': refused('to change a hook'),
  'schedule.paused': named('paused', 'schedule of'),
  'schedule.resumed': named('resumed', 'schedule of'),
  'schedule.pause_refused': refused('to pause a schedule'),
  'schedule.resume_refused': refused('to resume a schedule'),
  'event.paused': named('paused', 'deliveries of'),
  'event.resumed': named('resumed', 'deliveries of'),
  'event.secret_made': named('made another signing secret for', 'event'),
  'event.secret_refused': refused('to make another signing secret'),
  'event.pause_refused': refused('to pause deliveries'),
  'event.resume_refused': refused('to resume deliveries'),
  'delivery.sent_again': ({ detail, environment }) =>
    `sent ${amountOf(detail('deliveries'), 'delivery', 'deliveries')} again in ${environment}`,
  'delivery.redelivery_refused': refused('to send deliveries again'),
  'run.begun': (described) => `started the logic block ${described.name}${inWorkspace(described)}`,
  'run.cancelled': within('cancelled', 'a run'),
  'run.retried': within('retried', 'a run'),
  'run.begin_refused': refused('to start a logic block'),
  'run.cancel_refused': refused('to cancel a run'),
  'run.retry_refused': refused('to retry a run'),
  'automation.failed': ({ name, environment }) => `noted that runs of the logic block ${name} fail in ${environment}`,
  'automation.dead': ({ name, environment }) => `gave up deliveries of the event ${name} in ${environment}`,

  // Users of the app and their workspaces
  'workspace.created': ({ workspace, environment }) => `founded the workspace ${workspace} in ${environment}`,
  'workspace.creation_refused': refused('to make a workspace'),
  'workspace.changed': within('changed', 'the settings'),
  'workspace.suspended': ({ workspace, environment }) => `suspended the workspace ${workspace} in ${environment}`,
  'workspace.resumed': ({ workspace, environment }) => `resumed the workspace ${workspace} in ${environment}`,
  'workspace.suspension_refused': refused('to suspend a workspace'),
  'workspace.resumption_refused': refused('to resume a workspace'),
  'workspace.removed': ({ workspace, environment }) => `removed the workspace ${workspace} from ${environment}`,
  'records.recounted': within('corrected', 'the counts of records'),
  'impersonation.started': within('began to act as a user', 'of the app'),
  'app_user.created': within('made', 'an account'),
  'app_user.creation_refused': refused('to make an account'),
  'app_user.password_suspended': 'proved the address of an account, whose earlier password was suspended',
  'app_user.merged': 'merged an account with another one of the same person',
  'app_user.merge_previewed': within('previewed', 'a merge of two accounts'),
  'app_user.merge_begun': within('began to merge', 'two accounts'),
  'app_user.disabled': within('disabled', 'an account'),
  'app_user.enabled': within('enabled', 'an account'),
  'app_user.tokens_revoked': within('signed', 'a user out everywhere'),
  'app_user.export_begun': within('began to collect', 'the data of a person'),
  'app_user.export_read': within('downloaded', 'the data of a person'),
  'app_user.erase_previewed': within('previewed', 'the erasure of a person'),
  'app_user.erase_begun': within('began to erase', 'a person'),
  'app_user.erased': within('erased', 'a person'),
  'app_user.disabling_refused': refused('to disable an account'),
  'app_user.enabling_refused': refused('to enable an account'),
  'app_user.token_revocation_refused': refused('to sign a user out everywhere'),
  'app_user.export_refused': refused('to collect the data of a person'),
  'app_user.erase_refused': refused('to erase a person'),
  'app_user.removed': 'removed a suspended account',
  'app_user.merge_refused': refused('to merge accounts'),
  'app_user.removal_refused': refused('to remove a suspended account'),
  'invitation.created': within('invited', 'a user'),
  'invitation.resent': within('sent', 'an invitation again'),
  'invitation.removed': within('withdrew', 'an invitation'),
  'invitation.accepted': within('accepted', 'an invitation'),
  'invitation.creation_refused': refused('to invite a user'),
  'invitation.resending_refused': refused('to send an invitation again'),
  'invitation.withdrawal_refused': refused('to withdraw an invitation'),
  'workspace_template.previewed': ({ environment }) =>
    `previewed the application of the workspace template in ${environment}`,
  'workspace_template.started': ({ environment, detail }) =>
    `began to apply the workspace template to ${amountOf(detail('workspaces'), 'workspace')} in ${environment}`,
  'workspace_template.cancelled': ({ environment }) =>
    `ended the application of the workspace template in ${environment}`,
  'workspace_template.applied': within('applied', 'the workspace template'),

  // Access control of a workspace
  'member.joined': within('made', 'a user a member'),
  'member.removed': within('removed', 'a member'),
  'member.suspended': within('suspended', 'a member'),
  'member.reactivated': within('let', 'a suspended member back'),
  'member.role_changed': within('changed', 'the role of a member'),
  'policy.created': within('created', 'a policy'),
  'policy.changed': within('changed', 'a policy'),
  'policy.removed': within('removed', 'a policy'),
  'group.created': within('created', 'a group'),
  'group.changed': within('changed', 'a group'),
  'group.removed': within('removed', 'a group'),
  'policy_link.created': within('gave', 'a member a policy'),
  'policy_link.changed': within('changed', 'which policy a member has'),
  'policy_link.removed': within('took', 'a policy from a member'),
  'group_link.created': within('put', 'a member into a group'),
  'group_link.changed': within('changed', 'which group a member is in'),
  'group_link.removed': within('took', 'a member out of a group'),
};

/** What was done, as it follows the name of the actor. */
export function predicateOf(action: string, described: DescribedEntry): string {
  const predicate = Object.hasOwn(predicates, action) ? predicates[action] : undefined;
  if (predicate === undefined) return genericPredicate(action, described);
  return typeof predicate === 'string' ? predicate : predicate(described);
}

/** `app_user.blocked` is `blocked the app user carl in test`. */
function genericPredicate(action: string, described: DescribedEntry): string {
  const [object = '', verb = ''] = action.split('.').map((part) => part.replaceAll('_', ' '));
  if (verb === '') return `did “${action}”${inWorkspace(described)}`;
  if (verb.endsWith(' refused')) return refused(`the ${verb.slice(0, -' refused'.length)} of the ${object}`)(described);
  return `${verb} the ${object}${described.name === '' ? '' : ` ${described.name}`}${inWorkspace(described)}`;
}
