/**
 * The records of a help desk: the same for the same desk and day, so that a load that was interrupted goes on where it
 * ended.
 */
import { type Contents, comments, contents, customerNames, type Topic } from './contents.ts';

export type Role = 'admin' | 'lead' | 'agent' | 'requester';

/** First names differ: they make the emails. */
export interface DemoMember {
  readonly fn: string;
  readonly ln: string;
  readonly role: Role;
}

export interface Desk {
  readonly code: string;
  readonly name: string;
  readonly members: readonly [founder: DemoMember, ...others: DemoMember[]];
  readonly customers: number;
  readonly tickets: number;
  readonly comments: number;
  readonly times: number;
}

/** Both desks together have 2,000 records, with 10 tags each, and the two tickets that the automation brings. */
export const desks: readonly [Desk, ...Desk[]] = [
  {
    code: 'lumen',
    name: 'Lumen Lighting',
    members: [
      { fn: 'Ann', ln: 'Lindqvist', role: 'admin' },
      { fn: 'Lea', ln: 'Moreau', role: 'lead' },
      { fn: 'Bob', ln: 'Okafor', role: 'agent' },
      { fn: 'Eve', ln: 'Castellano', role: 'agent' },
      { fn: 'Zoe', ln: 'Papadaki', role: 'requester' },
    ],
    customers: 60,
    tickets: 540,
    comments: 560,
    times: 178,
  },
  {
    code: 'harbour',
    name: 'Harbour Bikes',
    members: [
      { fn: 'Max', ln: 'Brandt', role: 'admin' },
      { fn: 'Ida', ln: 'Solberg', role: 'lead' },
      { fn: 'Tom', ln: 'Achterberg', role: 'agent' },
      { fn: 'Pia', ln: 'Rossi', role: 'requester' },
    ],
    customers: 30,
    tickets: 260,
    comments: 270,
    times: 80,
  },
];

/** @param fn the first name of a member: `ann@demo.example` for Ann */
export function emailOf(fn: string): string {
  return `${fn.toLowerCase()}@demo.example`;
}

const day = 86_400_000;
const minute = 60_000;
const days = 90;
const hours = { first: 8, count: 9 };

type DemoRow = Readonly<Record<string, unknown>>;
type Status = 'open' | 'waiting' | 'closed';

interface PlannedTicket {
  readonly opened: number;
  readonly due: number;
  readonly status: Status;
  readonly topic: Topic;
  readonly subject: string;
  readonly priority: number;
  readonly customer: string;
  readonly requester: string;
  readonly assignee: string | undefined;
}

/** The ids that records refer to each other by. */
export interface Ids {
  readonly users: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
  readonly customers: ReadonlyMap<string, string>;
  /** By `opened_at`, which no two tickets of a desk share. */
  readonly tickets: ReadonlyMap<string, string>;
}

/** Rows of one entity by one user. The ids that they hold must be known when they are asked for. */
export interface Load {
  readonly entity: Exclude<keyof Ids, 'users'> | 'comments' | 'times';
  readonly author: string;
  readonly rows: (ids: Ids) => readonly DemoRow[];
}

/** The loads of the desk, in this order. `madeAt` is in milliseconds; all dates lie in the 90 days before it. */
export function loadsOf(desk: Desk, madeAt: number): readonly Load[] {
  const random = randomOf(desk.code);
  const words = contents[desk.code];
  if (words === undefined) return [];
  const named = (role: DemoMember['role']) => desk.members.filter((member) => member.role === role).map(({ fn }) => fn);
  const agents = named('agent');
  const [lead = ''] = named('lead');
  const customers = customerRows(desk, madeAt, random);
  const names = customers.map((row) => String(row.name));
  const people = { agents, requesters: [...named('requester'), lead, ...agents] };
  const firstDay = Math.floor(madeAt / day) * day - days * day;
  const tickets = Array.from({ length: desk.tickets }, (_, index) =>
    plannedTicket({ index, count: desk.tickets, firstDay, words, names, people, random }),
  );
  const commented = plannedComments(tickets, desk, { agents, words, random });
  const times = Array.from({ length: desk.times }, () => timeOn(random.oneOf(tickets), random));
  return [
    { entity: 'tags', author: lead, rows: () => words.tags.map((name) => ({ name })) },
    { entity: 'customers', author: lead, rows: () => customers },
    { entity: 'tickets', author: lead, rows: (ids) => tickets.map((ticket) => ticketRow(ticket, ids)) },
    ...agents.map(
      (author): Load => ({
        entity: 'comments',
        author,
        rows: ({ tickets: of }) =>
          commented
            .filter((comment) => comment.author === author)
            .map(({ ticket, body }) => ({ ticket_id: of.get(iso(ticket.opened)), body })),
      }),
    ),
    {
      entity: 'times',
      author: lead,
      rows: ({ tickets: of }) => times.map(({ ticket, ...row }) => ({ ticket_id: of.get(iso(ticket.opened)), ...row })),
    },
  ];
}

function customerRows(desk: Desk, madeAt: number, random: Random): readonly DemoRow[] {
  const { first, last } = customerNames;
  return Array.from({ length: desk.customers }, (_, index) => {
    const at = index % first.length;
    const name = `${first[at]} ${last[(at * 3 + Math.floor(index / first.length)) % last.length]}`;
    return {
      name,
      tier: random.chance(0.4) ? 'paid' : 'free',
      email: `office@${name.toLowerCase().replaceAll(' ', '-')}.example`,
      since: iso(madeAt - (days + random.below(6 * 365)) * day).slice(0, 10),
    };
  });
}

interface TicketPlan {
  readonly index: number;
  readonly count: number;
  readonly firstDay: number;
  readonly words: Contents;
  readonly names: readonly string[];
  readonly people: { readonly agents: readonly string[]; readonly requesters: readonly string[] };
  readonly random: Random;
}

/** Tickets come evenly over the days, and over the hours of a day, each in a minute of its own. */
function plannedTicket({ index, count, firstDay, words, names, people, random }: TicketPlan): PlannedTicket {
  const at = (index * days) / count;
  const perDay = count / days;
  const within = ((at % 1) + random.below(900) / 1000 / perDay) * hours.count * 60;
  const opened = firstDay + Math.floor(at) * day + (hours.first * 60 + Math.floor(within)) * minute;
  const topic = random.oneOf(words.topics);
  const status = statusAfter(days - at, random);
  const priority = random.oneOf([1, 2, 2, 3, 3, 3, 3, 4, 4, 5]);
  const isTaken = status !== 'open' || random.chance(0.6);
  return {
    opened,
    due: opened + priority * 2 * day,
    status,
    topic,
    subject: filled(topic.subject, words, random),
    priority,
    customer: random.oneOf(names),
    requester: random.oneOf(people.requesters),
    assignee: isTaken ? random.oneOf(people.agents) : undefined,
  };
}

/** @param age in days */
function statusAfter(age: number, random: Random): Status {
  const [closed, waiting] = age > 14 ? [0.93, 0.97] : age > 3 ? [0.55, 0.8] : [0.15, 0.4];
  const drawn = random.fraction();
  if (drawn < closed) return 'closed';
  return drawn < waiting ? 'waiting' : 'open';
}

function ticketRow(ticket: PlannedTicket, { users, tags, customers }: Ids): DemoRow {
  return {
    subject: ticket.subject,
    status: ticket.status,
    team: ticket.topic.team,
    priority: ticket.priority,
    customer_id: customers.get(ticket.customer),
    requester_id: users.get(ticket.requester),
    assignee_id: ticket.assignee && users.get(ticket.assignee),
    tag_ids: ticket.topic.tags.map((name) => tags.get(name)),
    opened_at: iso(ticket.opened),
    due_at: iso(ticket.due),
  };
}

interface CommentPlan {
  readonly ticket: PlannedTicket;
  readonly author: string;
  readonly body: string;
}

const stagesOf: Readonly<Record<Status, number>> = { open: 1, waiting: 2, closed: 3 };

/** Agents write at each stage that a ticket has gone through; those on the oldest tickets are left out. */
function plannedComments(tickets: readonly PlannedTicket[], desk: Desk, { agents, words, random }: Commenting) {
  const planned = tickets.flatMap((ticket): readonly CommentPlan[] => {
    if (random.chance(0.3)) return [];
    const author = ticket.assignee ?? random.oneOf(agents);
    const stages = comments[ticket.topic.team].slice(0, stagesOf[ticket.status]);
    const written = stages.filter(() => random.chance(0.6));
    return written.map((texts) => ({ ticket, author, body: filled(random.oneOf(texts), words, random) }));
  });
  return planned.slice(-desk.comments);
}

interface Commenting {
  readonly agents: readonly string[];
  readonly words: Contents;
  readonly random: Random;
}

function timeOn(ticket: PlannedTicket, random: Random) {
  const minutes = random.oneOf([5, 10, 15, 15, 20, 30, 30, 45, 60, 90, 120]);
  const starts = ticket.opened + random.below(20) * 5 * minute;
  const rate = ticket.topic.team === 'field' ? 110 : 90;
  return { ticket, starts: iso(starts), ends: iso(starts + minutes * minute), minutes, rate };
}

function filled(text: string, { words }: Contents, random: Random): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name === 'nr' ? String(1000 + random.below(9000)) : random.oneOf(words[name] ?? [placeholder]),
  );
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

interface Random {
  /** From 0 to below 1. */
  fraction(): number;
  below(bound: number): number;
  chance(probability: number): boolean;
  oneOf<T>(values: readonly [T, ...T[]] | readonly T[]): T;
}

/** A linear congruential generator (Knuth, TAOCP 2, 3.2.1), whose high bits are used: plenty for words. */
function randomOf(seed: string): Random {
  let state = [...seed].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  const fraction = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(fraction() * bound);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    oneOf: (values) => values[below(values.length)] as (typeof values)[number],
  };
}
