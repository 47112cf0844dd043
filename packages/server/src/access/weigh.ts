import { type CompiledStatement, type OpenStatement, type StatementMatch, standingOf } from './compiled-statement.ts';
import { fieldSetOf } from './field-set.ts';
import { OpenRuling } from './open-ruling.ts';
import type { AskedPath } from './patterns/resource-glob.ts';
import { decidedRuling, plainRulings, type Ruling } from './ruling.ts';

/** The statements whose action matches. */
export interface Weighed {
  readonly denies: readonly CompiledStatement[];
  readonly allows: readonly CompiledStatement[] | 'everything';
}

/** Those of one effect, by what they say of a request. */
export interface Sorted {
  readonly inEffect: readonly Pick<CompiledStatement, 'fields'>[];
  readonly open: readonly OpenStatement[];
}

/** What is denied for sure is not asked for an Allow. */
export function weigh({ denies, allows }: Weighed, asked: AskedPath): Ruling {
  const standing = (statement: CompiledStatement): StatementMatch => standingOf(statement, asked);
  const denied = sort(denies, standing);
  if (denied.inEffect.some(isAboutAllFields)) return plainRulings.explicit_deny;
  return rulingOf(denied, allows === 'everything' ? everything : sort(allows, standing), asked);
}

const everything: Sorted = { inEffect: [{ fields: undefined }], open: [] };

export function rulingOf(denied: Sorted, allowed: Sorted, asked: AskedPath): Ruling {
  const taken = denied.inEffect.map(({ fields }) => fields).filter((fields) => fields !== undefined);
  if (taken.length < denied.inEffect.length) return plainRulings.explicit_deny;
  const granted = allowed.inEffect.map(({ fields }) => fields);
  if (granted.length + allowed.open.length === 0) return plainRulings.implicit_deny;
  const openAllows = granted.includes(undefined) ? [] : allowed.open;
  if (denied.open.length > 0 || openAllows.length > 0)
    return new OpenRuling({ asked, granted, taken, openAllows, openDenies: denied.open });
  const fields = fieldSetOf({ granted, by: 'any', taken }, () => asked.context().naming);
  return fields === undefined ? plainRulings.allowed : decidedRuling({ outcome: 'allowed', fields });
}

/** Statements of one effect. Once one takes effect on all fields, the others change nothing. */
export function sort(
  statements: readonly CompiledStatement[],
  standingOf: (statement: CompiledStatement) => StatementMatch,
): Sorted {
  const inEffect: CompiledStatement[] = [];
  const open: OpenStatement[] = [];
  for (const statement of statements) {
    const standing = standingOf(statement);
    if (standing === true) inEffect.push(statement);
    else if (standing !== false) open.push(standing);
    if (standing === true && isAboutAllFields(statement)) break;
  }
  return { inEffect, open };
}

function isAboutAllFields({ fields }: Pick<CompiledStatement, 'fields'>): boolean {
  return fields === undefined;
}
