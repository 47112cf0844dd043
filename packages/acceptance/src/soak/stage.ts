/** What there is on a platform when a soak begins: orgs, workspaces, entities of every field type, policies and people. */
import assert from 'node:assert/strict';
import { everyType } from '../every-type.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  leaveWith,
  type Org,
  type StoredRecord,
  signIn,
} from '../org.ts';
import type { Gateways } from '../platform.ts';
import { deploy, prodFounder, provision } from '../promotion.ts';
import { founderOf, multiOrg, refreshed } from '../workspaces.ts';

/** A workspace with the people who work there. */
export interface Workplace {
  readonly name: string;
  /** Holds `adminacl`. */
  readonly admin: AppUser;
  /** Tokens of the admin, of many ages: the first one is from before the soak. */
  readonly held: string[];
  /** Sees tickets with a score below `seenBelow`, and changes nothing. */
  readonly member: AppUser;
  readonly team: StoredRecord;
}

export interface Stage {
  readonly workplaces: readonly Workplace[];
  readonly orgs: readonly Org[];
  /** Its configuration goes to production again and again. */
  readonly promoted: Org;
}

export const seenBelow = 50;

const ticket = {
  ...definition('ticket', [
    { name: 'code', colType: 'string' },
    { name: 'title', colType: 'string', index: true, search: true },
    { name: 'score', colType: 'integer', index: true },
    { name: 'nr', colType: 'autoincrement' },
    { name: 'label', colType: 'formula', formula: '{title}-{score}' },
    { name: 'secret', colType: 'encrypted' },
    { name: 'team_id', colType: 'guid', lookup: { entity: 'team', onDelete: 'restrict' } },
  ]),
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
  Views: { short: { fields: [{ name: 'title' }, { name: 'score', as: 'points', cast: 'string' }] } },
};

/** Two orgs with one workspace each, one with two, and one with its production. */
export async function setStage(gateways: Gateways): Promise<Stage> {
  const single = await foundedOrg(gateways);
  const multi = await multiOrg(gateways);
  const promoted = await foundedOrg(gateways);
  const orgs = [single.org, multi, promoted.org];
  for (const org of orgs) await defineEntities(org);
  await provision(promoted.org);
  await deploy(promoted.org);
  const admins: readonly (readonly [string, AppUser])[] = [
    ['single', single.founder],
    ['first of two', await founderOf(multi, 'Acme')],
    ['second of two', await founderOf(multi, 'Bolt')],
    ['production', await prodFounder(promoted.org)],
  ];
  const workplaces = [];
  for (const [name, admin] of admins) workplaces.push(await furnish(name, admin));
  return { workplaces, orgs, promoted: promoted.org };
}

async function defineEntities(org: Org): Promise<void> {
  for (const body of [
    everyType,
    definition('team', [{ name: 'title', index: true }]),
    ticket,
    definition('scrap', [{ name: 'title' }, { name: 'text' }]),
  ])
    await defineEntity(org, body);
}

async function memberOf(admin: AppUser): Promise<AppUser> {
  const arrived = await signIn(admin.org);
  const user = arrived.tenantId === admin.tenantId ? arrived : await invited(admin, arrived);
  const below = { NumericLessThan: { 'record.score': [String(seenBelow)] } };
  await leaveWith(admin, user, [{ ...allow(['getticket', 'listticket', 'countticket']), Condition: below }]);
  return user;
}

async function invited(admin: AppUser, user: AppUser): Promise<AppUser> {
  const made = await act<{ code: string }>(admin, 'POST', '/user/invitations', { body: { email: user.email } });
  assert.equal(made.status, 201, made.text);
  const accepted = await act(user, 'POST', '/user/acceptinvitation', { body: { code: made.body.code } });
  assert.equal(accepted.status, 200, accepted.text);
  return refreshed(user);
}

async function furnish(name: string, admin: AppUser): Promise<Workplace> {
  return {
    name,
    admin,
    held: [admin.token],
    member: await memberOf(admin),
    team: await create(admin, 'team', { title: 'one' }),
  };
}
