import type { Clock } from '../../lib/clock.ts';
import { networkKey } from '../../lib/network-key.ts';
import { Problem } from '../../lib/problem.ts';
import { windowedLog } from '../../lib/windowed-log.ts';
import type { CodePurpose } from './mailed-codes.ts';

/** What a mail is asked for: the address that it would go to, known or not, and where the asking comes from. */
export interface MailRequest {
  readonly purpose: CodePurpose | 'invitation';
  /** The canonical address (`emailKey`), of one app where it is an app's. */
  readonly emailKey: string;
  /** Left out where who asks is known and has bounds of his own. */
  readonly ip?: string;
}

/**
 * Keeps anybody from having many mails sent: 3 to one address and 20 asked for from one network in 15 minutes, for
 * each purpose. It looks at nothing but the request, so that it tells nothing of an account.
 */
export interface MailThrottle {
  /** Counts a request. @throws Problem `rate_limited` with `retry_after_seconds`. */
  take(request: MailRequest): void;
  /** The same for a mail that nobody asked for by itself; false where it has to be left out. */
  tryTake(request: MailRequest): boolean;
}

const perEmailMax = 3;
const perNetworkMax = 20;
const bucketsMax = 100_000;

export function createMailThrottle({ clock }: { readonly clock: Clock }): MailThrottle {
  const addresses = windowedLog(perEmailMax, bucketsMax);
  const networks = windowedLog(perNetworkMax, bucketsMax);
  /** For how many milliseconds the request has to wait; it counts where that is not at all. */
  const waitOf = ({ purpose, emailKey, ip }: MailRequest): number => {
    const now = clock.now();
    const logs = [{ log: addresses, key: `${purpose} ${emailKey}` }];
    if (ip !== undefined) logs.push({ log: networks, key: `${purpose} ${networkKey(ip)}` });
    const wait = Math.max(...logs.map(({ log, key }) => log.freeAt(key, now))) - now;
    if (wait <= 0) for (const { log, key } of logs) log.add(key, now);
    return Math.max(0, wait);
  };
  return {
    take: (request) => {
      const wait = waitOf(request);
      if (wait === 0) return;
      const retry_after_seconds = Math.ceil(wait / 1000);
      const message = `too many mails were asked for, try again in ${retry_after_seconds} seconds`;
      throw new Problem('rate_limited', message, { retry_after_seconds });
    },
    tryTake: (request) => waitOf(request) === 0,
  };
}
