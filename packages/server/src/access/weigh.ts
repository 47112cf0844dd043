import { type CompiledStatement, type OpenStatement, standingOf } from './compiled-statement.ts';
import { isPending } from './context/context-key.ts';
import { fieldSetOf } from './field-set.ts';
import { OpenRuling } from './open-ruling.ts';
import type { AskedPath } from './patterns/resource-glob.ts';
import { decidedRuling, plainRulings, type Ruling } from './ruling.ts';
import type { Candidates } from './selection/selection.ts';
import { membersFor, type TextGroup } from './selection/text-group.ts';

/** The statements that may concern the request. */
export interface Weighed {
  readonly denies: Candidates;
  readonly allows: Candidates | 'everything';
}

/** Those of one effect, by what they say of a request. */
interface Sorted {
  readonly inEffect: readonly Pick<CompiledStatement, 'fields'>[];
  readonly open: readonly OpenStatement[];
  /** Groups of which every member is open. */
  readonly openGroups: readonly TextGroup[];
}

/** What is denied for sure is not asked for an Allow. */
export function weigh({ denies, allows }: Weighed, asked: AskedPath): Ruling {
  const denied = sort(denies, asked);
  if (denied.inEffect.some(isAboutAllFields)) return plainRulings.explicit_deny;
  return rulingOf(denied, allows === 'everything' ? everything : sort(allows, asked), asked);
}

const everything: Sorted = { inEffect: [{ fields: undefined }], open: [], openGroups: [] };

function rulingOf(denied: Sorted, allowed: Sorted, asked: AskedPath): Ruling {
  const taken = denied.inEffect.map(({ fields }) => fields).filter((fields) => fields !== undefined);
  const granted = allowed.inEffect.map(({ fields }) => fields);
  if (granted.length === 0 && !isOpen(allowed)) return plainRulings.implicit_deny;
  const openAllows = granted.includes(undefined) ? nothing : allowed;
  if (isOpen(denied) || isOpen(openAllows))
    return new OpenRuling({ asked, granted, taken, openAllows, openDenies: denied });
  const fields = fieldSetOf({ granted, by: 'any', taken }, () => asked.context().naming);
  return fields === undefined ? plainRulings.allowed : decidedRuling({ outcome: 'allowed', fields });
}

const nothing: Sorted = { inEffect: [], open: [], openGroups: [] };

function isOpen({ open, openGroups }: Sorted): boolean {
  return open.length > 0 || openGroups.length > 0;
}

/** Statements of one effect. Once one takes effect on all fields, the others change nothing. */
function sort({ first, groups, others }: Candidates, asked: AskedPath): Sorted {
  const inEffect: CompiledStatement[] = [];
  const open: OpenStatement[] = [];
  const sorted = { inEffect, open, openGroups: noGroups };
  for (const statement of first) if (decides(statement, sorted, asked)) return sorted;
  if (groups.length === 0) return sorted;
  const openGroups: TextGroup[] = [];
  const withGroups = { inEffect, open, openGroups };
  for (const group of groups) {
    const context = asked.context();
    if (isPending(group.key, context)) openGroups.push(group);
    else
      for (const { statement } of membersFor(group, context, asked.effort))
        if (decides(statement, withGroups, asked)) return withGroups;
  }
  for (const statement of others) if (decides(statement, withGroups, asked)) break;
  return withGroups;
}

const noGroups: readonly TextGroup[] = [];

interface Sorting {
  readonly inEffect: CompiledStatement[];
  readonly open: OpenStatement[];
}

/** Adds the statement, and says whether it decides alone. */
function decides(statement: CompiledStatement, { inEffect, open }: Sorting, asked: AskedPath): boolean {
  const standing = standingOf(statement, asked);
  if (standing === true) inEffect.push(statement);
  else if (standing !== false) open.push(standing);
  return standing === true && isAboutAllFields(statement);
}

function isAboutAllFields({ fields }: Pick<CompiledStatement, 'fields'>): boolean {
  return fields === undefined;
}
