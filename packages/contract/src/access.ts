import type { ProductionRule } from './route.ts';

/** The callers that may call a route, by the `access` of its description. */
export const callers: Readonly<Record<string, string>> = {
  public: 'Takes no token.',
  developer: 'For every org user.',
  org_admin: 'For org users with the role `org_admin`.',
  watch: 'For every org user, and for deploy keys of any scope.',
  publish: 'For every org user, and for deploy keys with the scope `publish`.',
  activate: 'For org users with the role `org_admin`, and for deploy keys with the scope `activate`.',
  operator: 'For the operator of the platform, with the operator key.',
  self: 'For every caller with an app token; no policy is asked.',
  each: 'For every caller with an app token; the caller’s policies decide about each part of the body.',
};

/** A sentence for documents. Any other access is an action that policies allow. */
export function accessSentence(access: string): string {
  return callers[access] ?? `For callers whose policies allow the action \`${access}\`.`;
}

/** What callers without the role `org_admin` get of production; undefined where no value of a record is in it. */
export function productionSentence(rule: ProductionRule | undefined): string | undefined {
  if (rule === undefined) return undefined;
  const { refused, leftOut } = rule;
  return [
    ...(refused === undefined ? [] : [`In production ${refusedPart(refused)} needs the role \`org_admin\`.`]),
    ...(leftOut === undefined
      ? []
      : [`In production the reply to other roles than \`org_admin\` leaves out: ${leftOut}.`]),
  ].join(' ');
}

function refusedPart(refused: NonNullable<ProductionRule['refused']>): string {
  return refused === 'always' ? 'it' : refused.map((member) => `\`${member}\``).join(' or ');
}
