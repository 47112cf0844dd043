/** Records as apps have many, and what platforms are asked about them. */
import { definition } from '../../packages/acceptance/src/org.ts';

export const entity = 'order';

/** `region` and `branch` have the same 40 values, and `branch` alone has an index. */
export const orderDefinition = definition(entity, [
  { name: 'region' },
  { name: 'branch', index: true },
  { name: 'amount', colType: 'integer' },
  { name: 'ordered_at', colType: 'datetime' },
  { name: 'note' },
  { name: 'seller', colType: 'guid' },
]);

export interface Order {
  readonly region: string;
  readonly branch: string;
  /** 0 to 999. */
  readonly amount: number;
  /** In one year. */
  readonly ordered_at: string;
  readonly note: string;
}

const year = 2026;
const secondsOfYear = 365 * 24 * 60 * 60;

export function orderAt(index: number): Order {
  const mixed = (index * 2_654_435_761) % 2 ** 32;
  return {
    region: `r${mixed % 40}`,
    branch: `b${mixed % 40}`,
    amount: mixed % 1000,
    ordered_at: new Date(Date.UTC(year) + (mixed % secondsOfYear) * 1000).toISOString(),
    note: 'By the door, please.',
  };
}

/** So many of the records are those of the user who asks under a row rule. */
export const ownOneOf = 10;

/** What engines are asked for (`lib/where.ts` of the server). */
export type Where = object;

/** A statement of the adapter, which selects or measures. */
export type Statement =
  | { readonly kind: 'select'; readonly where: Where; readonly limit?: number }
  | {
      readonly kind: 'measure';
      readonly where: Where;
      readonly group: readonly object[];
      readonly measures: readonly object[];
    };

export interface Question {
  readonly name: string;
  readonly path: string;
  /** What the engine itself works out for it; left out where it reads an index. */
  readonly statements?: (own: readonly Where[]) => readonly Statement[];
  /** The path of PocketBase's collection; with `count`, its total is asked for. */
  readonly rival: string;
}

const inRegion = { kind: 'compare', operator: 'eq', path: ['region'], type: 'text', value: 'r5' };
const amount = { path: ['amount'], type: 'integer' };
const orderedAt = { path: ['ordered_at'], type: 'datetime' };
const amountBetween = (least: number, greatest: number): readonly Where[] => [
  { kind: 'compare', operator: 'gte', ...amount, value: least },
  { kind: 'compare', operator: 'lte', ...amount, value: greatest },
];
const count = { kind: 'count' };
const all = (...parts: readonly Where[]): Where => ({ kind: 'and', parts });

const counting =
  (...parts: readonly Where[]) =>
  (own: readonly Where[]): readonly Statement[] => [
    { kind: 'measure', where: all(...own, ...parts), group: [], measures: [count] },
  ];

const selecting =
  (limit: number | undefined, ...parts: readonly Where[]) =>
  (own: readonly Where[]): readonly Statement[] => [
    { kind: 'select', where: all(...own, ...parts), ...(limit === undefined ? {} : { limit }) },
  ];

function byMonth(own: readonly Where[]): readonly Statement[] {
  const bounds = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(year, month)).toISOString());
  const inYear: Where = {
    kind: 'or',
    parts: [
      all(
        { kind: 'compare', operator: 'gte', ...orderedAt, value: bounds[0] },
        { kind: 'compare', operator: 'lt', ...orderedAt, value: new Date(Date.UTC(year + 1)).toISOString() },
      ),
      { kind: 'not', part: { kind: 'exists', ...orderedAt } },
    ],
  };
  const ends = ['min', 'max'].map((kind) => ({ kind, ...orderedAt }));
  return [
    { kind: 'measure', where: all(...own), group: [], measures: ends },
    { kind: 'measure', where: all(...own, inYear), group: [{ ...orderedAt, bounds }], measures: [count] },
  ];
}

const records = '/api/collections/orders/records';
const page = `${records}?skipTotal=1&perPage=20`;

export const questions: readonly Question[] = [
  {
    name: 'count, no index',
    path: '/count/order?region=r5',
    statements: counting(inRegion),
    rival: `${records}?perPage=1&filter=(region='r5')`,
  },
  { name: 'count, by an index', path: '/count/order?branch=b5', rival: `${records}?perPage=1&filter=(branch='b5')` },
  {
    name: 'count, two conditions, one a range',
    path: '/count/order?region=r5&amount_op=between&amount=500,599',
    statements: counting(inRegion, ...amountBetween(500, 599)),
    rival: `${records}?perPage=1&filter=(region='r5'%26%26amount>=500%26%26amount<=599)`,
  },
  {
    name: 'count, a range',
    path: '/count/order?amount_op=between&amount=500,509',
    statements: counting(...amountBetween(500, 509)),
    rival: `${records}?perPage=1&filter=(amount>=500%26%26amount<=509)`,
  },
  {
    name: 'list of 20, a filter that one of 1,000 meets',
    path: '/list/order?amount=777',
    statements: selecting(21, { kind: 'compare', operator: 'eq', ...amount, value: 777 }),
    rival: `${page}&sort=-@rowid&filter=(amount=777)`,
  },
  {
    name: 'list of 20, sorted by a field without an index',
    path: '/list/order?sortby=amount',
    statements: selecting(undefined),
    rival: `${page}&sort=amount`,
  },
  {
    name: 'list of 20 of a region, sorted by such a field',
    path: '/list/order?region=r5&sortby=amount',
    statements: selecting(undefined, inRegion),
    rival: `${page}&sort=amount&filter=(region='r5')`,
  },
  {
    name: 'sum by region',
    path: '/aggregate/order?group=region&measure=sum:amount',
    statements: (own) => [
      {
        kind: 'measure',
        where: all(...own),
        group: [{ path: ['region'], type: 'text' }],
        measures: [{ kind: 'sum', ...amount }],
      },
    ],
    rival: '/api/collections/by_region/records?skipTotal=1&perPage=100',
  },
  {
    name: 'count by month',
    path: '/aggregate/order?group=month(ordered_at)',
    statements: byMonth,
    rival: '/api/collections/by_month/records?skipTotal=1&perPage=100',
  },
];
