/** Whether people, policies, invitations and workspaces are what the answers said; takes them away afterwards. */
import assert from 'node:assert/strict';
import { type AppUser, act, list, type Org, signIn } from '../org.ts';
import { makeWorkspace, refreshed, tenantsOf } from '../workspaces.ts';
import type { Entry, LedgerCommand } from './ledger.ts';

interface CrashOrg {
  readonly founder: AppUser;
  readonly multi: Org;
}

/** Throws at the first thing that is not as it should be. */
export async function checkPeople({ founder, multi }: CrashOrg, entries: readonly Entry[]): Promise<void> {
  const invitations = await act<{ readonly items: readonly Invitation[] }>(founder, 'GET', '/user/invitations');
  assert.equal(invitations.status, 200, invitations.text);
  // Links before the policies that they name.
  for (const { command, answer } of entries.toReversed()) {
    const id = answer?.id;
    if (command.kind === 'policy' || command.kind === 'link') await checkRecord(founder, command, id);
    if (command.kind === 'invitation') await checkInvitation(founder, { open: invitations.body.items, command, id });
    if (command.kind === 'sign-in') await checkPerson(founder, command.email, id);
    if (command.kind === 'workspace') await checkWorkspace(multi, command, id);
  }
}

interface Invitation {
  readonly id: string;
  readonly email: string;
}

type CommandOfKind<Kind extends LedgerCommand['kind']> = Extract<LedgerCommand, { readonly kind: Kind }>;

async function checkRecord(
  founder: AppUser,
  command: CommandOfKind<'policy' | 'link'>,
  id: string | undefined,
): Promise<void> {
  const [entity, query] =
    command.kind === 'policy'
      ? ['aclpolicy', `?name=${command.name}`]
      : ['useraclpolicy', `?acl_policy_id=${command.policyId}&user_id=${founder.id}`];
  const { items } = await list(founder, entity, query);
  assertOne(items, id, `${command.kind} ${query}`);
  for (const item of items) await gone(founder, `/delete/${entity}/${item.id}`);
}

async function checkInvitation(
  founder: AppUser,
  {
    open,
    command,
    id,
  }: {
    readonly open: readonly Invitation[];
    readonly command: CommandOfKind<'invitation'>;
    readonly id: string | undefined;
  },
): Promise<void> {
  const sent = open.filter(({ email }) => email === command.email);
  assertOne(sent, id, `the invitation of ${command.email}`);
  for (const one of sent) await gone(founder, `/user/invitations/${one.id}`);
}

/** Signing in again is the same person, answered or not. */
async function checkPerson(founder: AppUser, email: string, id: string | undefined): Promise<void> {
  const { items } = await list(founder, 'user', `?email=${encodeURIComponent(email)}`);
  assertOne(items, id, `the member ${email}`);
  const again = await signIn(founder.org, email);
  for (const item of items) assert.equal(again.id, item.id);
  assert.equal(again.tenantId, founder.tenantId);
  await gone(founder, `/delete/user/${again.id}`);
}

async function checkWorkspace(
  multi: Org,
  { email, name }: CommandOfKind<'workspace'>,
  id: string | undefined,
): Promise<void> {
  const owner = await signIn(multi, email);
  const tenants = await tenantsOf(owner);
  assertOne(tenants, id, `the workspace of ${email}`);
  if (tenants.length === 0) assert.equal((await makeWorkspace(owner, { name })).status, 201);
  const inside = await refreshed(owner);
  const policies = (await list(inside, 'aclpolicy')).items.map((policy) => policy.name);
  assert.deepEqual(policies.toSorted(), ['adminacl', 'vieweracl'], 'a workspace is half founded');
  assert.equal((await tenantsOf(inside)).length, 1);
}

/** Exactly the record that was answered; without an answer, one record or none. */
function assertOne(found: readonly { readonly id: string }[], answered: string | undefined, what: string): void {
  if (answered !== undefined)
    assert.deepEqual(
      found.map(({ id }) => id),
      [answered],
      what,
    );
  assert.ok(found.length <= 1, `${what} is there ${found.length} times`);
}

async function gone(user: AppUser, path: string): Promise<void> {
  const reply = await act(user, 'DELETE', path);
  assert.equal(reply.status, 204, `${path} ${reply.text}`);
}
