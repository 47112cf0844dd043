/** Why a builder views the app as one of its users. Kept in this tab, so that the same visit is asked for it once. */

export interface Viewed {
  readonly org: string;
  readonly env: string;
  /** The id of the user. */
  readonly user: string;
}

type Ask = (viewed: Viewed) => Promise<string | undefined>;

let asking = Promise.withResolvers<Ask>();

/** The banner of the shell asks; `asked` resolves to the reason, or to nothing if there is none. */
export function onViewReason(asked: Ask): () => void {
  asking.resolve(asked);
  return () => {
    asking = Promise.withResolvers();
  };
}

export function keptViewReason(viewed: Viewed): string | undefined {
  return sessionStorage.getItem(keyOf(viewed)) ?? undefined;
}

export function keepViewReason(viewed: Viewed, reason: string): void {
  sessionStorage.setItem(keyOf(viewed), reason);
}

export function forgetViewReason(viewed: Viewed): void {
  sessionStorage.removeItem(keyOf(viewed));
}

const underWay = new Map<string, Promise<string | undefined>>();

/**
 * The reason that goes with a token: in production there is always one, in test where one was said. Calls that wait for
 * it wait together. @throws Error if the builder states none.
 */
export async function viewReason(viewed: Viewed): Promise<string | undefined> {
  const kept = keptViewReason(viewed);
  if (kept !== undefined || viewed.env === 'test') return kept;
  const key = keyOf(viewed);
  const asked = underWay.get(key) ?? asking.promise.then((ask) => ask(viewed)).finally(() => underWay.delete(key));
  underWay.set(key, asked);
  const reason = await asked;
  if (reason === undefined) throw new Error('In production a user’s records are shown once you have said why.');
  keepViewReason(viewed, reason);
  return reason;
}

function keyOf({ org, env, user }: Viewed): string {
  return `freehold.view-as.${org}.${env}.${user}`;
}
