/** Brings workspaces, members and the policies that they hold to what a seed folder says. */
import { openApp } from '../app/app-calls.ts';
import { findMember } from '../app/members.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { type SeededUser, signInUser } from './app-sign-in.ts';
import { find } from './apply-rows.ts';
import type { SeedPeople, SeedUser, SeedWorkspace } from './read-people.ts';

export interface PeopleToSeed {
  readonly context: Context;
  readonly people: SeedPeople;
  /** Where users come who name no workspace; undefined for the one that the app has or founds. */
  readonly workspace: string | undefined;
  readonly isDryRun: boolean;
  /** A sentence for each thing that is done. */
  changed(sentence: string): void;
}

export interface SeededPeople {
  /** Founds workspaces, and makes users members. */
  join(): Promise<void>;
  /** Links policies to members, after the rows that may make these policies. */
  grant(): Promise<void>;
  /** The number of things that were done. */
  done(): number;
}

/** @throws CommandError from its parts. */
export function seedPeople({ context, people, workspace, isDryRun, changed }: PeopleToSeed): SeededPeople {
  let done = 0;
  const does: Does = async (sentence, work) => {
    changed(sentence);
    done += 1;
    if (!isDryRun) await work();
  };
  const memberships = async () => {
    const needsDefault = people.users.some((user) => user.workspaces === undefined);
    const usual = needsDefault ? (workspace ?? (await defaultWorkspace(context))) : '';
    return people.users.flatMap((user) => (user.workspaces ?? [usual]).map((code) => ({ context, user, code, does })));
  };
  return {
    join: async () => {
      if (people.users.length === 0) return;
      const { environments } = await context.management().call('readOrg');
      const signIn = (user: SeedUser) => signInUser(context, environments.test.client_id, user);
      for (const wanted of people.workspaces)
        if (!(await exists(context, wanted.code)))
          await does(`workspace \`${wanted.code}\` is founded by ${wanted.founder}`, () =>
            found(people, wanted, signIn),
          );
      for (const membership of await memberships()) await joinMember(membership, signIn);
    },
    grant: async () => {
      for (const membership of await memberships()) await grantPolicies(membership);
    },
    done: () => done,
  };
}

type Does = (sentence: string, work: () => Promise<unknown>) => Promise<void>;

async function exists(context: Context, code: string): Promise<boolean> {
  const { items } = await context
    .management()
    .call('listOrgWorkspaces', { query: { env: 'test', prefix: code, pagesize: 1 } });
  return items[0]?.code === code;
}

/** The only workspace, or the one that the first sign-in founds where users share one. */
async function defaultWorkspace(context: Context): Promise<string> {
  const { items } = await context.management().call('listOrgWorkspaces', { query: { env: 'test', pagesize: 2 } });
  const [first, second] = items;
  if (second !== undefined)
    throw new CommandError('the app has several workspaces', {
      code: 'wrong_usage',
      next: 'name them in users.yaml as `workspaces: [code]`, or one with `--workspace CODE`',
    });
  return first?.code ?? 'main';
}

type SignIn = (user: SeedUser) => Promise<SeededUser>;

async function found(people: SeedPeople, { code, name, founder }: SeedWorkspace, signIn: SignIn): Promise<void> {
  const user = people.users.find(({ email }) => email === founder);
  if (user === undefined) throw new CommandError(`the founder \`${founder}\` is not in users.yaml`);
  await (await signIn(user)).call('POST', '/user/workspace', { name, code });
}

interface Membership {
  readonly context: Context;
  readonly user: SeedUser;
  readonly code: string;
  readonly does: Does;
}

async function joinMember(membership: Membership, signIn: SignIn): Promise<void> {
  const { context, user, code, does } = membership;
  if ((await memberOf(membership)) !== undefined) return;
  await does(`${user.email} becomes a member of \`${code}\``, () => join(context, user, code, signIn));
}

async function grantPolicies(membership: Membership): Promise<void> {
  const { context, user, code, does } = membership;
  if (user.policies.length === 0) return;
  const held = new Set((await memberOf(membership))?.policies.map(({ name }) => name));
  for (const policy of user.policies)
    if (!held.has(policy))
      await does(`${user.email} holds \`${policy}\` in \`${code}\``, () => grant(context, user, code, policy));
}

async function memberOf({ context, user, code }: Membership) {
  return (await exists(context, code)) ? findMember(context, { env: 'test', workspace: code }, user.email) : undefined;
}

async function join(context: Context, user: SeedUser, code: string, signIn: SignIn): Promise<void> {
  const { email, fn, ln } = user;
  const session = await signIn(user);
  const profile = { ...(fn === undefined ? {} : { fn }), ...(ln === undefined ? {} : { ln }) };
  if (session.workspace !== code) {
    const admin = await adminOf(context, code);
    const app = await openApp(context, { env: 'test', workspace: code, as: admin });
    const invitation = await app.json('/user/invitations', { method: 'POST', body: { email } });
    await session.call('POST', '/user/acceptinvitation', { code: invitation.code });
  }
  if (Object.keys(profile).length > 0) await (await signIn(user)).call('PUT', '/user/me', profile);
}

/** A builder in the builder's own name invites no one, so an admin of the workspace does. */
async function adminOf(context: Context, code: string): Promise<string> {
  let nexttoken: string | undefined;
  do {
    const more = nexttoken === undefined ? {} : { nexttoken };
    const page = await context.management().call('listMembers', { query: { env: 'test', tenant_code: code, ...more } });
    const admin = page.items.find(
      ({ status, policies }) => status === 'active' && policies.some(({ name }) => name === 'adminacl'),
    );
    if (admin !== undefined) return admin.user_id;
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  throw new CommandError(
    `workspace \`${code}\` has no active member with the policy \`adminacl\`, who could invite others`,
  );
}

async function grant(context: Context, { email, place }: SeedUser, code: string, policy: string): Promise<void> {
  const app = await openApp(context, { env: 'test', workspace: code, as: undefined });
  const [found] = await find(app, 'aclpolicy', [['name', policy]]);
  if (found === undefined)
    throw new CommandError(`${place}: workspace \`${code}\` has no policy \`${policy}\``, {
      code: 'seeds_refused',
      next: 'make it by a row of seeds/aclpolicy.jsonl, or in the console',
    });
  const member = await findMember(context, { env: 'test', workspace: code }, email);
  await app.json('/create/useraclpolicy', {
    method: 'POST',
    body: { user_id: member?.user_id, acl_policy_id: found.id },
  });
}
