import { type DemoMember, type Desk, emailOf, type Ids, type Load, loadsOf } from './desk-records.ts';
import { type App, type DemoSession, renewed, signIn } from './sign-in.ts';

interface DeskToMake {
  readonly app: App;
  readonly desk: Desk;
  readonly password: string;
  /** Milliseconds. */
  readonly madeAt: number;
}

/** By first names. */
export type Sessions = ReadonlyMap<string, DemoSession>;

const groupOf: Readonly<Partial<Record<DemoMember['role'], string>>> = { lead: 'leads', agent: 'agents' };

/** Makes one workspace: its members, their groups, and the records. @returns the sessions of its members. */
export async function makeDesk({ app, desk, password, madeAt }: DeskToMake): Promise<Sessions> {
  const [first, ...others] = desk.members;
  const enter = (member: DemoMember) => signIn(app, { email: emailOf(member.fn), password });
  const founder = await founded({ app, desk, password, madeAt }, await enter(first), first);
  const members = new Map([[first.fn, founder]]);
  await Promise.all(
    others.map(async (member) => {
      members.set(member.fn, await joined(app, { founder, member, session: await enter(member) }));
    }),
  );
  await group(founder, others, members);
  await load(loadsOf(desk, madeAt), founder, members);
  return members;
}

async function founded({ app, desk }: DeskToMake, session: DemoSession, { fn, ln }: DemoMember): Promise<DemoSession> {
  if (session.tenantCode === desk.code) return session;
  await session.call('/user/me', { method: 'PUT', body: { fn, ln } });
  await session.call('/user/workspace', { body: { name: desk.name, code: desk.code } });
  return renewed(app, session);
}

async function joined(
  app: App,
  {
    founder,
    member,
    session,
  }: { readonly founder: DemoSession; readonly member: DemoMember; readonly session: DemoSession },
): Promise<DemoSession> {
  if (session.tenantCode === founder.tenantCode) return session;
  await session.call('/user/me', { method: 'PUT', body: { fn: member.fn, ln: member.ln } });
  const { code } = await founder.call('/user/invitations', { body: { email: emailOf(member.fn), role: member.role } });
  await session.call('/user/acceptinvitation', { body: { code } });
  return renewed(app, session);
}

/** Puts agents and leads into their groups. */
async function group(founder: DemoSession, others: readonly DemoMember[], sessions: Sessions) {
  const groups = await idsBy(founder, 'group', 'name');
  const links = new Set((await founder.itemsOf('/list/usergroup?pagesize=200')).map((link) => link.user_id));
  for (const { fn, role } of others) {
    const name = groupOf[role];
    const user_id = sessions.get(fn)?.userId;
    if (name === undefined || user_id === undefined || links.has(user_id)) continue;
    await founder.call('/create/usergroup', { body: { user_id, group_id: groups.get(name) } });
  }
}

const entityOf = { tags: 'tag', customers: 'customer', tickets: 'ticket', comments: 'comment', times: 'time' } as const;
const keyOf = { tags: 'name', customers: 'name', tickets: 'opened_at' } as const;

/** Rows are committed in their order, so those that an author has made already are the first. */
async function load(loads: readonly Load[], founder: DemoSession, members: Sessions): Promise<void> {
  const users = new Map([...members].map(([name, { userId }]) => [name, userId]));
  let ids: Ids = { users, tags: new Map(), customers: new Map(), tickets: new Map() };
  for (const { entity, author, rows } of loads) {
    const session = members.get(author) ?? founder;
    const name = entityOf[entity];
    const { count } = await founder.call(`/count/${name}?created_by=${session.userId}`);
    await importRows(session, name, rows(ids).slice(Number(count)));
    if (entity in keyOf) {
      const key = entity as keyof typeof keyOf;
      ids = { ...ids, [key]: await idsBy(founder, name, keyOf[key]) };
    }
  }
}

async function importRows(session: DemoSession, entity: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { created, errors } = await session.call(`/import/${entity}`, { body });
  if (created !== rows.length)
    throw new Error(`${String(created)} of ${rows.length} rows of ${entity}: ${JSON.stringify(errors).slice(0, 500)}`);
}

/** The ids of all records of an entity by one of their fields. */
async function idsBy(session: DemoSession, entity: string, field: string): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  let cursor = '';
  do {
    const page = await session.call(`/list/${entity}?pagesize=200&fields=${field}${cursor}`);
    for (const item of page.items as readonly Readonly<Record<string, unknown>>[])
      ids.set(String(item[field]), String(item.id));
    cursor = page.nexttoken === null ? '' : `&nexttoken=${encodeURIComponent(String(page.nexttoken))}`;
  } while (cursor !== '');
  return ids;
}
