import type { AccessContext, FieldNaming } from '../context/context.ts';
import { randomRequest } from './agreement.ts';
import type { Dice } from './dice.ts';
import type { Palette } from './random-context.ts';
import type { ReferenceRequest } from './reference-evaluator.ts';
import { inSmallLetters } from './reference-letters.ts';

/** @param lists the names of each field, the present one first. */
export function namingOf(lists: readonly (readonly string[])[]): FieldNaming {
  const byFolded = new Map<string, (readonly string[])[]>();
  for (const names of lists)
    for (const folded of new Set(names.map(inSmallLetters)))
      byFolded.set(folded, [...(byFolded.get(folded) ?? []), names]);
  return { byName: new Map(lists.flatMap((names) => names.map((name) => [name, names]))), byFolded };
}

/** Names that policies, records, bodies and parameters of the random kind have, and some that none of them has. */
const known = ['status', 'Status', 'STATUS', 'owner', 'Owner', 'n', 'N', 'when', 'data', 'Data', 'tags', 'k', 'before'];
const unknown = ['missing', 's', 'state', 'OWNER', 'd', 'constructor'];

/** A request about an entity whose fields have several names: a record has values under present names alone. */
export function randomNamedRequest(dice: Dice, palette: Palette): ReferenceRequest {
  const request = randomRequest(dice, palette);
  const naming = namingOf(randomLists(dice));
  const { record, before, after, ...others } = request.context;
  const isField = (state: string) => [...naming.byName.keys()].some((name) => inSmallLetters(name) === state);
  const shown = (state: AccessContext['record']) => (state === undefined ? {} : withPresentNames(naming, state));
  const context: AccessContext = {
    ...others,
    naming,
    ...(record === undefined ? {} : { record: shown(record) }),
    ...(before === undefined || isField('before') ? {} : { before: shown(before) }),
    ...(after === undefined || isField('after') ? {} : { after: shown(after) }),
  };
  return { ...request, context };
}

function randomLists(dice: Dice): readonly (readonly string[])[] {
  const left = [...known, ...unknown];
  const take = (): string => left.splice(dice.below(left.length), 1)[0] ?? 'x';
  return dice.list(1, 6, () => dice.list(1, 3, take));
}

function withPresentNames(
  { byName }: FieldNaming,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const present = (name: string) => (byName.get(name) ?? [name])[0] === name;
  return Object.fromEntries(Object.entries(record).filter(([name]) => present(name)));
}
