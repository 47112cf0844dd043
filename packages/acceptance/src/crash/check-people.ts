/** Whether people, policies, invitations and workspaces are what the answers said; takes them away afterwards. */
import assert from 'node:assert/strict';
import { type AppUser, act, list, type Org, signIn } from '../org.ts';
import { makeWorkspace, refreshed, tenantsOf } from '../workspaces.ts';
import type { Asked, Entry } from './ledger.ts';

interface Place {
  readonly founder: AppUser;
  readonly multi: Org;
}

/** Throws at the first thing that is not as it should be. */
export async function checkPeople({ founder, multi }: Place, entries: readonly Entry[]): Promise<void> {
  const invitations = await act<{ readonly items: readonly Invitation[] }>(founder, 'GET', '/user/invitations');
  assert.equal(invitations.status, 200, invitations.text);
  // Links before the policies that they name.
  for (const { asked, answer } of entries.toReversed()) {
    const id = answer?.id;
    if (asked.kind === 'policy' || asked.kind === 'link') await checkRecord(founder, asked, id);
    if (asked.kind === 'invitation') await checkInvitation(founder, { open: invitations.body.items, asked, id });
    if (asked.kind === 'sign-in') await checkPerson(founder, asked.email, id);
    if (asked.kind === 'workspace') await checkWorkspace(multi, asked, id);
  }
}

interface Invitation {
  readonly id: string;
  readonly email: string;
}

type AskedFor<Kind extends Asked['kind']> = Extract<Asked, { readonly kind: Kind }>;

async function checkRecord(
  founder: AppUser,
  asked: AskedFor<'policy' | 'link'>,
  id: string | undefined,
): Promise<void> {
  const [entity, query] =
    asked.kind === 'policy'
      ? ['aclpolicy', `?name=${asked.name}`]
      : ['useraclpolicy', `?acl_policy_id=${asked.policyId}&user_id=${founder.id}`];
  const { items } = await list(founder, entity, query);
  assertOne(items, id, `${asked.kind} ${query}`);
  for (const item of items) await gone(founder, `/delete/${entity}/${item.id}`);
}

async function checkInvitation(
  founder: AppUser,
  {
    open,
    asked,
    id,
  }: { readonly open: readonly Invitation[]; readonly asked: AskedFor<'invitation'>; readonly id: string | undefined },
): Promise<void> {
  const sent = open.filter(({ email }) => email === asked.email);
  assertOne(sent, id, `the invitation of ${asked.email}`);
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
  { email, name }: AskedFor<'workspace'>,
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
