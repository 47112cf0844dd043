/** The figures of records that the platform works out, and which columns have them. */
import type { Column, Kind } from '../list/columns.ts';

export const figures = ['sum', 'avg', 'min', 'max'] as const;
export type Figure = (typeof figures)[number];

export const figureWords: Readonly<Record<Figure | 'distinct', string>> = {
  sum: 'Sum',
  avg: 'Average',
  min: 'Least',
  max: 'Greatest',
  distinct: 'Different values',
};

/** How many figures a call takes beside the number of records. */
export const totalsMax = 9;

const storedKind = ({ kind, stored = kind }: Column): Kind => stored;

/** Whether numbers can be added up in the column. No figure is made of the versions of records. */
export function isNumeric(column: Column): boolean {
  return storedKind(column) === 'number' && column.field !== 'version';
}

export function isTime(column: Column): boolean {
  return storedKind(column) === 'date' || isInstant(column);
}

/** Whether the column has times and not days, which are of no time zone. */
export function isInstant(column: Column): boolean {
  return storedKind(column) === 'datetime';
}

const withoutGroups: ReadonlySet<Kind> = new Set(['lookups', 'list', 'json', 'secret']);

/** Whether records are grouped by the values of the column. */
export function isGrouping(column: Column): boolean {
  return !withoutGroups.has(storedKind(column)) && column.field !== 'version';
}

/** The totals of an address, by field: those of the columns that are shown, as many as one call takes. */
export function chosenTotals(text: string | undefined, columns: readonly Column[]): ReadonlyMap<string, Figure> {
  const shown = new Set(columns.filter(isNumeric).map(({ field }) => field));
  const terms = (text ?? '').split(',').flatMap((term): readonly (readonly [string, Figure])[] => {
    const [, name, field = ''] = /^([a-z]+):(.+)$/.exec(term) ?? [];
    const figure = figures.find((one) => one === name);
    return figure !== undefined && shown.has(field) ? [[field, figure]] : [];
  });
  return new Map([...new Map(terms)].slice(0, totalsMax));
}

/** The text of an address for totals. The number of records is always one of them. */
export function totalsText(chosen: ReadonlyMap<string, Figure>): string {
  return ['count', ...[...chosen].map(([field, figure]) => `${figure}:${field}`)].join(',');
}

/** The totals with which one begins: the sum of each column of numbers. */
export function firstTotals(columns: readonly Column[], hidden: ReadonlySet<string>): ReadonlyMap<string, Figure> {
  const summed = columns.filter((column) => isNumeric(column) && !hidden.has(column.name));
  return new Map(summed.slice(0, totalsMax).map(({ field }): [string, Figure] => [field, 'sum']));
}

/** `Sum of amount`; `Records` for their number. */
export function measureWords(measure: string): string {
  const [, name = '', field] = /^([a-z]+):(.+)$/.exec(measure) ?? [];
  const words = new Map<string, string>(Object.entries(figureWords)).get(name);
  return words === undefined || field === undefined ? 'Records' : `${words} of ${field}`;
}

/** The member of a reply that has a figure or a group: `sum_amount`, `month_due`. */
export function memberOf(term: string): string {
  return term.replace(/^([a-z]+):/, '$1_').replace(/^([a-z]+)\((.*)\)$/, '$1_$2');
}

const whole = new Intl.NumberFormat('en');
const rough = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

export type FigureValue = string | number | boolean | null | undefined;

/** A figure to be read. Integers beyond what a number holds here are about what they are. */
export function figureText(value: FigureValue): string {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return `${Number.isSafeInteger(value) ? '' : '≈ '}${whole.format(value)}`;
  return (Math.abs(value) < 1 ? small : rough).format(value);
}
