import { isDeepStrictEqual } from 'node:util';
import { findEscalation, type Statement } from '../../access/port.ts';

/** Policies and groups that every new workspace of an org gets beside those of the platform. */
export interface WorkspaceTemplates {
  readonly policies: readonly { readonly name: string; readonly statements: readonly Statement[] }[];
  /** `acl_policies` are names of the policies above. */
  readonly groups: readonly { readonly name: string; readonly acl_policies: readonly string[] }[];
}

type TemplatePolicy = WorkspaceTemplates['policies'][number];
type TemplateGroup = WorkspaceTemplates['groups'][number];

/** The differences between two templates, a sentence for each policy, group and statement. */
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

interface ChangeWords<One extends TemplatePolicy | TemplateGroup> {
  readonly added: (one: One) => string;
  readonly changed: (before: One, after: One) => readonly string[];
}

function describeNamed<One extends TemplatePolicy | TemplateGroup>(
  what: string,
  [before, after]: readonly [readonly One[], readonly One[]],
  { added, changed }: ChangeWords<One>,
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
function changedPolicy(
  { statements: before }: TemplatePolicy,
  { statements: after }: TemplatePolicy,
): readonly string[] {
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

/** Whose policies and groups a sentence is about: those of new workspaces, or of a workspace that exists. */
type WidenedOf = 'new workspaces' | 'the workspace';

/** The new rights that people in new workspaces get by the later templates, a sentence each. */
export function widenedTemplates(before: WorkspaceTemplates, after: WorkspaceTemplates): readonly string[] {
  return [
    ...after.policies.flatMap((policy) => widenedPolicy(named(before.policies, policy), policy)),
    ...after.groups.flatMap((group) => widenedGroup(before, named(before.groups, group), group)),
  ];
}

function named<One extends { readonly name: string }>(list: readonly One[], { name }: One): One | undefined {
  return list.find((one) => one.name === name);
}

/** Compared as if a holder of the old policy granted the new one. */
export function widenedPolicy(
  before: TemplatePolicy | undefined,
  after: TemplatePolicy,
  of: WidenedOf = 'new workspaces',
): readonly string[] {
  const { name } = after;
  if (before === undefined) {
    const gets = of === 'new workspaces' ? `${of} get` : `${of} gets`;
    return allows(after) ? [`${gets} the policy \`${name}\``] : [];
  }
  const [was, is] = [before, after].map(({ statements }) => ({ policyId: name, policyName: name, statements }));
  if (was === undefined || is === undefined) return [];
  const found = findEscalation({ before: [was], after: [is] }, [was]);
  if (found === undefined) return [];
  if (found.kind === 'too_much')
    return [`the policy \`${name}\` of ${of} may allow more: it is too large to be compared`];
  const reach = `\`${found.action}\` on \`${found.resource}\``;
  if (found.kind === 'lifted') return [`the policy \`${name}\` of ${of} no longer denies ${reach}`];
  return [`the policy \`${name}\` of ${of} allows ${reach}`];
}

function allows({ statements }: TemplatePolicy): boolean {
  return statements.some(({ Effect, Mode }) => Effect === 'Allow' && Mode === undefined);
}

/**
 * Losing a policy that denies widens access, and so does gaining a policy that allows.
 * @param before has the policies that the group held.
 */
export function widenedGroup(
  before: Pick<WorkspaceTemplates, 'policies'>,
  was: TemplateGroup | undefined,
  is: TemplateGroup,
  of: WidenedOf = 'new workspaces',
): readonly string[] {
  const had = was?.acl_policies ?? [];
  const gained = is.acl_policies.filter((policy) => !had.includes(policy));
  const lost = had.filter((policy) => !is.acl_policies.includes(policy) && denies(before, policy));
  return [
    ...gained.map((policy) => `the group \`${is.name}\` of ${of} holds the policy \`${policy}\``),
    ...lost.map((policy) => `the group \`${is.name}\` of ${of} no longer holds the policy \`${policy}\`, which denies`),
  ];
}

function denies({ policies }: Pick<WorkspaceTemplates, 'policies'>, name: string): boolean {
  const policy = policies.find((one) => one.name === name);
  return policy?.statements.some(({ Effect, Mode }) => Effect === 'Deny' && Mode === undefined) === true;
}
