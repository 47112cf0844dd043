import { secretToken } from '../../lib/ids.ts';

/** Ids that no other process gives: a random beginning and a count. */
export function createRequestIds(): () => string {
  const boot = secretToken()
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 10);
  let count = 0;
  return () => {
    count += 1;
    return `${boot}-${count.toString(36)}`;
  };
}
