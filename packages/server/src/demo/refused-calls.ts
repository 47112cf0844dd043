/**
 * Calls that policies refuse, so that a builder has denials to look at. They are made at each start, because a process
 * keeps its denials in memory.
 */

import type { Desk, Role } from './desk-records.ts';
import { type App, type DemoSession, send } from './sign-in.ts';

interface Context {
  /** Of the user who calls. */
  readonly user: string;
  /** The ids of tickets. */
  readonly unassigned: string;
  readonly ofAnother: string;
  readonly closed: string;
}

interface DemoRefusedCall {
  readonly by: Role;
  readonly method: string;
  readonly path: string | ((context: Context) => string);
  readonly body?: (context: Context) => object;
}

const calls: readonly DemoRefusedCall[] = [
  { by: 'requester', method: 'GET', path: '/list/customer' },
  {
    by: 'requester',
    method: 'POST',
    path: '/create/comment',
    body: ({ unassigned }) => ({ ticket_id: unassigned, body: 'Is there any news?' }),
  },
  { by: 'agent', method: 'GET', path: '/list/time' },
  { by: 'agent', method: 'POST', path: '/create/customer', body: () => ({ name: 'A friend of mine' }) },
  {
    by: 'agent',
    method: 'PUT',
    path: ({ ofAnother }) => `/update/ticket/${ofAnother}`,
    body: () => ({ status: 'waiting' }),
  },
  {
    by: 'agent',
    method: 'PUT',
    path: ({ unassigned }) => `/update/ticket/${unassigned}`,
    body: ({ user }) => ({ status: 'closed', assignee_id: user }),
  },
  { by: 'lead', method: 'DELETE', path: ({ closed }) => `/delete/ticket/${closed}` },
];

/** Makes them one after the other, so that all starts list them alike. */
export async function makeRefusedCalls(app: App, desk: Desk, sessionOf: (name: string) => Promise<DemoSession>) {
  const callers = new Map<Role, DemoSession>();
  for (const role of ['lead', 'agent', 'requester'] as const) {
    const member = desk.members.find((each) => each.role === role);
    if (member !== undefined) callers.set(role, await sessionOf(member.fn));
  }
  const agent = callers.get('agent');
  if (agent === undefined) return;
  const idOf = async (query: string) => String((await agent.itemsOf(`/list/ticket?pagesize=1&${query}`))[0]?.id);
  const [unassigned, ofAnother, closed] = await Promise.all([
    idOf('team=support&assignee_id_op=exists&assignee_id=false'),
    idOf(`status=open&assignee_id_op=ne&assignee_id=${agent.userId}`),
    idOf('status=closed'),
  ]);
  for (const { by, method, path, body } of calls) {
    const session = callers.get(by);
    if (session === undefined) continue;
    const context = { user: session.userId, unassigned, ofAnother, closed };
    const url = `${app.base}${typeof path === 'string' ? path : path(context)}`;
    await send({ method, url, token: session.token, ...(body && { body: body(context) }) });
  }
}
