/** Why a builder views the app as one of its users. Kept in this tab, so that the same visit is asked for it once. */
import { queryClient } from './query-client.ts';
import { meQuery } from './session.ts';

export interface Viewed {
  readonly org: string;
  readonly env: string;
  /** The id of the user. */
  readonly user: string;
}

type Ask = (viewed: Viewed) => Promise<string | undefined>;

let confirmation = Promise.withResolvers<Ask>();

/** The banner of the shell asks; `asked` resolves to the reason, or to nothing if there is none. */
export function onViewReason(confirm: Ask): () => void {
  confirmation.resolve(confirm);
  return () => {
    confirmation = Promise.withResolvers();
  };
}

/** A reason as a builder has said it: the audit log names the builder beside it, so it is good for no other. */
interface StoredReason {
  readonly by: string;
  readonly reason: string;
}

/** The reason that this builder has said. Undefined also where the tab has that of another who was signed in before. */
export function keptViewReason(viewed: Viewed, builder: string | undefined): string | undefined {
  const text = sessionStorage.getItem(keyOf(viewed));
  const reason = text === null ? undefined : (JSON.parse(text) as StoredReason);
  return reason !== undefined && reason.by === builder ? reason.reason : undefined;
}

export function keepViewReason(viewed: Viewed, reason: StoredReason): void {
  sessionStorage.setItem(keyOf(viewed), JSON.stringify(reason));
}

export function forgetViewReason(viewed: Viewed): void {
  sessionStorage.removeItem(keyOf(viewed));
}

/** Ends what a builder who signs out has said. */
export function forgetViewReasons(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

const underWay = new Map<string, Promise<string | undefined>>();

/**
 * The reason that goes with a token: in production there is always one, in test where one was said. Calls that wait for
 * it wait together. @throws Error if the builder states none.
 */
export async function viewReason(viewed: Viewed): Promise<string | undefined> {
  const { user } = await queryClient.fetchQuery(meQuery);
  const kept = keptViewReason(viewed, user.id);
  if (kept !== undefined || viewed.env === 'test') return kept;
  const key = keyOf(viewed);
  const requested =
    underWay.get(key) ?? confirmation.promise.then((ask) => ask(viewed)).finally(() => underWay.delete(key));
  underWay.set(key, requested);
  const reason = await requested;
  if (reason === undefined) throw new Error('In production a user’s records are shown once you have said why.');
  keepViewReason(viewed, { by: user.id, reason });
  return reason;
}

const prefix = 'freehold.viewed-as.';

function keyOf({ org, env, user }: Viewed): string {
  return `${prefix}${org}.${env}.${user}`;
}
