import type { PolicyDraft } from '../policy-draft.ts';

/** Policies, and groups that name them. */
export interface Templates {
  readonly policies: readonly PolicyDraft[];
  readonly groups: readonly { readonly name: string; readonly acl_policies: readonly string[] }[];
}

/** The templates with one of them changed, made (`before` is undefined) or taken out (`after` is). Groups follow its name. */
export function withTemplate(
  { policies, groups }: Templates,
  before: string | undefined,
  after: PolicyDraft | undefined,
): Templates {
  const isThis = ({ name }: PolicyDraft) => name === before;
  const kept =
    after === undefined ? policies.filter((one) => !isThis(one)) : policies.map((one) => (isThis(one) ? after : one));
  const isNew = after !== undefined && !policies.some(isThis);
  const renamed = (name: string) => (name === before ? after?.name : name);
  return {
    policies: isNew ? [...kept, after] : kept,
    groups: groups.map((group) => ({
      ...group,
      acl_policies: group.acl_policies.map(renamed).filter((name) => name !== undefined),
    })),
  };
}
