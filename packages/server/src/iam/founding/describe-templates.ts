import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../../access/port.ts';
import type { WorkspaceTemplates } from './workspace-templates.ts';

type Policy = WorkspaceTemplates['policies'][number];
type Group = WorkspaceTemplates['groups'][number];

/** What differs between two templates, a sentence for each policy, group and statement. */
export function describeTemplates(before: WorkspaceTemplates, after: WorkspaceTemplates): readonly string[] {
  return [
    ...describeNamed('policy', [before.policies, after.policies], {
      added: ({ statements }) => `has ${counted(statements.length, 'statement')}`,
      changed: changedPolicy,
    }),
    ...describeNamed('group', [before.groups, after.groups], {
      added: ({ acl_policies }) => `holds ${listed(acl_policies)}`,
      changed: (was, is) => changedTexts('the list of policies', was.acl_policies, is.acl_policies),
    }),
  ];
}

interface Words<One extends Policy | Group> {
  readonly added: (one: One) => string;
  readonly changed: (before: One, after: One) => readonly string[];
}

function describeNamed<One extends Policy | Group>(
  what: string,
  [before, after]: readonly [readonly One[], readonly One[]],
  { added, changed }: Words<One>,
): readonly string[] {
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((is) => {
      const was = before.find(({ name }) => name === is.name);
      const label = `${what} \`${is.name}\``;
      return was === undefined
        ? [`${label} is new: it ${added(is)}`]
        : changed(was, is).map((one) => `${label}: ${one}`);
    }),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${what} \`${name}\` is taken out`),
  ];
}

/** Statements have no keys: what is the same on both sides is left out, and of the others those of one `Sid` or place are compared. */
function changedPolicy({ statements: before }: Policy, { statements: after }: Policy): readonly string[] {
  const isIn = (list: readonly Statement[]) => (one: Statement) => list.some((other) => isDeepStrictEqual(one, other));
  const gone = before.filter((one) => !isIn(after)(one));
  const come = after.filter((one) => !isIn(before)(one));
  const pairs = new Map<Statement, Statement>();
  for (const one of come) {
    const left = gone.filter((other) => ![...pairs.values()].includes(other));
    const was = left.find(({ Sid }) => Sid === one.Sid);
    if (was !== undefined) pairs.set(one, was);
  }
  const paired = new Set(pairs.values());
  const place = (list: readonly Statement[], one: Statement) =>
    one.Sid === undefined ? `statement ${list.indexOf(one) + 1}` : `statement \`${one.Sid}\``;
  const sentences = [
    ...come.flatMap((one) => {
      const was = pairs.get(one);
      const label = place(after, one);
      return was === undefined
        ? [`${label} is new: ${spelled(one)}`]
        : changedStatement(was, one).map((text) => `${label}: ${text}`);
    }),
    ...gone.filter((one) => !paired.has(one)).map((one) => `${place(before, one)} is taken out: ${spelled(one)}`),
  ];
  return sentences.length > 0 || isDeepStrictEqual(before, after) ? sentences : ['its statements have another order'];
}

function changedStatement(before: Statement, after: Statement): readonly string[] {
  const lists = (['Action', 'Resource', 'Fields'] as const).flatMap((member) =>
    changedTexts(`\`${member}\``, before[member] ?? [], after[member] ?? []),
  );
  const others = (['Effect', 'Condition', 'Mode'] as const)
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .map((member) => `\`${member}\` is ${shown(after[member])} now, and was ${shown(before[member])}`);
  return [...lists, ...others];
}

function changedTexts(of: string, before: readonly string[], after: readonly string[]): readonly string[] {
  const gained = after.filter((text) => !before.includes(text));
  const lost = before.filter((text) => !after.includes(text));
  if (gained.length + lost.length === 0) return isDeepStrictEqual(before, after) ? [] : [`${of} has another order`];
  const parts = [
    ...(gained.length === 0 ? [] : [`gains ${listed(gained)}`]),
    ...(lost.length === 0 ? [] : [`loses ${listed(lost)}`]),
  ];
  return [`${of} ${parts.join(' and ')}`];
}

function spelled({ Effect, Action, Resource }: Statement): string {
  return `\`${Effect}\` ${listed(Action)} on ${listed(Resource)}`;
}

const listedMax = 10;

function listed(texts: readonly string[]): string {
  if (texts.length === 0) return 'nothing';
  const more = texts.length > listedMax ? ` and ${texts.length - listedMax} more` : '';
  return (
    texts
      .slice(0, listedMax)
      .map((text) => `\`${text}\``)
      .join(', ') + more
  );
}

const charactersMax = 200;

function shown(value: unknown): string {
  if (value === undefined) return 'left out';
  const text = JSON.stringify(value);
  return text.length > charactersMax ? `\`${text.slice(0, charactersMax).toWellFormed()}…\`` : `\`${text}\``;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
