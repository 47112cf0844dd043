import { queryClient } from '../../api/query-client.ts';
import type { PolicyDraft } from '../policies/policy-draft.ts';

/** A member who would hold a new policy. */
export interface Principal {
  readonly id: string;
  readonly email: string;
}

export interface StoredDraft {
  readonly draft: PolicyDraft;
  readonly principals: readonly Principal[];
}

export interface DraftScope {
  readonly org: string;
  readonly env: string;
  readonly workspace: string;
  /** The id of the policy that the draft takes the place of; `new` for a policy that is not stored. */
  readonly policy: string;
}

/** While the page is open and the user is signed in: a look at another screen loses nothing of a draft. */
export function keepDraft(place: DraftScope, kept: StoredDraft): void {
  queryClient.setQueryDefaults([keptKey], { gcTime: Number.POSITIVE_INFINITY });
  queryClient.setQueryData(keyOf(place), kept);
}

export function keptDraft(place: DraftScope): StoredDraft | undefined {
  return queryClient.getQueryData<StoredDraft>(keyOf(place));
}

export function forgetDraft(place: DraftScope): void {
  queryClient.removeQueries({ queryKey: keyOf(place), exact: true });
}

const keptKey = 'policy lab';

function keyOf({ org, env, workspace, policy }: DraftScope) {
  return [keptKey, org, env, workspace, policy];
}
