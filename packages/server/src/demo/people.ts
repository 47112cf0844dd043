/** The users of the demo: two companies with a help desk each, and what each user may do there. */

export type Role = 'admin' | 'lead' | 'agent' | 'requester';

/** First names differ: they make the emails. */
export interface Member {
  readonly fn: string;
  readonly ln: string;
  readonly role: Role;
}

export interface Desk {
  readonly code: string;
  readonly name: string;
  readonly members: readonly [founder: Member, ...others: Member[]];
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
