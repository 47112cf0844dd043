import type { ConfigItem } from '../../config/port.ts';
import { bodiesAfter } from '../checks/checks.ts';
import { readAll } from '../differences/compare.ts';
import { type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { refuseErrors } from './change-items.ts';
import { expressionErrors, newNameErrors, parseContent } from './content-errors.ts';
import { newlyDangling, refuseDangling } from './item-references.ts';

/** A content that is not to be stored, checked as if an item of test were to have it. */
export interface ContentToCheck extends ConfigItem {
  readonly orgCode: string;
  readonly content: unknown;
  /** Where in what was sent the content is that errors point into: a JSON pointer. */
  readonly at: string;
}

/** The content in its one form. @throws Problem `validation_failed`, `unknown_field`, `dangling_reference`. */
export async function checkContent(deps: PromotionDeps, asked: ContentToCheck): Promise<unknown> {
  const { orgCode, at, kind, name } = asked;
  const { kinds } = deps;
  const item = { kind, name };
  const sent = { count: 1, at };
  const parsed = await parseContent(kinds, asked);
  if ('errors' in parsed) return refuseErrors([{ item, errors: parsed.errors }], sent);
  const { content } = parsed;
  const context = await promotionContext(deps, 'test', orgCode);
  const before = await readAll(context);
  refuseErrors(newNameErrors(kinds, before, [item]), sent);
  const targets = [{ ...item, wanted: { content, versions: context.set.version + 1 } }];
  const after = [...bodiesAfter(before, targets).values()];
  refuseErrors(await expressionErrors(kinds, targets, after), sent);
  refuseDangling(await newlyDangling(kinds, [...before.values()], after));
  return content;
}
