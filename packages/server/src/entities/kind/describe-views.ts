import { isDeepStrictEqual } from 'node:util';
import { describeMembers, listed } from '../../promotion/port.ts';
import type { ViewDefinition, ViewField, Views } from '../../schema/port.ts';

/** What a change of views means, a sentence each. `of` says whose they are, such as " of `list`"; empty for all actions. */
export function describeViews(
  of: string,
  { before, after }: { readonly before: Views | undefined; readonly after: Views | undefined },
): readonly string[] {
  const whose = of === '' ? 'the entity' : of.trim().slice('of '.length);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const sentences = names.flatMap((name) =>
    changedView(`view \`${name}\`${of}`, viewOf(before, name), viewOf(after, name)),
  );
  if (before === undefined && after !== undefined) return [`${whose} has views of its own now`, ...sentences];
  if (before !== undefined && after === undefined) return [...sentences, `${whose} has no views of its own any more`];
  return sentences;
}

function viewOf(views: Views | undefined, name: string): ViewDefinition | undefined {
  return views !== undefined && Object.hasOwn(views, name) ? views[name] : undefined;
}

/** What a field is called in replies. */
function memberOf({ name, as, lookup }: ViewField): string {
  return lookup?.as ?? as ?? name;
}

function changedView(
  label: string,
  before: ViewDefinition | undefined,
  after: ViewDefinition | undefined,
): readonly string[] {
  if (before === undefined)
    return after === undefined ? [] : [`${label} is new: it shows ${listed(after.fields.map(memberOf))}`];
  if (after === undefined) return [`${label} is taken out`];
  if (isDeepStrictEqual(before, after)) return [];
  const was = new Map(before.fields.map((field) => [memberOf(field), field]));
  const is = new Map(after.fields.map((field) => [memberOf(field), field]));
  const gained = [...is.keys()].filter((member) => !was.has(member));
  const lost = [...was.keys()].filter((member) => !is.has(member));
  const changed = [...is].flatMap(([member, field]) => {
    const old = was.get(member);
    return old === undefined ? [] : describeMembers(`${label}: \`${member}\`: `, { before: old, after: field });
  });
  const sentences = [
    ...(gained.length > 0 ? [`${label} shows ${listed(gained)} too`] : []),
    ...(lost.length > 0 ? [`${label} does not show ${listed(lost)} any more`] : []),
    ...changed,
  ];
  return sentences.length > 0 ? sentences : [`${label} shows its fields in another order`];
}
