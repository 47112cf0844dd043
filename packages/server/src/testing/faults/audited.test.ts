/**
 * Each change of configuration, access, keys, plans and deployments is recorded in the audit log, by the commit that
 * makes it.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Change } from '../../store/port.ts';
import { startFaultyPlatform } from './faulty-platform.ts';
import { setUpFixture } from './fixture.ts';
import { AccessWitness, entriesOf, isEntry } from './flows/access-entries.ts';
import { accountFlows } from './flows/account-flows.ts';
import { alertFlows } from './flows/alert-flows.ts';
import { builderFlows } from './flows/builder-flows.ts';
import { configFlows } from './flows/config-flows.ts';
import { deployFlows } from './flows/deploy-flows.ts';
import { eventFlows } from './flows/event-flows.ts';
import { described } from './flows/every-flow.ts';
import type { Flows } from './flows/flow.ts';
import { hookFlows } from './flows/hook-flows.ts';
import { itemFlows } from './flows/item-flows.ts';
import { keyFlows } from './flows/key-flows.ts';
import { personFlows } from './flows/person-flows.ts';
import { personalDataFlows } from './flows/personal-data-flows.ts';
import { recordFlows } from './flows/record-flows.ts';
import { runFlows } from './flows/run-flows.ts';
import { scheduleFlows } from './flows/schedule-flows.ts';
import { secretFlows } from './flows/secret-flows.ts';
import { workspaceFlows } from './flows/workspace-flows.ts';

/** The initial content of a workspace. */
const founded: readonly string[] = [
  ...['workspace.created', 'policy.created', 'policy.created', 'group.created', 'member.joined'],
  ...['policy_link.created', 'group_link.created'],
];

/** The audit entries of each flow. */
const notified: Readonly<Record<string, readonly string[]>> = {
  'the shares of a limit at which an org is warned': ['alert_percents.changed'],
  'PUT /org/alerts/webhook': ['alert_webhook.set'],
  'DELETE /org/alerts/webhook': ['alert_webhook.removed'],
  'a sign-up': ['org.created'],
  'POST /org/users': ['org_user.invited'],
  'coming into an org': ['org_user.joined'],
  'another role': ['org_user.role_changed'],
  'the removal of a builder from an org': ['org_user.removed'],
  'another client id': ['client_id.rotated'],
  'a definition': ['entity.defined'],
  'a change of a definition with its index job': ['entity.changed'],
  'a change of type with the job that writes its values': ['entity.changed'],
  'the removal of an entity with its purge': ['entity.removed'],
  'the end of the build of an index': ['entity.changed'],
  'a setting': ['setting.changed'],
  'the provision of production': ['environment.provisioned'],
  'the import of a configuration': ['entity.defined'],
  'a publication': ['deploy.published'],
  'the withdrawal of all that is staged': ['deploy.unstaged'],
  'the withdrawal of an item': ['deploy.unstaged'],
  'an activation': ['deploy.activated'],
  'a rollback': ['deploy.rolled_back'],
  'the removal of what a retired entity keeps': ['deploy.records_removed'],
  'a config item': ['crew.defined'],
  'a change of a config item': ['crew.changed'],
  'an earlier version of a config item brought back': ['crew.changed'],
  'the removal of a config item': ['crew.removed'],
  'the end of a run': ['run.cancelled'],
  'a run that is begun again': ['run.retried'],
  'a run that a builder begins': ['run.begun'],
  'a schedule that is paused': ['schedule.paused'],
  'a schedule that is resumed': ['schedule.resumed'],
  'a change of a hook': ['hook.changed'],
  'a delivery sent again': ['delivery.sent_again'],
  'deliveries sent again': ['delivery.sent_again'],
  'the secret of an event': ['event.secret_made'],
  'an event that is paused': ['event.paused'],
  'an event that is resumed': ['event.resumed'],
  'a secret': ['secret.set'],
  'the removal of a secret': ['secret.removed'],
  'a service key': ['member.joined', 'policy_link.created', 'service_key.created'],
  'the removal of a service key': ['service_key.removed', 'member.removed'],
  'a deploy key': ['deploy_key.created'],
  'the removal of a deploy key': ['deploy_key.removed'],
  impersonation: ['impersonation.started'],
  'a rotation of the signing keys': ['signing_key.made'],
  'the revocation of a signing key': ['signing_key.revoked'],
  'a change of the plan': ['plan.changed'],
  'a first sign-in': founded,
  'a new policy': ['policy.created'],
  'a link of a policy': ['policy_link.created'],
  'the suspension of a member': ['member.suspended'],
  'the removal of a member': ['member.removed'],
  'a workspace': founded,
  'another name of a workspace': ['workspace.changed'],
  'a workspace made by a builder': ['workspace.created', 'policy.created', 'policy.created', 'group.created'],
  'a workspace suspended': ['workspace.suspended'],
  'a suspended workspace resumed': ['workspace.resumed'],
  'leaving a workspace': ['member.removed'],
  'the removal of a workspace with its purge': ['workspace.removed'],
  'POST /app/:org/user/invitations': ['invitation.created'],
  'an invitation sent again': ['invitation.resent'],
  'an invitation withdrawn': ['invitation.removed'],
  'a password suspended by a provider': [
    'app_user.password_suspended',
    'member.suspended',
    'member.joined',
    'policy_link.created',
  ],
  'two accounts made one by the mailed link': ['app_user.merged'],
  'two accounts made one by an org admin': ['app_user.merged', 'member.removed', 'member.reactivated'],
  'the removal of an account with a suspended password': ['member.removed', 'app_user.removed'],
  'the data of a person collected into a file': ['app_user.export_begun'],
  'a person erased': ['app_user.erase_begun', 'member.removed', 'app_user.erased'],
  'two accounts of a person merged': [
    'app_user.merge_begun',
    'member.removed',
    'group_link.created',
    'app_user.merged',
  ],
  'an account made by a builder': ['app_user.created', 'member.joined', 'policy_link.created'],
  'an account disabled': ['app_user.disabled'],
  'a disabled account enabled': ['app_user.enabled'],
  'the tokens of an account revoked': ['app_user.tokens_revoked'],
  'an account of a provider that has not verified the address': ['member.joined', 'policy_link.created'],
  'POST /org/workspaces/:tenant_code/invitations': ['invitation.created'],
  'an invitation sent again by the org': ['invitation.resent'],
  'an invitation withdrawn by the org': ['invitation.removed'],
  'an invitation accepted': ['member.joined', 'policy_link.created', 'invitation.accepted'],
};

/** They change records, or the caller's account, or note how far the log is verified. */
const undocumented: readonly string[] = [
  ...['a log-in of a builder', 'a switch to another org', 'a log-out of a builder', 'the end of a session'],
  ...['the end of all other sessions', 'a verification of the audit log'],
  ...['a sign-in link', 'a sign-in by a link', 'what a builder decides about a command', 'a sign-in of a command'],
  ...['another password of a builder', 'a mail to a builder who forgot the password'],
  ...['a password that a builder sets by mail', 'a message that is a test', 'a sign-up by password'],
  ...['a change of a profile', 'another password', 'a log-out', 'a log-out everywhere'],
  ...['a mail to a person who forgot the password', 'a password set by mail'],
  'another mail to join two accounts',
  ...['another mail to verify an address', 'the verification of an address', 'a switch to another workspace'],
  ...['a create', 'an update', 'a removal', 'a removal of many', 'the end of a job'],
  ...['a message to a hook', 'a run of a logic block', 'a run of a logic block with a path'],
  ...['an atomic batch', 'a batch of independent operations', 'an import'],
];

/** What they change lies in no store, or nowhere: the entry is all that is written. */
const alone: readonly string[] = ['impersonation.started', 'signing_key.made', 'signing_key.revoked'];

const flows: Flows = {
  ...accountFlows,
  ...alertFlows,
  ...builderFlows,
  ...configFlows,
  ...deployFlows,
  ...eventFlows,
  ...hookFlows,
  ...itemFlows,
  ...keyFlows,
  ...personFlows,
  ...personalDataFlows,
  ...recordFlows,
  ...runFlows,
  ...scheduleFlows,
  ...secretFlows,
  ...described.flows,
  ...workspaceFlows,
};

const commits: (readonly Change[])[] = [];
const witness = new AccessWitness();
const platform = await startFaultyPlatform((changes) => {
  commits.push(changes);
  witness.look(changes);
});
after(() => platform.close());
const fixture = await setUpFixture(platform);

test('of every flow it is said whether the audit log tells of it', () => {
  assert.deepEqual([...Object.keys(notified), ...undocumented].sort(), Object.keys(flows).sort());
});

for (const [name, flow] of Object.entries(flows))
  test(`the audit log tells of ${name} once, or not at all, in the commit that makes it`, async () => {
    const { send } = await flow.prepare(fixture);
    await platform.settle();
    commits.length = 0;
    const { status } = await send();
    assert.ok(status < 300, `${status}`);
    await platform.settle();
    const actions: string[] = [];
    for (const changes of commits)
      for (const entry of entriesOf(changes)) {
        const { action, actor, request_id } = entry;
        // The platform tells of its own accord that a run fails after the reply, and that no alert of it arrives.
        if (actor.kind === 'platform' && request_id === '') continue;
        actions.push(action);
        assert.ok(actor.id !== '' && request_id !== '', JSON.stringify(entry));
        assert.equal(
          changes.every((change) => isEntry(change)),
          alone.includes(action),
          action,
        );
      }
    assert.deepEqual(actions, notified[name] ?? []);
    assert.deepEqual(witness.faults.splice(0), []);
  });
